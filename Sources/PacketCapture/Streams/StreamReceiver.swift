/// What a source says of its streams: each is opened before its first byte, then bytes and gaps come in the
/// order of their direction, then it is closed. Events of different streams and directions mix.
///
/// Sources know nothing of what the bytes mean, and a receiver nothing of how they were stored.
package protocol StreamReceiver {
  mutating func opened(_ stream: StreamIdentity) throws

  /// A direction's next bytes. They are the receiver's until it returns.
  /// - Parameter origins: where they stand in the file, in order; the first begins at the first byte.
  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) throws

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) throws

  /// Something is wrong with the input, with or without consequences for a stream.
  mutating func anomaly(_ anomaly: StreamAnomaly) throws

  /// All has been said of a stream. A stream without a single byte is closed without having been opened.
  mutating func closed(_ report: StreamReport) throws
}

/// Bytes of a direction that are missing.
package struct StreamGap: Equatable, Sendable {
  /// Offset in its direction of the stream of the first byte that is missing, and how many are.
  package var offset: Int
  package var length: Int
  /// The place in the file where it shows: of what comes behind the gap, or of the mark that says it.
  package var fileOffset: Int?
  package var packet: PacketReference?

  package init(offset: Int, length: Int, fileOffset: Int?, packet: PacketReference? = nil) {
    self.offset = offset
    self.length = length
    self.fileOffset = fileOffset
    self.packet = packet
  }
}
