import WireBytes

/// A decoded error response, and what is doubtful about it.
public struct ResponseFrame: Equatable, Sendable {
  /// Offset of its first byte in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  public var response: ErrorResponse
  public var flags: RecordFlags
}

/// Decodes one run of error responses, contiguous bytes of a gateway, in pieces of any size. No I/O.
///
/// It is used as `FeedbackDecoder` is, and under the same laws; at most 7 bytes are held back.
public struct ResponseDecoder: Sendable {
  /// What the decoder has to say next.
  public enum Step: Equatable, Sendable {
    case response(ResponseFrame)
    /// No response can be at `offset`, which does not hold an 8 (finding `unknown-command`). The byte is in the
    /// skipped range that is told next.
    case undecodable(offset: Int, command: UInt8)
    /// `length` bytes from `offset` of the stream belong to no response (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends in fewer bytes than a response has (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The piece is used up: go on with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  private var run: PiecewiseRun<ResponseWalk>

  /// - Parameters:
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start.
  public init(offset: Int = 0, beginsStream: Bool = true) {
    run = PiecewiseRun(ResponseWalk(offset: offset, beginsStream: beginsStream))
  }

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
