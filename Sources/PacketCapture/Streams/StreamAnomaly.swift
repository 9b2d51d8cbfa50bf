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
    case lateBytes
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
    case uncomparedDuplicate
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
