import CLibcrypto

package struct CertificateSubject: Equatable, Sendable {
  /// `CN=…, OU=…`, in the order of the certificate.
  package var text: String
  /// The attribute UID: in a client's certificate, Apple's name of the app.
  package var userID: String?

  /// - Parameter certificate: X.509 in DER.
  init?(_ certificate: ArraySlice<UInt8>) {
    let parsed: OpaquePointer? = certificate.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_X509(nil, &next, bytes.count)
    }
    guard let parsed else {
      ERR_clear_error()
      return nil
    }
    defer { X509_free(parsed) }
    guard let name = X509_get_subject_name(parsed) else { return nil }
    var parts: [String] = []
    for index in 0..<max(0, min(64, X509_NAME_entry_count(name))) {
      guard let entry = X509_NAME_get_entry(name, index),
        let value = Self.text(X509_NAME_ENTRY_get_data(entry))
      else { continue }
      let number = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry))
      let key = number == NID_undef ? "?" : OBJ_nid2sn(number).map { String(cString: $0) } ?? "?"
      parts.append("\(key)=\(value)")
      if number == NID_userId { userID = value }
    }
    text = parts.joined(separator: ", ")
  }

  private static func text(_ value: UnsafePointer<ASN1_STRING>?) -> String? {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&bytes, value)
    defer { CRYPTO_free(bytes, "", 0) }
    guard count >= 0, let bytes else {
      ERR_clear_error()
      return nil
    }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// The subject of the first certificate of a Certificate message; in TLS 1.3 a context is before the list.
  static func first(_ body: ArraySlice<UInt8>, _ version: TLSVersion?) -> CertificateSubject? {
    var cursor = ByteCursor(body)
    if version == .tls13, cursor.vector(1) == nil { return nil }
    guard var list = cursor.vector(3).map({ ByteCursor($0) }), let certificate = list.vector(3) else {
      return nil
    }
    return CertificateSubject(certificate)
  }
}
