import Basics
import CBzip2
import CLz4
import CLzma
import CZlib
import CZstd

/// zlib reading gzip members (RFC 1952), checksums verified.
final class GzipDecoder: FrameDecoder {
  private let zlib: Zlib
  /// zlib stores a pointer to it, so its address is fixed.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// 15 is the largest window, 32 KiB; 16 more asks for the gzip wrapper.
  private static let windowBits: Int32 = 15 + 16

  init?(_ zlib: Zlib) {
    self.zlib = zlib
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard zlib.inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
  }

  deinit {
    _ = zlib.inflateEnd(stream)
    stream.deallocate()
  }

  func beginFrame() { _ = zlib.inflateReset(stream) }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    let room = UInt32(clamping: output.count)
    let available = UInt32(clamping: input.count)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = available
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    let result = zlib.inflate(stream, Z_NO_FLUSH)
    return DecodingStep(
      consumed: Int(available - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out),
      outcome: outcome(result))
  }

  private func outcome(_ result: Int32) -> DecodingStep.FrameStatus {
    switch result {
    case Z_OK, Z_BUF_ERROR: .ongoing  // the latter: nothing to do without more input
    case Z_STREAM_END: .frameEnd
    case Z_MEM_ERROR: .refused(.libraryOutOfMemory("zlib"))
    default:
      .damaged(
        stream.pointee.msg.map { Message.verbatim(String(cString: $0)) } ?? "error \(Int(result)) of zlib")
    }
  }
}

/// liblz4 reading frames and skippable frames (LZ4 frame format 1.6), checksums verified.
final class LZ4Decoder: FrameDecoder {
  /// The magic number and the shortest frame descriptor; the library asks for the rest.
  private static let shortestHeader = 7

  private let liblz4: Liblz4
  private let context: OpaquePointer
  /// Bytes up to the end of the current block, according to the library; it gets no more, as with zstd.
  private var wanted = LZ4Decoder.shortestHeader

  init?(_ liblz4: Liblz4) {
    self.liblz4 = liblz4
    var context: OpaquePointer?
    guard liblz4.LZ4F_isError(liblz4.LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0,
      let context
    else { return nil }
    self.context = context
  }

  deinit { _ = liblz4.LZ4F_freeDecompressionContext(context) }

  func beginFrame() {
    liblz4.LZ4F_resetDecompressionContext(context)
    wanted = Self.shortestHeader
  }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var consumed = min(input.count, wanted)
    var produced = output.count
    let result = liblz4.LZ4F_decompress(
      context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
    guard liblz4.LZ4F_isError(result) == 0 else {
      // The library leaves the sizes as they were: nothing of this call counts.
      let reason = liblz4.LZ4F_getErrorName(result).map { Message.verbatim(String(cString: $0)) }
      return DecodingStep(outcome: .damaged(reason ?? "error \(result) of liblz4"))
    }
    wanted = result
    return DecodingStep(consumed: consumed, produced: produced, outcome: result == 0 ? .frameEnd : .ongoing)
  }
}

/// libzstd reading frames and skippable frames (RFC 8878), checksums verified.
final class ZstdDecoder: FrameDecoder {
  /// Maximum window of a frame: the library's default, 128 MiB, made explicit.
  private static let windowLog: Int32 = 27

  private let libzstd: Libzstd
  private let context: OpaquePointer
  /// Bytes up to the end of the current block, according to the library. It gets no more: a failing call returns no
  /// output, so a damaged block would discard sound ones before it.
  private var wanted = 0

  init?(_ libzstd: Libzstd) {
    self.libzstd = libzstd
    guard let context = libzstd.ZSTD_createDCtx() else { return nil }
    self.context = context
    _ = libzstd.ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
    beginFrame()
  }

  deinit { _ = libzstd.ZSTD_freeDCtx(context) }

  func beginFrame() {
    _ = libzstd.ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    wanted = 5  // the shortest frame header with its magic number; the library asks for the rest
  }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: min(input.count, wanted), pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = libzstd.ZSTD_decompressStream(context, &target, &source)
    var step = DecodingStep(consumed: source.pos, produced: target.pos)
    if libzstd.ZSTD_isError(result) != 0 {
      step.outcome = status(of: result)
    } else if result == 0 {
      step.outcome = .frameEnd
    } else {
      wanted = result
    }
    return step
  }

