import NIOCore
import NIOSSL

package struct TLSOptions: Sendable {
  package enum Version: String, CaseIterable, Sendable {
    case tls10 = "1.0"
    case tls11 = "1.1"
    case tls12 = "1.2"
    case tls13 = "1.3"

    fileprivate var library: TLSVersion {
      switch self {
      case .tls10: .tlsv1
      case .tls11: .tlsv11
      case .tls12: .tlsv12
      case .tls13: .tlsv13
      }
    }
  }

  /// The oldest version accepted: clients of these protocols are just as old.
  package var oldestVersion = Version.tls10
  /// Whether to ask clients for a certificate, as Apple's servers did. Any certificate is accepted, or none.
  package var asksClientCertificate = false
  /// ALPN protocols (RFC 7301), in order of preference.
  var protocols: [String] = []
  /// Called with lines of a key log for each connection.
  package var keyLog: (@Sendable ([UInt8]) -> Void)?

  func apply(to configuration: inout TLSConfiguration) {
    configuration.minimumTLSVersion = oldestVersion.library
    configuration.applicationProtocols = protocols
    if let keyLog { configuration.keyLogCallback = { keyLog(Array($0.readableBytesView)) } }
    if asksClientCertificate {
      configuration.certificateVerification = .optionalVerification
      // Nothing is verified, so no roots are needed.
      configuration.trustRoots = .certificates([])
    }
  }

  func handler(_ context: NIOSSLContext) -> NIOSSLServerHandler {
    guard asksClientCertificate else { return NIOSSLServerHandler(context: context) }
    return NIOSSLServerHandler(context: context) { _, verified in verified.succeed(.certificateVerified) }
  }

  /// Whether bytes begin a handshake (RFC 8446, section 5.1): content type 22, version 3.x.
  static func isHandshake(_ bytes: ByteBuffer) -> Bool {
    bytes.getBytes(at: bytes.readerIndex, length: 2) == [22, 3]
  }
}
