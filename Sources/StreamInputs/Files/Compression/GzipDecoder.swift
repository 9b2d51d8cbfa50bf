import CZlib

/// zlib reading gzip members (RFC 1952), checksums verified.
final class GzipDecoder: FrameDecoder {
  /// zlib keeps a pointer to it, so it stays in one place.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// 15 is the largest window, 32 KiB; 16 more asks for the gzip wrapper.
  private static let windowBits: Int32 = 15 + 16

  init?() {
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
  }

  deinit {
    _ = inflateEnd(stream)
    stream.deallocate()
  }

  func beginFrame() { _ = inflateReset(stream) }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    let room = UInt32(clamping: output.count)
    let available = UInt32(clamping: input.count)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = available
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    let result = inflate(stream, Z_NO_FLUSH)
    return DecodingStep(
      consumed: Int(available - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out),
      outcome: outcome(result))
  }

  private func outcome(_ result: Int32) -> DecodingStep.Outcome {
    switch result {
    case Z_OK, Z_BUF_ERROR: .ongoing  // the latter: nothing to do without more input
    case Z_STREAM_END: .frameEnd
    case Z_MEM_ERROR: .refused("zlib got no memory: free some, and try again")
    default: .damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(result)")
    }
  }
}
