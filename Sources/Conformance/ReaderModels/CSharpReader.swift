/// The feedback service of a Chinese article, in C# (docs/spec/readers.md#models, `csharp`).
///
/// It reads up to 4096 bytes into a growing list, and after each read parses tuples as long as 38 bytes are
/// buffered. Its errors: it waits for 38 bytes even if the token is shorter, so it never sees a short last tuple
/// and silently drops an incomplete tail; if a length exceeds the buffered bytes, it retries without reading,
/// in an endless loop; the length is a signed 16-bit integer, and a negative one throws; the time is signed. Its
/// use of local time by default is not judged.
public enum CSharpReader {
  @inlinable
  public static func read<Receiver: RecordReceiver>(
    _ bytes: RawSpan, cut chunking: Chunking, into receiver: inout Receiver
  ) -> ReaderEnding {
    var reads = ChunkedReads(of: bytes.byteCount, cut: chunking)
    // Offset, in bytes from 0, up to which the list has been parsed.
    var parsed = 0
    while true {
      let chunk = reads.read(4096)
      if chunk.isEmpty { break }
      while chunk.upperBound &- parsed >= Tuple.usual {
        let length = Int(Int16(bitPattern: Tuple.tokenLength(in: bytes, at: parsed)))
        if length < 0 { return .throws(offset: parsed, length: length) }
        let token = parsed &+ Tuple.header
        let end = token &+ length
        if end > chunk.upperBound {
          return .hangs(offset: parsed, length: length, buffered: chunk.upperBound &- parsed)
        }
        let time = Int32(bitPattern: Tuple.time(in: bytes, at: parsed))
        receiver.receive(
          Emission(time: Int64(time), offset: parsed, error: time < 0 ? .signedTime : .none),
          token: bytes.extracting(token..<end))
        parsed = end
      }
    }
    let left = bytes.byteCount &- parsed
    return left > 0 ? .droppedTail(offset: parsed, count: left) : .completed
  }
}
