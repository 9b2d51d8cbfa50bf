/// The feedback reader of an iPhone developer's cookbook, in Objective-C over Secure Transport (docs/spec/readers.md#models,
/// `cookbook`).
///
/// It reads 38 bytes into one buffer until a read returns nothing, and ignores how many arrived. Its errors: a
/// short read counts as a record, whose remaining bytes are those of earlier reads, and the next read starts in the
/// middle of a tuple; the token is always 32 bytes, regardless of the length field; the time is a signed 32-bit
/// integer. The buffer begins as zeros here; the original has arbitrary bytes of the stack.
public enum CookbookReader {
  @inlinable
  public static func read<Receiver: RecordReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    var buffer = InlineArray<38, UInt8>(repeating: 0)
    // The last full read; copied only if a short read follows, which keeps part of it.
    var whole: Range<Int>?
    var rest = ReaderError.Rest.zeros
    while true {
      let chunk = reads.read(Tuple.usual)
      if chunk.isEmpty { return .completed }
      if chunk.count == Tuple.usual {
        whole = chunk
        FixedRecord.report(bytes, at: chunk.lowerBound, from: chunk.lowerBound, to: &receiver)
      } else {
        if let whole { FixedRecord.copy(bytes, whole, to: &buffer) }
        whole = nil
        FixedRecord.copy(bytes, chunk, to: &buffer)
        FixedRecord.report(
          buffer.span.bytes, at: 0, from: chunk.lowerBound,
          short: .shortRead(count: chunk.count, rest: rest), to: &receiver)
      }
      rest = .stale
    }
  }
}
