import CLz4
import CZlib
import CZstd

package enum GeneratedCompression: String, CaseIterable, Sendable {
  case none, gzip, zstd, lz4

  /// An output that compresses to `output`; nil if the library cannot allocate memory.
  package func compressor(into output: any GeneratorOutput) -> CompressingOutput? {
    switch self {
    case .none: CompressingOutput(output)
    case .gzip: GzipOutput(into: output)
    case .zstd: ZstdOutput(into: output)
    case .lz4: LZ4Output(into: output)
    }
  }
}

/// Writes bytes compressed; this class, as they are. `finish` writes the end of the compressed data.
package class CompressingOutput: GeneratorOutput {
  private let output: any GeneratorOutput

  fileprivate init(_ output: any GeneratorOutput) { self.output = output }

  package func write(_ bytes: RawSpan) throws { try output.write(bytes) }
  package func finish() throws {}

  fileprivate final func store(first count: Int, of bytes: [UInt8]) throws {
    try output.write(bytes.span.bytes.extracting(first: count))
  }
}

/// A compression library failed.
package struct CompressionError: Error, Sendable { package let message: String }

/// zlib writing one gzip member (RFC 1952).
private final class GzipOutput: CompressingOutput {
  /// Allocated, because zlib keeps a pointer to it.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init?(into output: any GeneratorOutput) {
    super.init(output)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    // The largest window, plus 16 for the gzip wrapper; memory level 8 is the default of zlib.
    guard deflateInit2_(stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
    else { return nil }
  }

  deinit {
    _ = deflateEnd(stream)
    stream.deallocate()
  }

  override func write(_ bytes: RawSpan) throws { try bytes.withUnsafeBytes { try run($0, Z_NO_FLUSH) } }
  override func finish() throws { try run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

  /// Compresses all of `input`, at most 4 GiB, and writes the output.
  private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) throws {
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(clamping: input.count)
    var room: UInt32
    repeat {
      let size = UInt32(clamping: buffer.count)
      let result = buffer.withUnsafeMutableBufferPointer { target in
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = size
        return deflate(stream, flush)
      }
      guard result != Z_STREAM_ERROR else { throw CompressionError(message: "zlib: stream error") }
      room = stream.pointee.avail_out
      try store(first: Int(size - room), of: buffer)
    } while room == 0
  }
}

/// libzstd writing one frame with a checksum (RFC 8878).
private final class ZstdOutput: CompressingOutput {
  private let context: OpaquePointer
  private var buffer = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())

  init?(into output: any GeneratorOutput) {
    guard let context = ZSTD_createCCtx() else { return nil }
    self.context = context
    super.init(output)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { _ = ZSTD_freeCCtx(context) }

  override func write(_ bytes: RawSpan) throws { try bytes.withUnsafeBytes { try run($0, ZSTD_e_continue) } }
  override func finish() throws { try run(UnsafeRawBufferPointer(start: nil, count: 0), ZSTD_e_end) }

  private func run(_ input: UnsafeRawBufferPointer, _ directive: ZSTD_EndDirective) throws {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var left: Int
    repeat {
      var produced = 0
      left = buffer.withUnsafeMutableBytes { bytes in
        var target = ZSTD_outBuffer(dst: bytes.baseAddress, size: bytes.count, pos: 0)
        defer { produced = target.pos }
        return ZSTD_compressStream2(context, &target, &source, directive)
      }
      guard ZSTD_isError(left) == 0 else {
        throw CompressionError(message: "zstd: \(String(cString: ZSTD_getErrorName(left)))")
      }
      try store(first: produced, of: buffer)
    } while directive == ZSTD_e_end ? left > 0 : source.pos < source.size
  }
}

/// liblz4 writing one frame (LZ4 frame format 1.6).
private final class LZ4Output: CompressingOutput {
  /// The most bytes passed to the library at a time.
  private static let chunkSize = 1 << 16
  private static let longestHeader = 19

  private let context: OpaquePointer
  private var buffer: [UInt8]
  private var hasBegun = false

  init?(into output: any GeneratorOutput) {
    var context: OpaquePointer?
    guard LZ4F_isError(LZ4F_createCompressionContext(&context, UInt32(LZ4F_VERSION))) == 0, let context else {
      return nil
    }
    self.context = context
    buffer = [UInt8](repeating: 0, count: LZ4F_compressBound(Self.chunkSize, nil) + Self.longestHeader)
    super.init(output)
  }

  deinit { _ = LZ4F_freeCompressionContext(context) }

  override func write(_ bytes: RawSpan) throws {
    try begin()
    for start in stride(from: 0, to: bytes.byteCount, by: Self.chunkSize) {
      let chunk = bytes.extracting(start..<min(start + Self.chunkSize, bytes.byteCount))
      try run { target in
        chunk.withUnsafeBytes {
          LZ4F_compressUpdate(context, target.baseAddress, target.count, $0.baseAddress, $0.count, nil)
        }
      }
    }
  }

  override func finish() throws {
    try begin()
    try run { LZ4F_compressEnd(context, $0.baseAddress, $0.count, nil) }
  }

  private func begin() throws {
    guard !hasBegun else { return }
    hasBegun = true
    try run { LZ4F_compressBegin(context, $0.baseAddress, $0.count, nil) }
  }

  private func run(_ step: (UnsafeMutableRawBufferPointer) -> Int) throws {
    let produced = buffer.withUnsafeMutableBytes { step($0) }
    guard LZ4F_isError(produced) == 0 else {
      throw CompressionError(message: "lz4: \(String(cString: LZ4F_getErrorName(produced)))")
    }
    try store(first: produced, of: buffer)
  }
}