  private func status(of result: Int) -> DecodingStep.FrameStatus {
    switch libzstd.ZSTD_getErrorCode(result) {
    case ZSTD_error_frameParameter_windowTooLarge:
      .refused(
        "it needs a window of more than \(ByteSize.text(1 << Int(Self.windowLog))) of memory; "
          + "decompress it first: zstd -dc --long=31 FILE | apnsift inspect -")
    case ZSTD_error_memory_allocation: .refused(.libraryOutOfMemory("libzstd"))
    default:
      .damaged(
        libzstd.ZSTD_getErrorName(result).map { .verbatim(String(cString: $0)) }
          ?? "error \(result) of libzstd")
    }
  }
}

/// liblzma reading xz streams (xz file format 1.2), checks verified.
final class XzDecoder: FrameDecoder {
  /// More memory than the strongest preset needs, 65 MiB.
  private static let memoryLimit: UInt64 = 128 << 20

  private let liblzma: Liblzma
  /// liblzma stores a pointer to it, so its address is fixed.
  private let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)

  init?(_ liblzma: Liblzma) {
    self.liblzma = liblzma
    stream.initialize(to: lzma_stream())
    guard open() else { return nil }
  }

  deinit {
    liblzma.lzma_end(stream)
    stream.deallocate()
  }

  private func open() -> Bool { liblzma.lzma_stream_decoder(stream, Self.memoryLimit, 0) == LZMA_OK }

  func beginFrame() { _ = open() }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = input.count
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = output.count
    let result = liblzma.lzma_code(stream, LZMA_RUN)
    return DecodingStep(
      consumed: input.count - stream.pointee.avail_in, produced: output.count - stream.pointee.avail_out,
      outcome: outcome(result))
  }

  private func outcome(_ result: lzma_ret) -> DecodingStep.FrameStatus {
    switch result {
    case LZMA_OK, LZMA_BUF_ERROR: .ongoing  // the latter: nothing to do without more input
    case LZMA_STREAM_END: .frameEnd
    case LZMA_MEM_ERROR: .refused(.libraryOutOfMemory("liblzma"))
    case LZMA_MEMLIMIT_ERROR:
      .refused(
        "it needs more than \(ByteSize.text(Int(Self.memoryLimit))) of memory; decompress it first: xz "
          + "-dc FILE | apnsift inspect -")
    default: .damaged("error \(Int(result.rawValue)) of liblzma")
    }
  }
}

/// libbz2 reading bzip2 streams, checksums verified.
final class Bzip2Decoder: FrameDecoder {
  private let libbz2: Libbz2
  /// libbz2 stores a pointer to it, so its address is fixed.
  private let stream = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)

  init?(_ libbz2: Libbz2) {
    self.libbz2 = libbz2
    stream.initialize(to: bz_stream())
    guard libbz2.BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else { return nil }
  }

  deinit {
    _ = libbz2.BZ2_bzDecompressEnd(stream)
    stream.deallocate()
  }

  func beginFrame() {
    _ = libbz2.BZ2_bzDecompressEnd(stream)
    stream.pointee = bz_stream()
    _ = libbz2.BZ2_bzDecompressInit(stream, 0, 0)
  }

  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep {
    let room = UInt32(clamping: output.count)
    let available = UInt32(clamping: input.count)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: CChar.self))
    stream.pointee.avail_in = available
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_out = room
    let result = libbz2.BZ2_bzDecompress(stream)
    return DecodingStep(
      consumed: Int(available - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out),
      outcome: outcome(result))
  }

  private func outcome(_ result: Int32) -> DecodingStep.FrameStatus {
    switch result {
    case BZ_OK: .ongoing
    case BZ_STREAM_END: .frameEnd
    case BZ_MEM_ERROR: .refused(.libraryOutOfMemory("libbz2"))
    default: .damaged("error \(Int(result)) of libbz2")
    }
  }
}
