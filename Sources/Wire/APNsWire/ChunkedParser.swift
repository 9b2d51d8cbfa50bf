/// The buffer that the indices of a decoder's step refer to.
public enum RunWindow: BitwiseCopyable, Sendable {
  /// The chunk that `next(in:)` was called with.
  case chunk
  /// The decoder's `carry`, until the next call of `next(in:)`.
  case carry
}

/// The position of a parser in a run, which it reads through a moving window of bytes.
struct RunCursor: Sendable {
  /// The buffer that is the current window.
  var window = RunWindow.chunk
  /// Whether the window ends where the run ends.
  var ended = false
  /// Index in the window of the first undecided byte.
  var position = 0
  /// Offset in the stream of the window's first byte.
  var windowOffset: Int

  init(offset: Int) { windowOffset = offset }

  /// Offset in the stream of the first undecided byte.
  var undecidedOffset: Int { windowOffset &+ position }

  /// Drops the first `count` bytes of the window, which must be decided.
  mutating func dropWindow(first count: Int) {
    windowOffset &+= count
    position &-= count
  }

  /// Drops the decided bytes from the window; returns their number.
  mutating func dropDecided() -> Int {
    let decided = position
    dropWindow(first: decided)
    return decided
  }
}

/// Parses one run, byte by byte, through a window of it (docs/spec/decoding-rules.md#plausible-boundaries).
///
/// The steps must not depend on where chunks end: before the end of the run, no decision may use the end of
/// the window, and an index followed by `holdBack` bytes must be decided.
protocol RunParser: Sendable {
  associatedtype Step: Sendable

  var cursor: RunCursor { get set }
  /// The number of bytes from an index on that suffice for every decision about it.
  var holdBack: Int { get }
  /// The number of bytes of the next chunk that usually suffice to decide the carried bytes.
  var firstCopy: Int { get }

  /// The next step; nil if the window is too short to decide it or, at the end of the run, is used up.
  mutating func step(in run: RawSpan) -> Step?
}

/// Runs a parser over a run that arrives in chunks of any size. Chunks are read without a copy. At most `holdBack`
/// undecided bytes of a chunk are carried over and decided together with the first bytes of the next one.
struct ChunkedParser<Parser: RunParser>: Sendable {
  /// Undecided bytes of earlier chunks, followed during a chunk by copies of its first bytes.
  private(set) var carry: [UInt8] = []
  /// The number of bytes at the end of `carry` that are copies of the chunk's first bytes; nil between chunks.
  private var copied: Int?
  var parser: Parser

  init(_ parser: Parser) { self.parser = parser }

  var hasEnded: Bool { parser.cursor.ended }

  /// Marks the end of the run.
  mutating func finish() {
    parser.cursor.ended = true
    parser.cursor.window = .carry
    copied = nil
  }

  /// The next step; nil if the chunk is used up or, after `finish()`, the run is.
  mutating func next(in chunk: RawSpan) -> Parser.Step? {
    if parser.cursor.ended { return stepInCarry() }
    if copied == nil {
      copied = 0
      parser.cursor.window = carry.isEmpty ? .chunk : .carry
    }
    while parser.cursor.window == .carry {
      if leaveCarry() { break }
      if let step = stepInCarry() { return step }
      guard extendCarry(from: chunk) else { return nil }
    }
    if let step = parser.step(in: chunk) { return step }
    keep(restOf: chunk)
    return nil
  }

  private mutating func stepInCarry() -> Parser.Step? {
    // A reference to the bytes, not a copy: the parser changes while they are read.
    let carry = carry
    return parser.step(in: carry.span.bytes)
  }

  /// Switches the window to the chunk once all bytes of earlier chunks are decided.
  private mutating func leaveCarry() -> Bool {
    let earlier = carry.count &- (copied ?? 0)
    guard parser.cursor.position >= earlier else { return false }
    parser.cursor.dropWindow(first: earlier)
    carry.removeAll(keepingCapacity: true)
    parser.cursor.window = .chunk
    return true
  }

  /// Copies more of the chunk to `carry`, doubling each time, so that long records take few steps. Returns false if
  /// the whole chunk was copied already: it stays in `carry`.
  private mutating func extendCarry(from chunk: RawSpan) -> Bool {
    let done = copied ?? 0
    guard done < chunk.byteCount else {
      carry.removeFirst(parser.cursor.dropDecided())
      copied = nil
      return false
    }
    let count = min(chunk.byteCount, done == 0 ? parser.firstCopy : 2 &* done)
    chunk.extracting(done..<count).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = count
    return true
  }

  private mutating func keep(restOf chunk: RawSpan) {
    let decided = parser.cursor.dropDecided()
    chunk.extracting(droppingFirst: decided).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = nil
  }
}
