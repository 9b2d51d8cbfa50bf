/// The feedback reader of an iPhone developer's cookbook, in Objective-C over Secure Transport (docs/spec/readers.md#models,
/// `cookbook`).
///
/// It reads 38 bytes into one buffer until a read returns nothing, and never asks how many came. Its faults: a
/// short read counts as a record and leaves bytes of the reads before it in place, and what follows is
/// read from the middle of a tuple; 32 bytes are the token whatever the length field says; the time is put
/// together in a signed 32-bit integer. The buffer begins as zeros here; there it is whatever was on the stack.
public enum CookbookReader {
  @inlinable
  public static func read<Receiver: EmissionReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    var buffer = InlineArray<38, UInt8>(repeating: 0)
    // A whole read need not be copied before a short one asks what it left behind.
    var whole: Range<Int>?
    var rest = ReaderFault.Rest.zeros
    while true {
      let came = reads.read(Tuple.usual)
      if came.isEmpty { return .completed }
      if came.count == Tuple.usual {
        whole = came
        FixedRecord.report(bytes, at: came.lowerBound, from: came.lowerBound, to: &receiver)
      } else {
        if let whole { FixedRecord.copy(bytes, whole, to: &buffer) }
        whole = nil
        FixedRecord.copy(bytes, came, to: &buffer)
        FixedRecord.report(
          buffer.span.bytes, at: 0, from: came.lowerBound,
          short: .shortRead(count: came.count, rest: rest), to: &receiver)
      }
      rest = .stale
    }
  }
}
