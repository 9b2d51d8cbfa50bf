/// A stream once all of it has been told.
package struct StreamReport: Equatable, Sendable {
  /// How a side ended its direction.
  package enum End: Sendable {
    /// It sends no more: FIN.
    case finished
    /// It broke the connection off: RST.
    case reset
  }

  /// One direction of it.
  package struct Half: Equatable, Sendable {
    /// Bytes that were handed over, and bytes that are missing between or behind them.
    package var bytes = 0
    package var gapBytes = 0
    /// Bytes that came more than once, and those of them that differ from the first copy.
    package var duplicateBytes = 0
    package var conflictingBytes = 0
    package var isSYNSeen = false
    /// Nil where the source does not say.
    package var end: End?
    /// The packet that the side sent first; nil where it sent none.
    package var firstPacket: PacketReference?

    package init() {}
  }

  package var identity: StreamIdentity
  package var first = Half()
  package var second = Half()
  /// The stream's first and last packet, in either direction; nil in a dump.
  package var firstPacket: PacketReference?
  package var lastPacket: PacketReference?

  package init(_ identity: StreamIdentity) {
    self.identity = identity
  }

  package subscript(side: Side) -> Half {
    get { side == .first ? first : second }
    set { if side == .first { first = newValue } else { second = newValue } }
  }
}
