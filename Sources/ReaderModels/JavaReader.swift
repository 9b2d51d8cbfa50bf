/// The feedback reader of a Korean article, in Java over a `BufferedInputStream` (docs/spec/readers.md#models, `java`).
///
/// Each read is for 38 bytes into a new array of zeros, until one returns nothing. Its faults: a short read is
/// taken for a tuple whose tail is zeros, and what follows is read from the middle of a tuple; 32 bytes are the
/// token whatever the length field says; the time is a signed 32-bit integer.
public enum JavaReader {
  @inlinable
  public static func read<Receiver: EmissionReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    while true {
      let came = reads.read(Tuple.usual)
      if came.isEmpty { return .completed }
      if came.count == Tuple.usual {
        FixedRecord.report(bytes, at: came.lowerBound, from: came.lowerBound, to: &receiver)
      } else {
        var tuple = InlineArray<38, UInt8>(repeating: 0)
        FixedRecord.copy(bytes, came, to: &tuple)
        FixedRecord.report(
          tuple.span.bytes, at: 0, from: came.lowerBound,
          short: .shortRead(count: came.count, rest: .zeros), to: &receiver)
      }
    }
  }
}
