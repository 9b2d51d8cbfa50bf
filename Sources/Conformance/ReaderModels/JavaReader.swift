/// The feedback reader of a Korean article, in Java over a `BufferedInputStream` (docs/spec/readers.md#models, `java`).
///
/// Each read is for 38 bytes into a new array of zeros, until one returns nothing. Its errors: a short read counts
/// as a tuple whose tail is zeros, and the next read starts in the middle of a tuple; the token is always 32 bytes,
/// regardless of the length field; the time is a signed 32-bit integer.
public enum JavaReader {
  @inlinable
  public static func read<Receiver: RecordReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    while true {
      let chunk = reads.read(Tuple.usual)
      if chunk.isEmpty { return .completed }
      if chunk.count == Tuple.usual {
        FixedRecord.report(bytes, at: chunk.lowerBound, from: chunk.lowerBound, to: &receiver)
      } else {
        var tuple = InlineArray<38, UInt8>(repeating: 0)
        FixedRecord.copy(bytes, chunk, to: &tuple)
        FixedRecord.report(
          tuple.span.bytes, at: 0, from: chunk.lowerBound,
          short: .shortRead(count: chunk.count, rest: .zeros), to: &receiver)
      }
    }
  }
}
