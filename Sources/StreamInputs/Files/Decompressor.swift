import CLz4
import CZlib
import CZstd
import Messages
import PacketCapture
import WireBytes

/// Decompresses a file in blocks.
struct Decompressor: ~Copyable {
  /// Compressed bytes read at once: few compared with the resulting content, which should stay in the processor's
  /// cache.
  static let inputLength = Compression.headLength

  private enum State {
    case boundary, frame, ended
  }

  let compression: Compression
  /// Why decompression ended before the end of the file.
  private(set) var fault: InputFault?

  private let decoder: (any FrameDecoder)?
  private var state = State.frame
  private var input: [UInt8]
  /// The part of `input` yet to be decompressed.
  private var rest: Range<Int>
  /// Offset in the file, from 0, of the first byte of `input`.
  private var inputOffset = 0
  /// Bytes of content so far.
  private var produced = 0
  /// Whether the library has decompressed a part: then the file does not only look compressed.
  private var isProven = false

  /// - Parameter head: the file's first bytes, at most `inputLength`.
  init(_ compression: Compression, head: [UInt8]) {
    self.compression = compression
    decoder = compression.makeDecoder()
    input = head + [UInt8](repeating: 0, count: max(0, Self.inputLength - head.count))
    rest = 0..<head.count
  }

  /// Fills `output` until it is full, the file ends or there is a `fault`; returns the number of bytes.
  mutating func fill(_ output: UnsafeMutableRawBufferPointer, from file: inout StoredFile) -> Int {
    var filled = 0
    while filled < output.count, state != .ended {
      switch state {
      case .boundary: passBoundary(&file)
      case .frame: filled += step(UnsafeMutableRawBufferPointer(rebasing: output[filled...]), &file)
      case .ended: break
      }
    }
    return filled
  }

  /// The file's bytes from its beginning, if nothing could be decompressed and all are still available: then the file
  /// only looked compressed.
  func lookalikeBytes() -> [UInt8]? {
    fault != nil && !isProven && inputOffset == 0 ? Array(input[..<rest.upperBound]) : nil
  }

  /// One call of the library; returns the bytes that it put into `output`.
  private mutating func step(_ output: UnsafeMutableRawBufferPointer, _ file: inout StoredFile) -> Int {
    guard let decoder else {
      end(.compressedWithoutMemory(compression.rawValue))
      return 0
    }
    let step = input.withUnsafeBytes {
      decoder.step(UnsafeRawBufferPointer(rebasing: $0[rest]), into: output)
    }
    let start = offset
    rest = (rest.lowerBound + step.consumed)..<rest.upperBound
    produced &+= step.produced
    if step.produced > 0 { isProven = true }
    switch step.outcome {
    case .frameEnd:
      isProven = true
      state = .boundary
    case .damaged(let reason):
      end(.compressedDamaged(compression.rawValue, near: offset, reason: reason))
    case .refused(let reason):
      isProven = true
      end(.compressedRefused(compression.rawValue, from: start, reason: reason))
    case .ongoing:
      if step.consumed == 0, step.produced == 0, !refill(&file) {
        end(.compressedTruncated(compression.rawValue, at: offset))
      }
    }
    return step.produced
  }

  /// Handles the bytes after a frame.
  private mutating func passBoundary(_ file: inout StoredFile) {
    // Four bytes identify a frame; refilling stops at the end of the file.
    while rest.count < 4, refill(&file) {}
    guard !rest.isEmpty else {
      state = .ended
      return
    }
    switch compression.boundary(input[rest]) {
    case .frame:
      decoder?.beginFrame()
      state = .frame
    case .padding:
      rest = (input[rest].firstIndex { $0 != 0 } ?? rest.upperBound)..<rest.upperBound
    case .garbage:
      end(.compressedWithOtherData(compression.rawValue, from: offset))
    }
  }

  /// Offset in the file, from 0, of the first byte that is yet to be decompressed.
  private var offset: Int { inputOffset &+ rest.lowerBound }

