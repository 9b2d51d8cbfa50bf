import Basics
import PacketCapture
import StreamInputs

extension TLSIdentity {
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
        throw InputFault(.tooLargeForPEM(limit: maxSize))
      }
      return bytes
    } catch let fault as InputFault {
      throw Failure(.about(option, .about(path, fault.message)))
    }
  }
}
