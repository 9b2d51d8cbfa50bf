import PacketCapture
import Platform
import StreamInputs
import WireBytes

extension TLSIdentity {
  /// The largest file, in bytes: chains of certificates are some KiB.
  private static let maxSize = 1 << 20

  /// From the files of `--certificate` and `--key`.
  package init(certificate: String, key: String) throws {
    let certificatePEM = try Self.bytes(of: certificate, as: "--certificate")
    let keyPEM = try Self.bytes(of: key, as: "--key")
    do {
      try self.init(certificatePEM: certificatePEM, keyPEM: keyPEM)
    } catch {
      throw Failure(Self.text(error, certificate: certificate, key: key))
    }
  }

  /// One that is made.
  /// - Parameter output: gets the certificate, for clients to trust.
  package init(writing output: OutputFile?) throws {
    do {
      let made = try SelfSignedCertificate()
      try output?.write(made.certificate.span.bytes)
      try output?.finish()
      try self.init(certificatePEM: made.certificate, keyPEM: made.key)
    } catch is TLSIdentityError {
      throw Failure("no certificate could be made: libcrypto failed; give --certificate and --key")
    }
  }

  private static func bytes(of path: String, as option: String) throws -> [UInt8] {
    do {
      let bytes = try InputFile.content(of: Input(path), limit: maxSize)
      guard bytes.count <= maxSize else {
        throw InputFault("expected PEM of at most \(ByteSize.text(maxSize)), found more")
      }
      return bytes
    } catch let fault as InputFault {
      throw Failure("\(path): \(fault.message); it was to be read as \(option)")
    }
  }

  private static func text(_ error: TLSIdentityError, certificate: String, key: String) -> String {
    switch error {
    case .noCertificate:
      "\(certificate): expected a certificate in PEM (-----BEGIN CERTIFICATE-----), found none that can be read"
    case .noKey:
      "\(key): expected a private key in PEM (-----BEGIN PRIVATE KEY-----), found none that can be read"
    case .encryptedKey:
      "\(key): the key is encrypted, and nobody is asked for its passphrase; decrypt it first: "
        + "openssl pkey -in \(key) -out FILE"
    case .mismatch: "\(key) is not the key of \(certificate): give the two that belong together"
    case .notMade: "no certificate could be made"
    }
  }
}
