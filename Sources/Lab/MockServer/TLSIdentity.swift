import Basics
import NIOSSL
import PacketCapture
import StreamInputs

/// A TLS server's identity: its certificate, with the chain, and its key.
package struct TLSIdentity: Sendable {
  private let configuration: TLSConfiguration
  /// SHA-256 of the server's certificate, as `openssl x509 -fingerprint -sha256` prints it.
  package let fingerprint: String

  /// - Parameters:
  ///   - certificatePEM: the server's certificate, and its chain after it.
  ///   - keyPEM: its key, without a passphrase.
  ///   - names: of the files, for messages.
  package init(
    certificatePEM: [UInt8], keyPEM: [UInt8],
    names: (certificate: String, key: String) = ("the certificate", "the key")
  ) throws {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(certificatePEM),
      let first = certificates.first, let der = try? first.toDERBytes()
    else {
      throw CommandError(
        "\(names.certificate): no valid PEM certificate (-----BEGIN CERTIFICATE-----) in the file")
    }
    // Passphrases are not supported: a server has no terminal.
    if Self.isEncrypted(keyPEM) {
      throw CommandError(
        "\(names.key): encrypted keys are not supported; decrypt it first: openssl pkey -in \(names.key) "
          + "-out FILE")
    }
    guard let key = try? NIOSSLPrivateKey(bytes: keyPEM, format: .pem) else {
      throw CommandError("\(names.key): no valid PEM private key (-----BEGIN PRIVATE KEY-----) in the file")
    }
    configuration = .makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
    fingerprint = Self.fingerprint(der)
    guard (try? NIOSSLContext(configuration: configuration)) != nil else {
      throw CommandError("\(names.key) is not the key of \(names.certificate)")
    }
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
    let hash = InputHash()
    hash.update(bytes.span.bytes)
    guard let digest = hash.hexDigest().flatMap({ Hex.bytes($0) }) else { return "unknown" }
    return digest.map { Hex.string([$0], letterCase: .upper) }.joined(separator: ":")
  }

  /// Maximum file size, in bytes: certificate chains have some KiB.
  private static let maxSize = 1 << 20

  /// Reads the files of `--certificate` and `--key`.
  package init(certificate: String, key: String) throws {
    try self.init(
      certificatePEM: Self.bytes(of: certificate, as: "--certificate"),
      keyPEM: Self.bytes(of: key, as: "--key"), names: (certificate, key))
  }

  /// Generates an identity.
  /// - Parameter output: receives the certificate, for clients to trust.
  package init(writing output: OutputFile?) throws {
    let made = try SelfSignedCertificate()
    try output?.write(made.certificate.span.bytes)
    try output?.finish()
    try self.init(certificatePEM: made.certificate, keyPEM: made.key)
  }

  private static func bytes(of path: String, as option: String) throws -> [UInt8] {
    do {
      let bytes = try InputFile.content(of: Input(path).of(option: "--certificate or --key"), limit: maxSize)
      guard bytes.count <= maxSize else {
        throw InputError("expected PEM, but the file is larger than \(ByteSize.text(maxSize))")
      }
      return bytes
    } catch let error as InputError {
      throw CommandError(.about(option, .about(path, error.message)))
    }
  }
}
