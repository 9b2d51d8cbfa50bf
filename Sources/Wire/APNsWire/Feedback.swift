import Basics

/// Decodes one run of feedback bytes (contiguous, from one direction), in chunks of any size. No I/O.
///
/// The result does not depend on where chunks end. Undecided bytes, at most `holdBack` of them, are
/// carried over to the next chunk; all others are read without a copy.
///
///     var decoder = FeedbackDecoder(rules: .standard)
///     for chunk in chunks {
///       while case let step = decoder.next(in: chunk), step != .needsBytes { use(step) }
///     }
///     decoder.finish()
///     while case let step = decoder.next(in: RawSpan()), step != .finished { use(step) }
///
/// Every byte of the run is in exactly one record, separator, skipped range or truncated range. Nothing throws: every
/// byte sequence decodes to some steps.
public struct FeedbackDecoder: Sendable {
  /// One result of `next(in:)`. Offsets are in bytes from 0, in the direction of the stream, gaps included.
  public enum Step: Equatable, Sendable {
    /// One or more consecutive records of the same shape.
    case records(RecordRun)
    /// `length` bytes from `offset`, at least 1, lie before, between or after the tuples of a dump (finding
    /// `separating-bytes`).
    case between(offset: Int, length: Int)
    /// `length` bytes from `offset`, at least 1, belong to no record (finding `skipped-bytes`).
    case skipped(offset: Int, length: Int)
    /// The run ends inside a tuple, of which it has `length` bytes from `offset` (finding `truncated-record`).
    case truncated(offset: Int, length: Int)
    /// The chunk is used up: pass the next one, or call `finish()`.
    case needsBytes
    /// All steps of the run were returned. Only after `finish()`.
    case finished
  }

  private var run: ChunkedParser<TupleParser>

  /// - Parameters:
  ///   - rules: allowed token lengths and plausible times.
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first start (docs/spec/decoding-rules.md#start-of-a-run).
  ///   - isDump: whether a program saved the bytes: there may be separators between tuples, and bytes may have been
  ///     inserted (docs/spec/decoding-rules.md#tuples-apart).
  public init(rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true, isDump: Bool = false) {
    run = ChunkedParser(
      TupleParser(rules: rules, offset: offset, beginsStream: beginsStream, isDump: isDump))
  }

  /// The limits passed to `init`.
  public var rules: FeedbackRules { run.parser.rules }

  /// The most undecided bytes that are carried over: `rules.holdBack`; of a dump, whose tuples may not touch, 34,116
  /// by default.
  public var holdBack: Int { run.parser.holdBack }

  /// The buffer that records with `RunWindow.carry` refer to: undecided bytes of earlier chunks, followed by the
  /// first bytes of the current one. At most `holdBack` bytes between two chunks.
  public var carry: [UInt8] { run.carry }

  /// Offset in the stream of the first undecided byte: all bytes before it were returned, except from `pendingSkip`.
  public var undecidedOffset: Int { run.parser.cursor.undecidedOffset }

  /// Offset in the stream of the first byte that is being skipped while the decoder looks for a start; nil otherwise.
  public var pendingSkip: Int? { run.parser.pendingSkip }

  /// Marks the end of the run. Call `next(in:)` afterwards until it returns `finished`.
  /// - Parameter atGap: whether bytes are known to be missing after it.
  public mutating func finish(atGap: Bool = false) {
    run.parser.endsAtGap = atGap
    run.finish()
  }

  /// The next step. Call it with the same chunk until it returns `needsBytes`. After `finish()` the chunk is ignored.
  public mutating func next(in chunk: RawSpan) -> Step {
    run.next(in: chunk) ?? (run.hasEnded ? .finished : .needsBytes)
  }
}

/// Consecutive feedback records with the same token length and flags, as indices into a buffer.
///
/// One call returns thousands of regular tuples. The header of record `i` is at index `start + i * stride` of the
/// window and at offset `offset + i * stride` of the stream.
public struct RecordRun: BitwiseCopyable, Equatable, Sendable {
  /// The buffer that `start` refers to.
  public var window: RunWindow
  /// Index in the window of the first record's first byte, from 0.
  public var start: Int
  /// Offset of the first record's first byte in its direction of the stream, in bytes from 0, gaps included.
  public var offset: Int
  /// Bytes of each token, 0 to 65,535.
  public var tokenLength: Int
  /// The number of records, at least 1.
  public var count: Int
  /// The flags of every record; empty if nothing is doubtful.
  public var flags: RecordFlags
  /// Bounds (both included) of the records' times, in seconds since 1970. A slice keeps the bounds of its run.
  public var earliest: UInt32
  public var latest: UInt32

  package init(
    window: RunWindow, start: Int, offset: Int, tokenLength: Int, count: Int, flags: RecordFlags,
    times: (earliest: UInt32, latest: UInt32)
  ) {
    (self.window, self.start, self.offset, self.tokenLength) = (window, start, offset, tokenLength)
    (self.count, self.flags) = (count, flags)
    (earliest, latest) = times
  }

  /// Bytes of time and token length before each token: 6.
  @inlinable
  public var headerLength: Int { Tuple.headerLength }

  /// Bytes of one record, header and token.
  @inlinable
  public var stride: Int { headerLength &+ tokenLength }

  /// `count` records from record `first` (from 0) on. The caller keeps them in the run: nothing is checked.
  @inlinable
  public func slice(from first: Int, count: Int) -> RecordRun {
    var slice = self
    slice.start = start &+ first &* stride
    slice.offset = offset &+ first &* stride
    slice.count = count
    return slice
  }

  /// The time of a record in seconds since 1970, plausible or not.
  /// - Parameters:
  ///   - index: index of the record in the run, from 0.
  ///   - bytes: the buffer named by `window`. Traps if the header is not inside it.
  @inlinable
  public func time(of index: Int, in bytes: RawSpan) -> UInt32 {
    bytes.bigEndianUInt32(at: start &+ index &* stride)
  }

  /// The range of a record's token, as indices in the window; empty for a token without bytes.
  /// - Parameter index: index of the record in the run, from 0.
  @inlinable
  public func token(of index: Int) -> Range<Int> {
    let first = start &+ index &* stride &+ headerLength
    return first..<(first &+ tokenLength)
  }
}

/// Encodes feedback tuples as the server sent them.
public enum FeedbackEncoder {
  /// Appends one tuple to `bytes`.
  /// - Parameters:
  ///   - time: seconds since 1970-01-01T00:00:00Z.
  ///   - token: 0 to 65,535 bytes.
  ///   - bytes: the buffer to append to.
  /// - Returns: false, with nothing appended, if the token is longer than 65,535 bytes.
  @discardableResult
  public static func append(time: UInt32, token: some Collection<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard let length = UInt16(exactly: token.count) else { return false }
    withUnsafeBytes(of: time.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: token)
    return true
  }
}
