import PacketCapture

/// Stands between a compressed file and its reader: compressed bytes in, in blocks, content out.
struct Decompressor: ~Copyable {
  /// Compressed bytes read at once: little beside the content that they make, which should stay in the
  /// processor's cache.
  static let inputLength = Compression.headLength

  private enum State {
    case boundary, frame, ended
  }

  let compression: Compression
  /// Why decompression came to its end, where that is not the file's.
  private(set) var fault: InputFault?

  private let decoder: (any FrameDecoder)?
  private var state = State.frame
  private var input: [UInt8]
  /// What of `input` is yet to be decompressed.
  private var rest: Range<Int>
  /// Offset in the file, from 0, of the first byte of `input`.
  private var inputOffset = 0
  /// Bytes of content so far.
  private var produced = 0
  /// Whether the library has made something of the file: then it does not only look compressed.
  private var isProven = false

  /// - Parameter head: the file's first bytes, at most `inputLength`.
  init(_ compression: Compression, head: [UInt8]) {
    self.compression = compression
    decoder = compression.makeDecoder()
    input = head + [UInt8](repeating: 0, count: max(0, Self.inputLength - head.count))
    rest = 0..<head.count
  }

  /// Puts content into `output` until that is full, the file ends or `fault` says why there is no more;
  /// returns how many bytes.
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

  /// The file's bytes from its beginning on, if nothing could be made of them and all are still here: then
  /// they only looked like compression.
  func bytesThatOnlyLook() -> [UInt8]? {
    fault != nil && !isProven && inputOffset == 0 ? Array(input[..<rest.upperBound]) : nil
  }

  /// One call of the library; returns the bytes that it put into `output`.
  private mutating func step(_ output: UnsafeMutableRawBufferPointer, _ file: inout StoredFile) -> Int {
    guard let decoder else {
      end("there is no memory to decompress it: free some, and try again")
      return 0
    }
    let step = input.withUnsafeBytes {
      decoder.step(UnsafeRawBufferPointer(rebasing: $0[rest]), into: output)
    }
    let start = place
    rest = (rest.lowerBound + step.consumed)..<rest.upperBound
    produced &+= step.produced
    if step.produced > 0 { isProven = true }
    switch step.outcome {
    case .frameEnd:
      isProven = true
      state = .boundary
    case .damaged(let reason):
      end(
        "is damaged near offset \(place) of the compressed file (\(reason)): "
          + "what could be decompressed is used; look for another copy")
    case .refused(let reason):
      isProven = true
      end("is not read from offset \(start) of the compressed file on: \(reason)")
    case .ongoing:
      if step.consumed == 0, step.produced == 0, !refill(&file) {
        end(
          "is cut at offset \(place) of the compressed file, its end: what could be decompressed is used; "
            + "get the whole file")
      }
    }
    return step.produced
  }

  /// Decides what stands behind a frame.
  private mutating func passBoundary(_ file: inout StoredFile) {
    // Four bytes tell a frame; refilling stops at the file's end.
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
      end(
        "has something else behind it, from offset \(place) of the compressed file on: that is not read; "
          + "save it as a file of its own")
    }
  }

  /// Offset in the file, from 0, of the first byte that is yet to be decompressed.
  private var place: Int { inputOffset &+ rest.lowerBound }

  /// Moves what is left to the front and reads more behind it; false at the file's end.
  private mutating func refill(_ file: inout StoredFile) -> Bool {
    // The first block is kept until it is full: a file that only looks compressed is read from it.
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

  private mutating func end(_ message: String) {
    state = .ended
    fault = InputFault("the \(compression.rawValue)-compressed data \(message)", fileOffset: produced)
  }
}
