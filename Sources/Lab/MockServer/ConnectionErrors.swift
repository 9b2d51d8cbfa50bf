import Basics
import NIOCore
import NIOHTTP2
import NIOSSL

/// Errors of NIO and of its TLS library.
extension Error {
  var isReset: Bool { [ECONNRESET, EPIPE].contains((self as? IOError)?.errnoCode) }

  /// A readable message, mostly of the library.
  var reason: Message {
    guard let last = (self as? NIOSSLError)?.stack?.last else { return .verbatim("\(self)") }
    if last == .eofDuringHandshake || last == .eofDuringAdditionalCertficiateChainValidation {
      return .closedInHandshake
    }
    // `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at FILE:LINE`
    let name = "\(last)".split(separator: "OPENSSL_internal:").last?.split(separator: " at ").first
    let text = name.map { $0.lowercased().split(separator: "_").joined(separator: " ") } ?? "\(last)"
    guard text.contains("alert"), text.contains("certificate") || text.contains("unknown ca") else {
      return .verbatim(text)
    }
    return .certificateRefused(text)
  }

  /// Why frames of a client could not be read: the library's errors are named for their reason, and say where in its
  /// sources they are.
  var http2Reason: Message {
    let name = "\(type(of: self))"
    let words = name.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    return self is any NIOHTTP2Error ? "the client broke the rules of HTTP/2:\(words)" : .verbatim("\(self)")
  }
}

extension NIOSSLError {
  /// The library's errors, in order.
  fileprivate var stack: NIOBoringSSLErrorStack? {
    guard case .handshakeFailed(let error) = self else { return nil }
    switch error {
    case .sslError(let stack), .unknownError(let stack): return stack
    default: return nil
    }
  }
}

extension Message {
  /// - Parameter alert: what the client sent.
  static func certificateRefused(_ alert: String) -> Message {
    "the client refused the certificate (\(alert))"
  }
}
