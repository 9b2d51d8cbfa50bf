/// Which of the two ends of a stream: the one that sent its first packet, or the other.
package enum Side: UInt8, BitwiseCopyable, CaseIterable, Sendable {
  case first, second

  package var other: Side { self == .first ? .second : .first }
}

/// One direction of a stream: what one side sent.
package struct StreamDirection: Hashable, Sendable {
  /// Number of the TCP connection in its input, from 0; 0 for a dump.
  package var stream: Int
  package var side: Side

  package init(stream: Int, side: Side) {
    self.stream = stream
    self.side = side
  }

  /// The one direction of a dump.
  package static let dump = StreamDirection(stream: 0, side: .first)
}

/// A stream, as far as its source can tell when its first byte is known.
package struct StreamIdentity: Equatable, Sendable {
  /// How the source knows which side is the server.
  package enum Evidence: Sendable {
    /// There is one side only, and nothing says whose: it is held to be the server until its bytes tell.
    case dump
    /// Two dumps were given as a client's and a server's.
    case pair
    /// One side opened the connection.
    case handshake
    /// One side has a port that the caller named as a server's.
    case port
    /// Neither: the side with the lower port, else the one that did not send first.
    case guess
  }

  package var number: Int
  /// Address and port of either side, the first one first; nil where the source has no peers.
  package var peers: (first: Endpoint, second: Endpoint)?
  package var server: Side
  package var serverEvidence: Evidence

  package init(
    number: Int, peers: (first: Endpoint, second: Endpoint)? = nil, server: Side,
    serverEvidence: Evidence
  ) {
    self.number = number
    self.peers = peers
    self.server = server
    self.serverEvidence = serverEvidence
  }

  /// What a dump holds: the bytes of one side.
  package static let dump = StreamIdentity(number: 0, server: .first, serverEvidence: .dump)
  /// What a pair of dumps holds: the client's bytes, then the server's.
  package static let pair = StreamIdentity(number: 0, server: .second, serverEvidence: .pair)

  package func endpoint(_ side: Side) -> Endpoint? {
    side == .first ? peers?.first : peers?.second
  }

  package static func == (left: StreamIdentity, right: StreamIdentity) -> Bool {
    left.number == right.number && left.server == right.server
      && left.serverEvidence == right.serverEvidence
      && left.peers?.first == right.peers?.first && left.peers?.second == right.peers?.second
  }
}
