import WireBytes

/// Decodes one run of feedback bytes, contiguous and of one direction, in pieces of any size. No I/O.
///
/// The answers do not depend on how the run was cut: a piece that does not decide is kept back, at most
/// `rules.holdBack` bytes of it, and decided with the next one. Pieces are read where they lie.
///
///     var decoder = FeedbackDecoder(rules: .standard)
///     for piece in pieces {
///       while case let step = decoder.next(in: piece), step != .needsBytes { use(step) }
///     }
///     decoder.finish()
///     while case let step = decoder.next(in: RawSpan()), step != .finished { use(step) }
///
/// Every byte of the run is in exactly one record, skipped range or truncated range.
public struct FeedbackDecoder: Sendable {
  /// What the decoder has to say next.
  public enum Step: Equatable, Sendable {
    /// Records, one after another.
    case records(RecordRun)
    /// `length` bytes from `offset` of the stream belong to no record (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends in a tuple that is not whole (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The piece is used up: go on with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  /// Bytes of earlier pieces that are not decided yet, and while a piece is being decoded as many of its
  /// own as decide them.
  public private(set) var held: [UInt8] = []
  /// How many bytes at the end of `held` are copies of the piece's first ones; nil between pieces.
  private var copied: Int?
  private var walk: TupleWalk

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start (decoding-rules.md, "Where a run begins").
  public init(rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true) {
    walk = TupleWalk(rules: rules, offset: offset, beginsStream: beginsStream)
  }

  /// The limits that it decodes by.
  public var rules: FeedbackRules { walk.rules }

  /// Offset in the stream of the first byte that no answer has covered, apart from `pendingSkip`.
  public var undecidedOffset: Int { walk.undecidedOffset }

  /// Offset in the stream from which on bytes are being skipped, while the place to resume is not found.
  public var pendingSkip: Int? { walk.pendingSkip }

  /// The run has no further bytes.
  public mutating func finish() {
    walk.ended = true
    walk.window = .held
    copied = nil
  }

  /// The next answer about the run. Call it with the same piece until it says `needsBytes`; after
  /// `finish()` the piece is not looked at.
  public mutating func next(in piece: RawSpan) -> Step {
    if copied == nil, !walk.ended { take(piece) }
    while true {
      switch walk.window {
      case .held:
        if let step = walk.step(in: held) { return step }
        if walk.ended { return .finished }
        guard leaveHeld(for: piece) else { return .needsBytes }
      case .piece:
        if let step = walk.step(in: piece) { return step }
        keep(restOf: piece)
        return .needsBytes
      }
    }
  }

  /// Begins a piece: in place, or behind what is held back with as much of it as decides that.
  private mutating func take(_ piece: RawSpan) {
    if held.isEmpty {
      walk.window = .piece
      copied = 0
    } else {
      walk.window = .held
      let count = min(piece.byteCount, rules.holdBack)
      piece.extracting(first: count).withUnsafeBytes { held.append(contentsOf: $0) }
      copied = count
    }
  }

  /// Goes on in the piece now that all is decided that was held back from earlier ones, of which `holdBack`
  /// bytes of the piece decide every one; false where the piece is shorter and has been copied whole.
  private mutating func leaveHeld(for piece: RawSpan) -> Bool {
    let copied = copied ?? 0
    if copied == piece.byteCount {
      held.removeFirst(walk.dropDecided())
      self.copied = nil
      return false
    }
    walk.dropWindow(first: held.count - copied)
    held.removeAll(keepingCapacity: true)
    walk.window = .piece
    return true
  }

  private mutating func keep(restOf piece: RawSpan) {
    let decided = walk.dropDecided()
    piece.extracting(droppingFirst: decided).withUnsafeBytes { held.append(contentsOf: $0) }
    copied = nil
  }
}
