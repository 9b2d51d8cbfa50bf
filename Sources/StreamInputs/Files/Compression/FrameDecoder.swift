/// What one call of a decompressing library did.
struct DecodingStep {
  enum Outcome {
    /// More input or more room for output is wanted.
    case ongoing
    /// The frame is complete, its checksum included.
    case frameEnd
    /// The library's word for what is wrong with the input.
    case damaged(String)
    /// The input may be sound, but is beyond a limit: which, and what to do.
    case refused(String)
  }

  var consumed = 0
  var produced = 0
  var outcome = Outcome.ongoing
}

/// One of the libraries: it decompresses one frame (in gzip, a member) after another.
///
/// It is asked once for a block of some 64 KiB, so that it costs nothing to be told apart at run time.
protocol FrameDecoder: AnyObject {
  /// Decompresses as much of `input` as fits into `output`, which has room. `input` may be empty: then what
  /// the library holds back comes out. A call that neither consumes nor produces wants more input.
  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep
  /// What follows is the beginning of a frame.
  func beginFrame()
}

extension Compression {
  /// The library for it; nil where that gets no memory.
  func makeDecoder() -> (any FrameDecoder)? {
    switch self {
    case .gzip: GzipDecoder()
    case .zstd: ZstdDecoder()
    case .lz4: LZ4Decoder()
    }
  }
}
