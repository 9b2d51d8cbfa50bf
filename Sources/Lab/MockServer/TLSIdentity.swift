import CLibcrypto
import NIOSSL

/// A TLS server's identity: its certificate, with the chain, and its key.
package struct TLSIdentity: Sendable {
  /// The server's certificate first.
  private let certificates: [NIOSSLCertificate]
  private let key: NIOSSLPrivateKey
  /// SHA-256 of the server's certificate, as `openssl x509 -fingerprint -sha256` prints it.
  package let fingerprint: String

  /// - Parameters:
  ///   - certificatePEM: the server's certificate, and its chain after it.
  ///   - keyPEM: its key, without a passphrase.
  package init(certificatePEM: [UInt8], keyPEM: [UInt8]) throws(TLSIdentityError) {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(certificatePEM),
      let first = certificates.first, let der = try? first.toDERBytes()
    else { throw .noCertificate }
    // Passphrases are not supported: a server has no terminal.
    if Self.isEncrypted(keyPEM) { throw .encryptedKey }
    guard let key = try? NIOSSLPrivateKey(bytes: keyPEM, format: .pem) else { throw .noKey }
    self.certificates = certificates
    self.key = key
    fingerprint = Self.fingerprint(der)
    guard (try? NIOSSLContext(configuration: configuration)) != nil else { throw .mismatch }
  }

  private var configuration: TLSConfiguration {
    TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
  }

  func context(_ options: TLSOptions) throws -> NIOSSLContext {
    var configuration = configuration
    options.apply(to: &configuration)
    return try NIOSSLContext(configuration: configuration)
  }

  /// RFC 7468, section 11, and RFC 1421, section 4.6.1.1.
  private static func isEncrypted(_ pem: [UInt8]) -> Bool {
    let text = String(decoding: pem, as: UTF8.self)
    return text.split(separator: "\n").contains { line in
      line.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----") || line.hasPrefix("Proc-Type: 4,ENCRYPTED")
    }
  }

  private static func fingerprint(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else { return "unknown" }
    return digest.prefix(Int(length)).map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: ":")
  }
}

/// Errors of a certificate or its key.
package enum TLSIdentityError: Error, Equatable {
  case noCertificate
  case noKey
  case encryptedKey
  /// The key does not match the certificate.
  case mismatch
  /// The system's library failed to generate it.
  case notMade
}
