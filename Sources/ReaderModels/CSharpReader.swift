/// The feedback service of a Chinese article, in C# (docs/spec/readers.md#models, `csharp`).
///
/// It reads up to 4096 bytes into a list that grows, and parses behind each read while 38 bytes are there. Its
/// faults: it waits for 38 bytes even where the token is shorter, so a short last tuple is never seen,
/// and drops a partial tail in silence; where a length is more than what is there it tries again without a
/// read, for ever; the length is a signed 16-bit integer, and a negative one throws; the time is signed. That it
/// gives local time unless told otherwise is not judged.
public enum CSharpReader {
  @inlinable
  public static func read<Receiver: EmissionReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    // Offset in bytes from 0 up to which its list has been parsed and emptied.
    var parsed = 0
    while true {
      let came = reads.read(4096)
      if came.isEmpty { break }
      while came.upperBound &- parsed >= Tuple.usual {
        let length = Int(Int16(bitPattern: Tuple.tokenLength(in: bytes, at: parsed)))
        if length < 0 { return .throws(offset: parsed, length: length) }
        let token = parsed &+ Tuple.header
        let end = token &+ length
        if end > came.upperBound {
          return .hangs(offset: parsed, length: length, buffered: came.upperBound &- parsed)
        }
        let time = Int32(bitPattern: Tuple.time(in: bytes, at: parsed))
        receiver.receive(
          Emission(time: Int64(time), offset: parsed, fault: time < 0 ? .signedTime : .none),
          token: bytes.extracting(token..<end))
        parsed = end
      }
    }
    let left = bytes.byteCount &- parsed
    return left > 0 ? .droppedTail(offset: parsed, count: left) : .completed
  }
}
