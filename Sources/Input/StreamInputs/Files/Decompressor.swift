import Basics
import PacketCapture

struct Decompressor: ~Copyable {
  /// Compressed bytes read at once: few compared with the resulting content, which should stay in the processor's
  /// cache.
  static let inputLength = Compression.headLength

  private enum FramePosition { case boundary, frame, ended }

  let compression: Compression
  /// Why decompression ended before the end of the file.
  private(set) var error: InputError?

  private let decoder: any FrameDecoder
  private var state = FramePosition.frame
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

  /// Fills `output` until it is full, the file ends or there is an `error`; returns the number of bytes.
  mutating func fill(_ output: UnsafeMutableRawBufferPointer, from file: inout StoredFile) -> Int {
    var filled = 0
    while filled < output.count, state != .ended {
      if state == .boundary {
        passBoundary(&file)
      } else {
        filled += step(UnsafeMutableRawBufferPointer(rebasing: output[filled...]), &file)
      }
    }
    return filled
  }

  /// The file's bytes from its beginning, if nothing could be decompressed and all are still available: then the file
  /// only looked compressed.
  func lookalikeBytes() -> [UInt8]? {
    error != nil && !isProven && inputOffset == 0 ? Array(input[..<rest.upperBound]) : nil
  }

  /// One call of the library; returns the bytes that it put into `output`.
  private mutating func step(_ output: UnsafeMutableRawBufferPointer, _ file: inout StoredFile) -> Int {
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
      end(
        "is damaged near offset \(offset) of the compressed file (\(reason)): the content before it is used; "
          + "look for another copy")
    case .refused(let reason):
      isProven = true
      end("cannot be decompressed from offset \(start) of the compressed file on: \(reason)")
    case .ongoing:
      if step.consumed == 0, step.produced == 0, !refill(&file) {
        end(
          "is truncated at offset \(offset) of the compressed file, its end: the content before it is used; "
            + "get the whole file")
      }
    }
    return step.produced
  }

  /// Handles the bytes after a frame.
  private mutating func passBoundary(_ file: inout StoredFile) {
    // Four bytes identify a frame; refilling stops at the end of the file.
    while rest.count < 4, refill(&file) {}
    guard !rest.isEmpty else { return state = .ended }
    switch compression.boundary(input[rest]) {
    case .frame:
      decoder.beginFrame()
      state = .frame
    case .padding: rest = (input[rest].firstIndex { $0 != 0 } ?? rest.upperBound)..<rest.upperBound
    case .garbage:
      end(
        "is followed by other data from offset \(offset) of the compressed file on, which is not read; save "
          + "that as a separate file")
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
    error = InputError("the \(compression.rawValue)-compressed data \(message)", fileOffset: produced)
  }
}

struct DecodingStep {
  enum FrameStatus {
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
  var outcome = FrameStatus.ongoing
}

/// One of the libraries: it decompresses one frame (in gzip, a member) after another.
///
/// One call handles about 64 KiB, so dynamic dispatch costs nothing.
protocol FrameDecoder: AnyObject {
  /// Decompresses as much of `input` as fits into `output`, which has room. `input` may be empty: then the library's
  /// buffered output is returned. A call that neither consumes nor produces needs more input.
  func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> DecodingStep
  func beginFrame()
}
