import Basics

/// Events of a mock server, in order, on the server's thread.
package enum ServerEvent: Sendable, Equatable {
  /// Serving begins.
  /// - Parameters:
  ///   - client: its number, from 0, assigned after the TLS handshake.
  ///   - peer: its `address:port`.
  case opened(client: Int, peer: String, connection: String)
  case ended(client: Int, ServedReport)
  /// A request of a client has ended, with or without an answer.
  case received(ReceivedRequest)
  case handshakeFailed(peer: String, reason: Message)
  /// A client was rejected: too many are connected, or all of the server's clients have come.
  case rejected(peer: String, tooMany: Bool)
  /// The server has stopped listening and all clients have left; the last event.
  case finished
}

/// Outcome of the connection to one client.
package struct ServedReport: Sendable, Equatable {
  package enum End: Sendable, Equatable {
    /// Everything was sent; `byClient` if the client closed first.
    case completed(byClient: Bool)
    /// The client closed before everything was sent.
    case clientClosed
    case clientReset
    /// The client neither read nor sent the expected bytes during the idle timeout.
    case stalled(Stall)
    case stopped
    case failed(Message)
  }

  /// What a stalled client failed to do.
  package enum Stall: Sendable, Equatable {
    case didNotRead
    /// It sent fewer bytes in total.
    case didNotSend(expected: Int)
  }

  /// The `name` of the connection.
  package var connection = ""
  package var peer = "?"
  /// Bytes passed to the system, and the total.
  package var sent = 0
  package var size = 0
  /// Bytes received from the client, after TLS decryption.
  package var received = 0
  package var end = End.stopped
  /// Whether a plain connection began with a TLS handshake.
  package var speaksTLS = false
  /// The number of requests that were answered, or got no answer on purpose; nil unless pushes are answered.
  package var pushes: Int?
}
