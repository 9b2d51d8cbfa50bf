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

  private var run: PiecewiseRun<TupleWalk>

  /// - Parameters:
  ///   - rules: the limits by which tuples are judged.
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start (decoding-rules.md, "Where a run begins").
  public init(rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true) {
    run = PiecewiseRun(TupleWalk(rules: rules, offset: offset, beginsStream: beginsStream))
  }

  /// The limits that it decodes by.
  public var rules: FeedbackRules { run.walk.rules }

  /// Bytes of earlier pieces that are not decided yet, and while a piece is being decoded as many of its
  /// own as decide them.
  public var held: [UInt8] { run.held }

  /// Offset in the stream of the first byte that no answer has covered, apart from `pendingSkip`.
  public var undecidedOffset: Int { run.walk.cursor.undecidedOffset }

  /// Offset in the stream from which on bytes are being skipped, while the place to resume is not found.
  public var pendingSkip: Int? { run.walk.pendingSkip }

  /// The run has no further bytes.
  public mutating func finish() { run.finish() }

  /// The next answer about the run. Call it with the same piece until it says `needsBytes`; after
  /// `finish()` the piece is not looked at.
  public mutating func next(in piece: RawSpan) -> Step {
    run.next(in: piece) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}
