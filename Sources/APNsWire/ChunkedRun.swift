import WireBytes

/// Which bytes an answer's places count in.
public enum RunWindow: Sendable {
  /// The piece that `next(in:)` was called with.
  case piece
  /// The decoder's `held` bytes, until the next call of `next(in:)`.
  case held
}

/// Where a walk over a run stands: it sees the run through a window of bytes that moves along with it.
struct RunCursor: Sendable {
  /// The bytes that the run is seen through.
  var window = RunWindow.piece
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

/// Decides one run, byte by byte, in the bytes of a window (decoding-rules.md).
///
/// Its answers must be the same wherever the window was cut: until the run has ended, nothing may be
/// decided by where the window ends, and a place that `holdBack` bytes follow must be decided.
protocol RunWalk: Sendable {
  associatedtype Step: Sendable

  var cursor: RunCursor { get set }
  /// How many bytes from a place on decide whatever is asked about it.
  var holdBack: Int { get }

  /// Decides one step; nil where the window does not reach far enough or, at the run's end, holds nothing
  /// more.
  mutating func step(in run: RawSpan) -> Step?
}

/// Leads a walk over a run that comes in pieces of any size. A piece that does not decide is kept back, at
/// most `holdBack` bytes of it, and decided with the next one. Pieces are read where they lie.
struct PiecewiseRun<Walk: RunWalk>: Sendable {
  /// Bytes of earlier pieces that are not decided yet, and while a piece is being decoded as many of its
  /// own as decide them.
  private(set) var held: [UInt8] = []
  /// How many bytes at the end of `held` are copies of the piece's first ones; nil between pieces.
  private var copied: Int?
  private(set) var walk: Walk

  init(_ walk: Walk) { self.walk = walk }

  var hasEnded: Bool { walk.cursor.ended }

  /// The run has no further bytes.
  mutating func finish() {
    walk.cursor.ended = true
    walk.cursor.window = .held
    copied = nil
  }

  /// The walk's next step; nil where the piece is used up or, after `finish()`, where all has been said.
  mutating func next(in piece: RawSpan) -> Walk.Step? {
    if copied == nil, !walk.cursor.ended { take(piece) }
    while true {
      switch walk.cursor.window {
      case .held:
        if let step = stepInHeld() { return step }
        if walk.cursor.ended { return nil }
        guard leaveHeld(for: piece) else { return nil }
      case .piece:
        if let step = walk.step(in: piece) { return step }
        keep(restOf: piece)
        return nil
      }
    }
  }

  private mutating func stepInHeld() -> Walk.Step? {
    // A reference to the bytes, not a copy: the walk changes while they are read.
    let held = held
    return walk.step(in: held.span.bytes)
  }

  /// Begins a piece: in place, or behind what is held back with as much of it as decides that.
  private mutating func take(_ piece: RawSpan) {
    if held.isEmpty {
      walk.cursor.window = .piece
      copied = 0
    } else {
      walk.cursor.window = .held
      let count = min(piece.byteCount, walk.holdBack)
      piece.extracting(first: count).withUnsafeBytes { held.append(contentsOf: $0) }
      copied = count
    }
  }

  /// Goes on in the piece now that all is decided that was held back from earlier ones, of which `holdBack`
  /// bytes of the piece decide every one; false where the piece is shorter and has been copied whole.
  private mutating func leaveHeld(for piece: RawSpan) -> Bool {
    let copied = copied ?? 0
    if copied == piece.byteCount {
      held.removeFirst(walk.cursor.dropDecided())
      self.copied = nil
      return false
    }
    walk.cursor.dropWindow(first: held.count - copied)
    held.removeAll(keepingCapacity: true)
    walk.cursor.window = .piece
    return true
  }

  private mutating func keep(restOf piece: RawSpan) {
    let decided = walk.cursor.dropDecided()
    piece.extracting(droppingFirst: decided).withUnsafeBytes { held.append(contentsOf: $0) }
    copied = nil
  }
}
