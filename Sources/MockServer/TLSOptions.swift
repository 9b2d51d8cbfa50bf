import NIOCore
import NIOSSL

/// How a server speaks TLS, beside what it shows.
package struct TLSOptions: Sendable {
  package enum Version: String, CaseIterable, Sendable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"
  }

  /// The oldest version that is spoken: clients of these protocols are as old as them.
  package var oldestVersion = Version.tls10
  /// Asks clients for a certificate, as Apple's servers did, and takes any, or none.
  package var asksClientCertificate = false

  package init() {}

  func apply(to configuration: inout TLSConfiguration) {
    configuration.minimumTLSVersion = oldestVersion.library
    if asksClientCertificate {
      configuration.certificateVerification = .optionalVerification
      // Nothing is verified, so nothing need be trusted.
      configuration.trustRoots = .certificates([])
    }
  }

  static func handler(_ context: NIOSSLContext, asksClientCertificate: Bool) -> NIOSSLServerHandler {
    guard asksClientCertificate else { return NIOSSLServerHandler(context: context) }
    return NIOSSLServerHandler(context: context) { _, verified in verified.succeed(.certificateVerified) }
  }

  /// Whether bytes are the beginning of a handshake (RFC 8446, section 5.1): content type 22, version 3.x.
  static func isHandshake(_ bytes: ByteBuffer) -> Bool {
    bytes.getBytes(at: bytes.readerIndex, length: 2) == [22, 3]
  }

  /// An error of NIO or of the library below it, in words.
  static func reason(_ error: any Error) -> String {
    guard let last = (error as? NIOSSLError)?.stack?.last else { return "\(error)" }
    // `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at FILE:LINE`
    let name = "\(last)".split(separator: "OPENSSL_internal:").last?.split(separator: " at ").first
    return name.map { $0.lowercased().split(separator: "_").joined(separator: " ") } ?? "\(last)"
  }
}

extension TLSOptions.Version {
  fileprivate var library: TLSVersion {
    switch self {
    case .tls10: .tlsv1
    case .tls11: .tlsv11
    case .tls12: .tlsv12
    case .tls13: .tlsv13
    }
  }
}

extension NIOSSLError {
  /// What the library reported, in the order in which it did.
  fileprivate var stack: NIOBoringSSLErrorStack? {
    guard case .handshakeFailed(let error) = self else { return nil }
    switch error {
    case .sslError(let stack), .unknownError(let stack): return stack
    default: return nil
    }
  }
}