  /// Moves the remaining bytes to the front and reads more after them; false at the end of the file.
  private mutating func refill(_ file: inout StoredFile) -> Bool {
    // The first block is kept until it is full, in case the file only looks compressed.
    if rest.lowerBound > 0, rest.upperBound == input.count {
      inputOffset &+= rest.lowerBound
      let left = rest.count
      input.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[rest])) }
      rest = 0..<left
    }
    let filled = rest.upperBound
    let count = input.withUnsafeMutableBytes {
      file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
    }
    rest = rest.lowerBound..<(filled + count)
    return count > 0
  }

  private mutating func end(_ message: Message) {
    state = .ended
    fault = InputFault(message, fileOffset: produced)
  }
}

/// Result of one call of a decompression library.
struct DecodingStep {
  enum Outcome {
    /// More input or more room for output is needed.
    case ongoing
    /// The frame is complete, its checksum included.
    case frameEnd
    /// The library's error message.
    case damaged(Message)
    /// The input may be sound, but exceeds a limit: which, and the remedy.
    case refused(Message)
  }

  var consumed = 0
  var produced = 0
  var outcome = Outcome.ongoing
}

/// One of the libraries: it decompresses one frame (in gzip, a member) after another.
///
/// One call handles about 64 KiB, so dynamic dispatch costs nothing.
protocol FrameDecoder: AnyObject {
  /// Decompresses as much of `input` as fits into `output`, which has room. `input` may be empty: then the library's
  /// buffered output is returned. A call that neither consumes nor produces needs more input.
  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep
  /// The next bytes begin a frame.
  func beginFrame()
}

extension Compression {
  /// The library for it; nil if that is out of memory.
  func makeDecoder() -> (any FrameDecoder)? {
    switch self {
    case .gzip: GzipDecoder()
    case .zstd: ZstdDecoder()
    case .lz4: LZ4Decoder()
    }
  }
}

/// zlib reading gzip members (RFC 1952), checksums verified.
final class GzipDecoder: FrameDecoder {
  /// zlib stores a pointer to it, so its address is fixed.
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
    case Z_MEM_ERROR: .refused(.libraryOutOfMemory("zlib"))
    default:
      .damaged(stream.pointee.msg.map { Message.verbatim(String(cString: $0)) } ?? .zlibError(Int(result)))
    }
  }
}

/// liblz4 reading frames and skippable frames (LZ4 frame format 1.6), checksums verified.
final class LZ4Decoder: FrameDecoder {
  /// The magic number and the shortest frame descriptor; the library asks for the rest.
  private static let shortestHeader = 7

  private let context: OpaquePointer
  /// Bytes up to the end of the current block, according to the library; it gets no more, as with zstd.
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
      return DecodingStep(outcome: .damaged(.verbatim(String(cString: LZ4F_getErrorName(result)))))
    }
    wanted = result
    return DecodingStep(
      consumed: consumed, produced: produced, outcome: result == 0 ? .frameEnd : .ongoing)
  }
}

/// libzstd reading frames and skippable frames (RFC 8878), checksums verified.
final class ZstdDecoder: FrameDecoder {
  /// Maximum window of a frame: the library's default, 128 MiB, made explicit.
  private static let windowLog: Int32 = 27

  private let context: OpaquePointer
  /// Bytes up to the end of the current block, according to the library. It gets no more: a failing call returns no
  /// output, so a damaged block would discard sound ones before it.
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
    switch ZSTD_getErrorCode(result) {
    case ZSTD_error_frameParameter_windowTooLarge:
      .refused(.zstdWindowTooLarge(limit: 1 << Int(windowLog)))
    case ZSTD_error_memory_allocation:
      .refused(.libraryOutOfMemory("libzstd"))
    default:
      .damaged(.verbatim(String(cString: ZSTD_getErrorName(result))))
    }
  }
}
