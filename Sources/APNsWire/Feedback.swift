import WireBytes

/// Decodes one run of feedback bytes, contiguous and of one direction, in chunks of any size. No I/O.
///
/// The answers do not depend on how the run was cut: what a chunk does not decide is carried over, at
/// most `rules.holdBack` bytes of it, and decided with the next one. Chunks are read where they are.
///
///     var decoder = FeedbackDecoder(rules: .standard)
///     for chunk in chunks {
///       while case let step = decoder.next(in: chunk), step != .needsBytes { use(step) }
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
    /// The chunk is used up: continue with the next one, or `finish()`.
    case needsBytes
    /// The run has ended, and all of it has been said. Only after `finish()`.
    case finished
  }

  private var run: ChunkedRun<TupleWalk>

  /// - Parameters:
  ///   - rules: the limits by which tuples are judged.
  ///   - offset: offset of the run's first byte in its direction of the stream.
  ///   - beginsStream: whether the run begins where the stream does. Any other run begins at its first
  ///     start (docs/spec/decoding-rules.md#start-of-a-run).
  public init(rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true) {
    run = ChunkedRun(TupleWalk(rules: rules, offset: offset, beginsStream: beginsStream))
  }

  /// The limits that it decodes by.
  public var rules: FeedbackRules { run.walk.rules }

  /// Bytes of earlier chunks that are not decided yet, and while a chunk is being decoded as many of its
  /// own as decide them.
  public var carry: [UInt8] { run.carry }

  /// Offset in the stream of the first byte that no answer has covered, apart from `pendingSkip`.
  public var undecidedOffset: Int { run.walk.cursor.undecidedOffset }

  /// Offset in the stream from which on bytes are being skipped, while no index to resume at is found.
  public var pendingSkip: Int? { run.walk.pendingSkip }

  /// The run has no further bytes.
  public mutating func finish() { run.finish() }

  /// The next answer about the run. Call it with the same chunk until it says `needsBytes`; after
  /// `finish()` the chunk is not looked at.
  public mutating func next(in chunk: RawSpan) -> Step {
    run.next(in: chunk) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}

/// Consecutive feedback records of one shape, by their indices in the bytes that hold them.
///
/// A dump is thousands of regular tuples in a row, and a run hands them over at the cost of one call. Record
/// `i` has its header at `start + i * stride` of the window and at `offset + i * stride` of the stream.
public struct RecordRun: BitwiseCopyable, Equatable, Sendable {
  /// Which bytes `start` counts in.
  public var window: RunWindow
  /// Index in the window of the first record's first byte, from 0.
  public var start: Int
  /// Offset of the first record's first byte in its direction of the stream, from 0, gaps counted in.
  public var offset: Int
  /// Bytes of each token.
  public var tokenLength: Int
  /// How many records there are, at least 1.
  public var count: Int
  /// The flags that each of them has.
  public var flags: RecordFlags
  /// The times of all of them are between these, in seconds since 1970, both included. A slice has those of its run.
  public var earliest: UInt32
  public var latest: UInt32

  package init(
    window: RunWindow, start: Int, offset: Int, tokenLength: Int, count: Int, flags: RecordFlags,
    times: (earliest: UInt32, latest: UInt32)
  ) {
    self.window = window
    self.start = start
    self.offset = offset
    self.tokenLength = tokenLength
    self.count = count
    self.flags = flags
    (earliest, latest) = times
  }

  /// Bytes before each token.
  @inlinable
  public var headerLength: Int { Tuple.headerLength }

  /// Bytes from one record to the next.
  @inlinable
  public var stride: Int { headerLength &+ tokenLength }

  /// The records from `first` (from 0) on, `count` of them.
  @inlinable
  public func slice(from first: Int, count: Int) -> RecordRun {
    var slice = self
    slice.start = start &+ first &* stride
    slice.offset = offset &+ first &* stride
    slice.count = count
    return slice
  }

  /// The time of a record in seconds since 1970, whatever its flags say of it.
  /// - Parameters:
  ///   - index: number of the record in the run, from 0.
  ///   - bytes: the window's. Traps where the record does not lie in them.
  @inlinable
  public func time(of index: Int, in bytes: RawSpan) -> UInt32 {
    bytes.bigEndianUInt32(at: start &+ index &* stride)
  }

  /// Where in the window the token of a record stands; empty where it has no bytes.
  /// - Parameter index: number of the record in the run, from 0.
  @inlinable
  public func token(of index: Int) -> Range<Int> {
    let first = start &+ index &* stride &+ headerLength
    return first..<(first &+ tokenLength)
  }
}

/// Writes feedback tuples as the server did.
public enum FeedbackEncoder {
  /// Appends one tuple to `bytes`.
  /// - Parameters:
  ///   - time: seconds since 1970 UTC, unsigned.
  ///   - token: 0 to 65,535 bytes.
  ///   - bytes: what the tuple is appended to.
  /// - Returns: false, with nothing appended, for a token that the length field cannot hold.
  @discardableResult
  public static func append(time: UInt32, token: some Collection<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard let length = UInt16(exactly: token.count) else { return false }
    withUnsafeBytes(of: time.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: token)
    return true
  }
}
