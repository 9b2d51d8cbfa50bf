import MockServer
import PacketCapture
import Platform
import StreamInputs
import WireBytes

/// The certificate and the key of a server: from files, or made.
enum ServerIdentity {
  /// The largest file, in bytes: chains of certificates are some KiB.
  private static let maxSize = 1 << 20

  static func read(certificate: String, key: String) throws -> TLSIdentity {
    let certificatePEM = try bytes(of: certificate, as: "--certificate")
    let keyPEM = try bytes(of: key, as: "--key")
    do {
      return try TLSIdentity(certificatePEM: certificatePEM, keyPEM: keyPEM)
    } catch {
      throw Failure(text(error, certificate: certificate, key: key))
    }
  }

  /// - Parameter output: gets the certificate, so that a client can be told to trust it.
  static func make(writing output: OutputFile?) throws -> TLSIdentity {
    do {
      let made = try SelfSignedCertificate()
      try output?.write(made.certificate.span.bytes)
      try output?.finish()
      return try TLSIdentity(certificatePEM: made.certificate, keyPEM: made.key)
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
