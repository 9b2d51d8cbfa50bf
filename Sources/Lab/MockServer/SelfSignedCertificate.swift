import Basics
import CLibcrypto

/// A certificate for this machine, with its key: for tests with clients that do not know the server yet. It signs itself,
/// unless clients must refuse it: then an authority of its own does, as some do not look at what they trust itself.
package struct SelfSignedCertificate: Sendable {
  /// In PEM.
  package let certificate: [UInt8]
  package let key: [UInt8]
  /// The certificate to trust, in PEM.
  package let authority: [UInt8]

  /// Clocks differ, and tests set them back.
  private static let secondsBefore = -86_400
  private static let validSeconds = 30 * 86_400
  private static let keyBits: Int32 = 2048
  /// RFC 2606, section 2: no host has a name under `invalid`.
  private static let (name, otherName, authorityName) = ("localhost", "push.invalid", "apnsift-lab")
  private static let (names, otherNames) = ("DNS:localhost,IP:127.0.0.1,IP:::1", "DNS:push.invalid")

  /// - Parameter refused: what clients must refuse in it.
  package init(_ refused: RefusedCertificate? = nil) throws {
    // One that is not trusted is as any other: what clients trust differs.
    let reason = refused == .untrusted ? nil : refused
    guard let key = Self.makeKey() else { throw Self.libraryError }
    defer { EVP_PKEY_free(key) }
    let name = reason == nil ? Self.name : Self.authorityName
    guard let certificate = Self.makeCertificate(key, name: name) else { throw Self.libraryError }
    defer { X509_free(certificate) }
    authority = try Self.text { PEM_write_bio_X509($0, certificate) }
    guard let reason else {
      self.certificate = authority
      self.key = try Self.text { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
      return
    }
    guard let ownKey = Self.makeKey() else { throw Self.libraryError }
    defer { EVP_PKEY_free(ownKey) }
    let ownName = reason == .otherName ? Self.otherName : Self.name
    guard let own = Self.makeCertificate(ownKey, name: ownName, reason, signedBy: (certificate, key))
    else { throw Self.libraryError }
    defer { X509_free(own) }
    self.certificate = try Self.text { PEM_write_bio_X509($0, own) }
    self.key = try Self.text { PEM_write_bio_PKCS8PrivateKey($0, ownKey, nil, nil, 0, nil, nil) }
  }

  private static var libraryError: CommandError {
    CommandError("cannot generate a certificate: libcrypto failed")
  }

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, keyBits) == 1,
      EVP_PKEY_keygen(context, &key) == 1
    else { return nil }
    return key
  }

  /// - Parameter issuer: nil if it signs itself.
  private static func makeCertificate(
    _ key: OpaquePointer, name: String, _ reason: RefusedCertificate? = nil,
    signedBy issuer: (certificate: OpaquePointer, key: OpaquePointer)? = nil
  ) -> OpaquePointer? {
    guard let certificate = X509_new() else { return nil }
    guard setName(certificate, name),
      X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate)) == 1,
      setSpan(certificate, isOver: reason == .expired),
      addExtensions(certificate, reason == .otherName ? otherNames : names, isAuthority: issuer == nil),
      X509_set_pubkey(certificate, key) == 1, X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0
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
  }

  private static func setSpan(_ certificate: OpaquePointer, isOver: Bool) -> Bool {
    let end = isOver ? secondsBefore : validSeconds
    return X509_gmtime_adj(X509_getm_notBefore(certificate), end - validSeconds + secondsBefore) != nil
      && X509_gmtime_adj(X509_getm_notAfter(certificate), end) != nil
  }

  /// RFC 5280, section 4.2.1: it is an authority, so that clients can be configured to trust it as one.
  private static func addExtensions(
    _ certificate: OpaquePointer, _ names: String, isAuthority: Bool
  ) -> Bool {
    [
      (NID_basic_constraints, "critical,CA:\(isAuthority ? "TRUE" : "FALSE")"), (NID_subject_alt_name, names),
      (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
    ].allSatisfy { identifier, value in
      var context = X509V3_CTX()
      X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
      guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
      defer { X509_EXTENSION_free(made) }
      return X509_add_ext(certificate, made, -1) == 1
    }
  }

  private static func text(_ write: (OpaquePointer) -> Int32) throws -> [UInt8] {
    guard let memory = BIO_new(BIO_s_mem()) else { throw libraryError }
    defer { BIO_free(memory) }
    guard write(memory) == 1 else { throw libraryError }
    var text = [UInt8](repeating: 0, count: 1 << 14)
    let count = BIO_read(memory, &text, Int32(text.count))
    guard count > 0, count < text.count else { throw libraryError }
    return Array(text.prefix(Int(count)))
  }
}

/// A server that a reader must refuse, by its certificate.
package enum RefusedCertificate: String, CaseIterable, Sendable {
  case untrusted, otherName = "other-name", expired

  var name: String { "certificate-\(rawValue)" }

  var shows: String {
    switch self {
    case .untrusted: "The server's certificate is not the one of APNSIFT_CA"
    case .otherName: "The server's certificate is for push.invalid"
    case .expired: "The server's certificate has expired"
    }
  }
}
