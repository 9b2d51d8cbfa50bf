import Basics
import PacketCapture
import StreamInputs

extension TLSIdentity {
  /// Maximum file size, in bytes: certificate chains have some KiB.
  private static let maxSize = 1 << 20

  /// Reads the files of `--certificate` and `--key`.
  package init(certificate: String, key: String) throws {
    let certificatePEM = try Self.bytes(of: certificate, as: "--certificate")
    let keyPEM = try Self.bytes(of: key, as: "--key")
    do {
      try self.init(certificatePEM: certificatePEM, keyPEM: keyPEM)
    } catch {
      throw Failure(Self.message(error, certificate: certificate, key: key))
    }
  }

  /// Generates an identity.
  /// - Parameter output: receives the certificate, for clients to trust.
  package init(writing output: OutputFile?) throws {
    do {
      let made = try SelfSignedCertificate()
      try output?.write(made.certificate.span.bytes)
      try output?.finish()
      try self.init(certificatePEM: made.certificate, keyPEM: made.key)
    } catch is TLSIdentityError {
      throw Failure("cannot generate a certificate: libcrypto failed; use --certificate and --key")
    }
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

  private static func message(_ error: TLSIdentityError, certificate: String, key: String) -> Message {
    switch error {
    case .noCertificate: .noCertificate(in: certificate)
    case .noKey: .noKey(in: key)
    case .encryptedKey:
      "\(key): encrypted keys are not supported; decrypt it first: openssl pkey -in \(key) -out FILE"
    case .mismatch: "\(key) is not the key of \(certificate)"
    case .notMade: "cannot generate a certificate"
    }
  }
}
