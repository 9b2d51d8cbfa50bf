import Basics
import NIOCore
import NIOSSL

/// Errors of NIO and of its TLS library.
extension Error {
  /// Whether the peer reset the connection.
  var isReset: Bool {
    guard let number = (self as? IOError)?.errnoCode else { return false }
    return number == ECONNRESET || number == EPIPE
  }

  /// A readable message, mostly of the library.
  var reason: Message {
    guard let last = (self as? NIOSSLError)?.stack?.last else { return .verbatim("\(self)") }
    if last == .eofDuringHandshake || last == .eofDuringAdditionalCertficiateChainValidation {
      return .closedInHandshake
    }
    // `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at FILE:LINE`
    let name = "\(last)".split(separator: "OPENSSL_internal:").last?.split(separator: " at ").first
    return .verbatim(name.map { $0.lowercased().split(separator: "_").joined(separator: " ") } ?? "\(last)")
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
