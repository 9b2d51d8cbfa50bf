import WireBytes

/// Where a decoded request stands, and what is doubtful about it. `RequestFields` reads what it says.
public struct RequestFrame: Equatable, Sendable {
  /// Which bytes `start` counts in.
  public var window: RunWindow
  /// Index in the window of the command, from 0.
  public var start: Int
  /// Offset of the command in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  /// Bytes of the whole request.
  public var length: Int
  public var flags: RecordFlags

  /// The places of its bytes in the window.
  public var range: Range<Int> { start..<start + length }
}

/// Decodes one run of gateway requests, contiguous bytes of a client, in pieces of any size. No I/O.
///
/// It is used as `FeedbackDecoder` is, and under the same laws: the answers do not depend on how the run was cut,
/// every byte is in exactly one request, skipped range or truncated range, and at most `rules.holdBack` bytes
/// are held back.
public struct RequestDecoder: Sendable {
  /// What the decoder has to say next.
  public enum Step: Equatable, Sendable {
    case request(RequestFrame)
    /// No request can be at `offset`: `command` is none, or its lengths are beyond the limits (findings
    /// `unknown-command` and `malformed-frame`). The byte is in the skipped range that is told next.
    case undecodable(offset: Int, command: UInt8)
    /// `length` bytes from `offset` of the stream belong to no request (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends in a request that is not whole (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The piece is used up: go on with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  private var run: PiecewiseRun<RequestWalk>

  /// - Parameters:
  ///   - rules: the limits by which requests are judged.
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start.
  public init(rules: RequestRules, offset: Int = 0, beginsStream: Bool = true) {
    run = PiecewiseRun(RequestWalk(rules: rules, offset: offset, beginsStream: beginsStream))
  }

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
