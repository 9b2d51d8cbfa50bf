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
    /// Bytes that were handed over, and bytes that are missing between or after them.
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

/// Bytes of a direction that are missing.
package struct StreamGap: Equatable, Sendable {
  /// Offset in its direction of the stream of the first byte that is missing, and how many are.
  package var offset: Int
  package var length: Int
  /// Where it shows in the file: at what comes after the gap, or at the mark that says it.
  package var fileOffset: Int?
  package var packet: PacketReference?

  package init(offset: Int, length: Int, fileOffset: Int?, packet: PacketReference? = nil) {
    self.offset = offset
    self.length = length
    self.fileOffset = fileOffset
    self.packet = packet
  }
}

/// Something that a source found wrong: what, where, and in words.
package struct StreamAnomaly: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Bytes of a capture file are no record that can be read.
    case damagedCapture
    /// A byte came twice with different content; the first copy to be read counts.
    case conflictingOverlap
    /// A direction whose beginning was not captured.
    case midstreamStart
    /// The capture holds less of a packet than was on the wire.
    case truncatedPacket
    /// Bytes came after their place had been given up.
    case lateSegment
    /// A buffer was full: a gap was declared early, or bytes were dropped.
    case bufferLimit
    case connectionEvicted
    /// A datagram of which not all fragments came.
    case fragmentMissing
    /// Fragments that contradict each other: the datagram was refused.
    case fragmentOverlap
    /// A packet whose headers cannot be right.
    case malformedPacket
    case unsupportedLinkType
    /// A copy of bytes that are no longer known: whether it is the same cannot be told.
    case unverifiedRetransmission
  }

  package var kind: Kind
  /// Number of the stream that it concerns; nil where it concerns none.
  package var stream: Int?
  /// Who sent it; nil where it concerns no direction of a stream, and then `offset` is nil, too.
  package var side: Side?
  /// Offset in the direction (from 0, gaps counted in). `length` counts bytes from there, or without an
  /// offset bytes of the file from `fileOffset`.
  package var offset: Int?
  package var length: Int?
  package var fileOffset: Int?
  package var packet: PacketReference?
  /// What was expected and found, as a sentence without its end.
  package var message: String

  package init(
    _ kind: Kind, stream: Int? = nil, side: Side? = nil, offset: Int? = nil, length: Int? = nil,
    fileOffset: Int? = nil, packet: PacketReference? = nil, message: String
  ) {
    self.kind = kind
    self.stream = stream
    self.side = side
    self.offset = offset
    self.length = length
    self.fileOffset = fileOffset
    self.packet = packet
    self.message = message
  }
}
