/// The feedback poller of a blog article, in JavaScript for Node.js (docs/spec/readers.md#models, `node`).
///
/// It collects everything and parses at the end, so chunks do not matter. Its error: it uses the first byte of the
/// length twice, which gives 257 times that byte. So 0x0020 reads as 0: an empty token, and lost alignment from
/// the first tuple on. Bytes beyond the end are undefined, which gives a time of 0 if the time's last byte is
/// missing, a length of 0, and zeros in a token. Its use of seconds as milliseconds, and its upper-case hex, are
/// not judged.
public enum NodeReader {
  @inlinable
  public static func read<Receiver: RecordReceiver>(
    _ bytes: RawSpan, into receiver: inout Receiver
  ) -> ReaderEnding {
    let count = bytes.byteCount
    var offset = 0
    while offset < count {
      let time = count &- offset < 4 ? 0 : Tuple.time(in: bytes, at: offset)
      let token = offset &+ Tuple.header
      let end = token &+ length(in: bytes, at: offset &+ 4)
      if end > count {
        let emission = Emission(time: Int64(time), offset: offset, error: .beyondEnd(missing: end &- count))
        reportTail(emission, of: bytes, token: token..<end, to: &receiver)
      } else {
        let written = Int(Tuple.tokenLength(in: bytes, at: offset))
        let length = end &- token
        let error = written == length ? ReaderError.none : .lengthByteTwice(length: written, read: length)
        receiver.receive(
          Emission(time: Int64(time), offset: offset, error: error), token: bytes.extracting(token..<end))
      }
      offset = end
    }
    return .completed
  }

  /// The length as this reader parses it at `offset`.
  @inlinable @inline(__always)
  static func length(in bytes: RawSpan, at offset: Int) -> Int {
    guard offset < bytes.byteCount else { return 0 }
    return 257 &* Int(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
  }

  /// Reports the record that reaches beyond the end, with zeros for the missing bytes of its token. There is at
  /// most one in a stream.
  @usableFromInline
  static func reportTail<Receiver: RecordReceiver>(
    _ emission: Emission, of bytes: RawSpan, token range: Range<Int>, to receiver: inout Receiver
  ) {
    var token = [UInt8](repeating: 0, count: range.count)
    for offset in range.clamped(to: 0..<bytes.byteCount) {
      token[offset - range.lowerBound] = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
    receiver.receive(emission, token: token.span.bytes)
  }
}
