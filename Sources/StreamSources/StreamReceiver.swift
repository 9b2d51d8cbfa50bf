/// A direction of a stream, as far as a file can tell.
package struct StreamIdentity: Equatable, Sendable {
  /// Number of the TCP connection in its input, from 0; 0 for a dump.
  package var number: Int

  package init(number: Int) {
    self.number = number
  }
}

/// What a source says of a stream, in the order of its bytes: opened, then bytes and gaps, then closed.
///
/// Sources know nothing of what the bytes mean, and a receiver nothing of how they were stored.
package protocol StreamReceiver {
  mutating func opened(_ stream: StreamIdentity) throws

  /// The stream's next bytes. They are the receiver's until it returns.
  /// - Parameter origins: where they stand in the file, in order; the first begins at the first byte.
  mutating func bytes(_ bytes: RawSpan, origins: [ByteOrigin]) throws

  /// `length` bytes from `offset` of the stream are missing; the place in the file where that shows.
  mutating func gap(offset: Int, length: Int, fileOffset: Int) throws

  mutating func closed() throws
}
