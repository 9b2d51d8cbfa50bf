/// What a mock server tells of its work, in the order in which it happens, on the thread of the server.
package enum ServerEvent: Sendable, Equatable {
  /// A client gets a connection's bytes.
  /// - Parameters:
  ///   - client: its number, from 0: clients are counted when they get something, after the TLS handshake.
  ///   - peer: its `address:port`.
  case opened(client: Int, peer: String, connection: String)
  /// The connection to a client has ended.
  case ended(client: Int, ServedReport)
  /// A client got nothing, as there was no TLS with it.
  case handshakeFailed(peer: String, reason: String)
  /// A client was turned away: there were as many as the server takes at a time, or in all.
  case turnedAway(peer: String)
  /// The server listens no more and no client is left; nothing comes behind it.
  case finished
}

/// How the connection to one client went.
package struct ServedReport: Sendable, Equatable {
  package enum End: Sendable, Equatable {
    /// All was sent; says whether the client closed before the server did.
    case completed(byClient: Bool)
    /// The client closed before all was sent.
    case clientClosed
    /// The client broke the connection off.
    case clientReset
    /// For the whole idle timeout the client neither read nor sent what was waited for.
    case stalled(Stall)
    /// The server was stopped.
    case stopped
    case failed(String)
  }

  /// What a client that stalled did not do.
  package enum Stall: Sendable, Equatable {
    case didNotRead
    /// It sent fewer bytes than these in all.
    case didNotSend(expected: Int)
  }

  /// The `name` of what was served.
  package var connection: String
  package var peer: String
  /// Bytes that were handed to the system, of how many.
  package var sent: Int
  package var size: Int
  /// Bytes that came from the client, without those of TLS.
  package var received: Int
  package var end: End
  /// Without TLS the first bytes of the client are those of a TLS handshake.
  package var speaksTLS: Bool
}

/// Why a mock server could not be started.
package enum MockServerError: Error, Equatable {
  case notAnAddress(String)
  case portInUse(address: String, port: Int)
  case notPermitted(address: String, port: Int)
  /// The address is none of this machine's.
  case addressUnavailable(String)
  case failed(String)

  package var message: String {
    switch self {
    case .portInUse(let address, let port):
      "port \(port) of \(address) is in use: end the server that listens there, or give another --port "
        + "(0 takes a free one)"
    case .notPermitted(let address, let port):
      "port \(port) of \(address) may not be used: ports below 1024 are for the administrator; give a --port above "
        + "(0 takes a free one)"
    case .addressUnavailable(let address):
      "\(address) is no address of this machine: give --listen one that is"
    case .notAnAddress(let address): "\(address) is no address: give --listen one such as 127.0.0.1"
    case .failed(let reason): "the server could not be started: \(reason)"
    }
  }
}
