import WireBytes

/// Which bytes the indices of a decoder's answer count in.
public enum RunWindow: BitwiseCopyable, Sendable {
  /// The chunk that `next(in:)` was called with.
  case chunk
  /// The decoder's `carry`, until the next call of `next(in:)`.
  case carry
}

/// How far a walk over a run has come: it sees the run through a window of bytes that moves along with it.
struct RunCursor: Sendable {
  /// The bytes that the run is seen through.
  var window = RunWindow.chunk
  /// Whether the window's end is the run's.
  var ended = false
  /// Index in the window of the first byte that is not decided.
  var position = 0
  /// Offset in the stream of the window's first byte.
  var windowOffset: Int

  init(offset: Int) { windowOffset = offset }

  /// Offset in the stream of the first byte that is not decided.
  var undecidedOffset: Int { windowOffset &+ position }

  /// Moves the window on by `count` bytes, which must be decided.
  mutating func dropWindow(first count: Int) {
    windowOffset &+= count
    position &-= count
  }

  /// Moves the window to begin at the first byte that is not decided; returns how many bytes it leaves.
  mutating func dropDecided() -> Int {
    let decided = position
    dropWindow(first: decided)
    return decided
  }
}

/// Decides one run, byte by byte, in the bytes of a window (docs/spec/decoding-rules.md#runs).
///
/// Its answers must be the same wherever the window was cut: until the run has ended, nothing may be
/// decided by where the window ends, and an index that `holdBack` bytes follow must be decided.
protocol RunWalk: Sendable {
  associatedtype Step: Sendable

  var cursor: RunCursor { get set }
  /// How many bytes from an index on decide whatever is asked about it.
  var holdBack: Int { get }
  /// How many bytes of a chunk mostly decide what earlier ones did not.
  var firstCopy: Int { get }

  /// Decides one step; nil where the window does not reach far enough or, at the run's end, holds nothing
  /// more.
  mutating func step(in run: RawSpan) -> Step?
}

/// Leads a walk over a run that comes in chunks of any size, which are read where they are. What a chunk does not
/// decide is carried over to the next one, at most `holdBack` bytes of it, and decided with the first bytes of that.
struct ChunkedRun<Walk: RunWalk>: Sendable {
  /// Bytes of earlier chunks that are not decided yet, and while a chunk is being decoded as many of its
  /// own as decide them.
  private(set) var carry: [UInt8] = []
  /// How many bytes at the end of `carry` are copies of the chunk's first ones; nil between chunks.
  private var copied: Int?
  private(set) var walk: Walk

  init(_ walk: Walk) { self.walk = walk }

  var hasEnded: Bool { walk.cursor.ended }

  /// The run has no further bytes.
  mutating func finish() {
    walk.cursor.ended = true
    walk.cursor.window = .carry
    copied = nil
  }

  /// The walk's next step; nil where the chunk is used up or, after `finish()`, where all has been said.
  mutating func next(in chunk: RawSpan) -> Walk.Step? {
    if walk.cursor.ended { return stepInCarry() }
    if copied == nil {
      copied = 0
      walk.cursor.window = carry.isEmpty ? .chunk : .carry
    }
    while walk.cursor.window == .carry {
      if leaveCarry() { break }
      if let step = stepInCarry() { return step }
      guard extendCarry(from: chunk) else { return nil }
    }
    if let step = walk.step(in: chunk) { return step }
    keep(restOf: chunk)
    return nil
  }

  private mutating func stepInCarry() -> Walk.Step? {
    // A reference to the bytes, not a copy: the walk changes while they are read.
    let carry = carry
    return walk.step(in: carry.span.bytes)
  }

  /// Continues in the chunk as soon as all bytes of earlier ones are decided.
  private mutating func leaveCarry() -> Bool {
    let earlier = carry.count &- (copied ?? 0)
    guard walk.cursor.position >= earlier else { return false }
    walk.cursor.dropWindow(first: earlier)
    carry.removeAll(keepingCapacity: true)
    walk.cursor.window = .chunk
    return true
  }

  /// Copies more of the chunk, twice as much each time, so that long records do not cost a step for each few bytes.
  /// False where all of it was copied and does not decide: then it is carried over.
  private mutating func extendCarry(from chunk: RawSpan) -> Bool {
    let done = copied ?? 0
    guard done < chunk.byteCount else {
      carry.removeFirst(walk.cursor.dropDecided())
      copied = nil
      return false
    }
    let count = min(chunk.byteCount, done == 0 ? walk.firstCopy : 2 &* done)
    chunk.extracting(done..<count).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = count
    return true
  }

  private mutating func keep(restOf chunk: RawSpan) {
    let decided = walk.cursor.dropDecided()
    chunk.extracting(droppingFirst: decided).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = nil
  }
}
