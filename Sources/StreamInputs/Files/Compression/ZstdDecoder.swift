import CZstd
import WireBytes

/// libzstd reading frames and skippable frames (RFC 8878), checksums verified.
final class ZstdDecoder: FrameDecoder {
  /// What a frame may ask for: the library's own default, 128 MiB, said here so that it does not change.
  private static let windowLog: Int32 = 27

  private let context: OpaquePointer
  /// Bytes up to the end of the present block, as the library said. It is given no more: a block that is
  /// damaged then takes no sound one before it along, as the library hands nothing over from a call that fails.
  private var wanted = 0

  init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
    _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
    beginFrame()
  }

  deinit { _ = ZSTD_freeDCtx(context) }

  func beginFrame() {
    _ = ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    wanted = 5  // the shortest frame header with its magic number; the library asks for the rest
  }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: min(input.count, wanted), pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = ZSTD_decompressStream(context, &target, &source)
    var step = DecodingStep(consumed: source.pos, produced: target.pos)
    if ZSTD_isError(result) != 0 {
      step.outcome = Self.failure(result)
    } else if result == 0 {
      step.outcome = .frameEnd
    } else {
      wanted = result
    }
    return step
  }

  private static func failure(_ result: Int) -> DecodingStep.Outcome {
    let reason = String(cString: ZSTD_getErrorName(result))
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_frameParameter_windowTooLarge:
      return .refused(
        "it takes a window of more than \(ByteSize.text(1 << Int(windowLog))) of memory: decompress it first: "
          + "zstd -dc --long=31 FILE | apnsift inspect -")
    case ZSTD_error_memory_allocation:
      return .refused("libzstd got no memory: free some, and try again")
    default:
      return .damaged(reason)
    }
  }
}
