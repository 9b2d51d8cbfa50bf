import CLz4

/// liblz4 reading frames and skippable frames (LZ4 frame format 1.6), checksums verified.
final class LZ4Decoder: FrameDecoder {
  /// The magic number and the shortest frame descriptor; the library asks for the rest.
  private static let shortestHeader = 7

  private let context: OpaquePointer
  /// Bytes up to the end of the present block, as the library said; it is given no more, as with zstd.
  private var wanted = LZ4Decoder.shortestHeader

  init?() {
    var context: OpaquePointer?
    guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0, let context
    else { return nil }
    self.context = context
  }

  deinit { _ = LZ4F_freeDecompressionContext(context) }

  func beginFrame() {
    LZ4F_resetDecompressionContext(context)
    wanted = Self.shortestHeader
  }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var consumed = min(input.count, wanted)
    var produced = output.count
    let result = LZ4F_decompress(context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
    guard LZ4F_isError(result) == 0 else {
      // The library leaves the sizes as they were: nothing of this call counts.
      return DecodingStep(outcome: .damaged(String(cString: LZ4F_getErrorName(result))))
    }
    wanted = result
    return DecodingStep(
      consumed: consumed, produced: produced, outcome: result == 0 ? .frameEnd : .ongoing)
  }
}
