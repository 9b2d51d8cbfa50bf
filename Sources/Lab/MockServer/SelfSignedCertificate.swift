import Basics
import CLibcrypto

/// A self-signed certificate for this machine, with its key: for tests with clients that do not know the server yet.
package struct SelfSignedCertificate: Sendable {
  /// What a client must refuse in a certificate that it was given to trust.
  package enum Fault: Sendable { case otherName, expired }

  /// In PEM.
  package let certificate: [UInt8]
  package let key: [UInt8]

  /// Clocks differ, and tests set them back.
  private static let secondsBefore = -86_400
  private static let validSeconds = 30 * 86_400
  private static let keyBits: Int32 = 2048
  /// RFC 2606, section 2: no host has a name under `invalid`.
  private static let (name, otherName) = ("localhost", "push.invalid")
  private static let (names, otherNames) = ("DNS:localhost,IP:127.0.0.1,IP:::1", "DNS:push.invalid")

  package init(_ fault: Fault? = nil) throws {
    guard let key = Self.makeKey() else { throw Self.failure }
    defer { EVP_PKEY_free(key) }
    guard let certificate = Self.makeCertificate(key, fault) else { throw Self.failure }
    defer { X509_free(certificate) }
    guard let text = Self.pem({ PEM_write_bio_X509($0, certificate) }),
      let keyText = Self.pem({ PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) })
    else { throw Self.failure }
    self.certificate = text
    self.key = keyText
  }

  private static var failure: Failure { Failure("cannot generate a certificate: libcrypto failed") }

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, keyBits) == 1,
      EVP_PKEY_keygen(context, &key) == 1
    else { return nil }
    return key
  }

  private static func makeCertificate(_ key: OpaquePointer, _ fault: Fault?) -> OpaquePointer? {
    guard let certificate = X509_new() else { return nil }
    guard setName(certificate, fault == .otherName ? otherName : name),
      setSpan(certificate, isOver: fault == .expired),
      addExtensions(certificate, fault == .otherName ? otherNames : names),
      X509_set_pubkey(certificate, key) == 1, X509_sign(certificate, key, EVP_sha256()) > 0
    else {
      X509_free(certificate)
      return nil
    }
    return certificate
  }

  private static func setName(_ certificate: OpaquePointer, _ text: String) -> Bool {
    // Browsers refuse a second certificate with the same issuer and serial number.
    let number = Int(UInt32.random(in: 1...UInt32(Int32.max)))
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set(X509_get_serialNumber(certificate), number) == 1,
      let name = X509_get_subject_name(certificate)
    else { return false }
    return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1
      && X509_set_issuer_name(certificate, name) == 1
  }

  private static func setSpan(_ certificate: OpaquePointer, isOver: Bool) -> Bool {
    let end = isOver ? secondsBefore : validSeconds
    return X509_gmtime_adj(X509_getm_notBefore(certificate), end - validSeconds + secondsBefore) != nil
      && X509_gmtime_adj(X509_getm_notAfter(certificate), end) != nil
  }

  /// RFC 5280, section 4.2.1: it is an authority, so that clients can be configured to trust it as one.
  private static func addExtensions(_ certificate: OpaquePointer, _ names: String) -> Bool {
    [
      (NID_basic_constraints, "critical,CA:TRUE"), (NID_subject_alt_name, names),
      (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
    ].allSatisfy { identifier, value in
      var context = X509V3_CTX()
      X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
      guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
      defer { X509_EXTENSION_free(made) }
      return X509_add_ext(certificate, made, -1) == 1
    }
  }

  /// The output of `write`; nil if it fails.
  private static func pem(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let memory = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { return nil }
    var text = [UInt8](repeating: 0, count: 1 << 14)
    let count = BIO_read(memory, &text, Int32(text.count))
    return count > 0 && count < text.count ? Array(text.prefix(Int(count))) : nil
  }
}
