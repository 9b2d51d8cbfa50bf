/// Who sent the bytes of a direction.
public enum Direction: String, BitwiseCopyable, Sendable {
  case client, server
}

/// One result of a decoder. Offsets are in bytes from 0, in the direction of the stream, gaps included; lengths are at
/// least 1.
public enum DecoderStep<Record: Equatable & Sendable>: Equatable, Sendable {
  /// A record; of feedback, one or more consecutive tuples of the same shape. Its indices refer to the decoder's `carry`
  /// or, if that is nil, to the chunk.
  case record(Record)
  /// Bytes before, between or after the tuples of a dump (finding `separating-bytes`).
  case between(offset: Int, length: Int)
  /// No request or response can begin at `offset`: `command` is not one of theirs, or a length is above its limit
  /// (findings `unknown-command` and `malformed-frame`). The byte is also in the skipped range that follows.
  case undecodable(offset: Int, command: UInt8)
  /// Bytes that belong to no record (finding `skipped-bytes`).
  case skipped(offset: Int, length: Int)
  /// The run ends inside a record, of which it has these bytes (finding `truncated-record`).
  case truncated(offset: Int, length: Int)
}

/// Decodes one run (contiguous bytes of one direction), in chunks of any size. No I/O.
///
/// The steps do not depend on where chunks end. Undecided bytes, at most `holdBack` of them, are carried over to the
/// next chunk; all others are read without a copy.
///
///     var decoder = FeedbackDecoder(rules: .standard)
///     for chunk in chunks {
///       while let step = decoder.next(in: chunk) { use(step) }
///     }
///     decoder.finish()
///     while let step = decoder.next(in: RawSpan()) { use(step) }
///
/// Every byte of the run is in exactly one record, separator, skipped range or truncated range. Nothing throws: every
/// byte sequence decodes to some steps. The decoders of this library conform.
public protocol RunDecoder: Sendable {
  associatedtype Record: Equatable & Sendable

  /// The position in the run, and the bytes that are carried over. For the decoder alone.
  var cursor: RunCursor { get set }

  /// The most undecided bytes that are carried over.
  var holdBack: Int { get }

  /// The next step. Call it with the same chunk until it returns nil: the chunk is used up or, after `finish()`, the
  /// run is. After `finish()` the chunk is ignored.
  mutating func next(in chunk: RawSpan) -> DecoderStep<Record>?
}

extension RunDecoder {
  /// The buffer that the indices of the last record refer to, if that is not the chunk: undecided bytes of earlier
  /// chunks, followed by the first bytes of the current one. Between two chunks, the bytes that are carried over.
  @inlinable public var carry: [UInt8]? { cursor.isInCarry ? cursor.carry : nil }

  /// Offset in the stream of the first undecided byte: all bytes before it were returned, except from `pendingSkip`.
  @inlinable public var undecidedOffset: Int { cursor.undecidedOffset }

  /// Offset in the stream of the first byte that is being skipped while the decoder looks for a start; nil otherwise.
  @inlinable public var pendingSkip: Int? { cursor.skipStart }

  /// Marks the end of the run. Call `next(in:)` afterwards until it returns nil.
  /// - Parameter atGap: whether bytes are known to be missing after it.
  public mutating func finish(atGap: Bool = false) { cursor.finish(atGap: atGap) }

  /// Decodes a whole run. `use` gets each step, and the buffer that the indices of a record refer to.
  @inlinable
  public mutating func decode(whole run: RawSpan, use: (DecoderStep<Record>, RawSpan) -> Void) {
    for hasEnded in [false, true] {
      if hasEnded { finish() }
      while let step = next(in: run) {
        if let carry { use(step, carry.span.bytes) } else { use(step, run) }
      }
    }
  }
}

/// The position of a decoder in a run, which it reads through a moving window of bytes.
public struct RunCursor: Sendable {
  /// Undecided bytes of earlier chunks, followed during a chunk by copies of its first bytes.
  @usableFromInline private(set) var carry: [UInt8] = []
  /// Index in the window of the first undecided byte.
  @usableFromInline var position = 0
  /// Offset in the stream of the window's first byte.
  @usableFromInline private(set) var windowOffset: Int
  /// Offset in the stream of the first byte that is being skipped; nil, stored as -1, unless a start is being looked for.
  @inlinable var skipStart: Int? {
    get { storedSkipStart < 0 ? nil : storedSkipStart }
    set { storedSkipStart = newValue ?? -1 }
  }
  @usableFromInline var storedSkipStart = -1
  /// The number of bytes at the end of `carry` that are copies of the chunk's first bytes: few.
  private var copied: UInt32 = 0
  /// Whether the current window is `carry`; otherwise it is the chunk.
  @usableFromInline private(set) var isInCarry = false
  /// Whether the window ends where the run ends, and whether bytes are missing there.
  private(set) var ended = false
  private(set) var endsAtGap = false
  /// Whether bytes were skipped just before the cursor: not so at the beginning of a run.
  var resynchronised = false

  init(offset: Int, beginsStream: Bool) {
    windowOffset = offset
    skipStart = beginsStream ? nil : offset
  }

  /// Offset in the stream of the first undecided byte.
  @inlinable var undecidedOffset: Int { windowOffset &+ position }

  /// Moves past a record, which ends at index `end`; returns the flag for bytes skipped before it.
  mutating func passRecord(to end: Int) -> RecordFlags {
    defer {
      position = end
      resynchronised = false
    }
    return resynchronised ? .resynchronised : []
  }

  // MARK: - Windows

  fileprivate mutating func finish(atGap: Bool) {
    (ended, endsAtGap, isInCarry) = (true, atGap, true)
  }

  /// Switches the window to the chunk once all bytes of earlier chunks are decided.
  fileprivate mutating func leaveCarry() -> Bool {
    let earlier = carry.count &- Int(copied)
    guard position >= earlier else { return false }
    windowOffset &+= earlier
    position &-= earlier
    carry.removeAll(keepingCapacity: true)
    isInCarry = false
    return true
  }

  /// Copies more of the chunk to `carry`, doubling each time, so that long records take few steps. Returns false if
  /// the whole chunk was copied already: it stays in `carry`.
  fileprivate mutating func extendCarry(from chunk: RawSpan, first: Int) -> Bool {
    guard copied < chunk.byteCount else {
      let decided = dropDecided()
      carry.removeFirst(decided)
      copied = 0
      return false
    }
    let count = min(chunk.byteCount, copied == 0 ? first : 2 &* Int(copied))
    chunk.extracting(Int(copied)..<count).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = UInt32(truncatingIfNeeded: count)
    return true
  }

  fileprivate mutating func carryRest(of chunk: RawSpan) {
    assert(carry.isEmpty && position <= chunk.byteCount, "no byte is decided before it came")
    let decided = dropDecided()
    chunk.extracting(droppingFirst: decided).withUnsafeBytes { carry.append(contentsOf: $0) }
    copied = 0
    isInCarry = true
  }

  /// Drops the decided bytes from the window; returns their number.
  private mutating func dropDecided() -> Int {
    defer { position = 0 }
    windowOffset &+= position
    return position
  }
}

/// Reads the window that `RunDecoder` moves (docs/spec/decoding-rules.md#plausible-boundaries).
///
/// The steps must not depend on where chunks end: before the end of the run, no decision may use the end of
/// the window, and an index followed by `holdBack` bytes must be decided.
protocol RunParser: RunDecoder {
  /// The number of bytes of the next chunk that usually suffice to decide the carried bytes.
  var firstCopy: Int { get }

  /// The step at the cursor. Nil if the window is too short for it or, at the end of the run, is used up; and if a search
  /// begins.
  mutating func parse(in run: RawSpan) throws(NeedsBytes) -> DecoderStep<Record>?
  /// start(p): decoding may resume at `index`.
  func isStart(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool
  /// The first start from the cursor on. The cursor moves past all other indices.
  mutating func search(in run: RawSpan) throws(NeedsBytes) -> Int?
  /// The step for the bytes from `skipStart` to the cursor, a start or the end of the run; nil without any.
  mutating func endSearch(from skipStart: Int, in run: RawSpan) -> DecoderStep<Record>?
}

extension RunParser {
  typealias Step = DecoderStep<Record>

  /// Enough for most records and the lengths of the next one.
  var firstCopy: Int { 512 }

  /// `next(in:)` of all decoders, which each of them compiles for itself.
  @inline(__always)
  mutating func nextStep(in chunk: RawSpan) -> Step? {
    if cursor.ended { return stepInCarry() }
    while cursor.isInCarry {
      if cursor.leaveCarry() { break }
      if let step = stepInCarry() { return step }
      guard cursor.extendCarry(from: chunk, first: firstCopy) else { return nil }
    }
    if let step = step(in: chunk) { return step }
    cursor.carryRest(of: chunk)
    return nil
  }

  @inline(never)
  private mutating func stepInCarry() -> Step? {
    // A reference to the bytes, not a copy: the decoder changes while they are read.
    let carry = cursor.carry
    return step(in: carry.span.bytes)
  }

  @inline(__always)
  private mutating func step(in run: RawSpan) -> Step? {
    while true {
      if let skipStart = cursor.skipStart {
        let found = try? search(in: run)
        guard found != nil || cursor.ended else { return nil }
        cursor.skipStart = nil
        if let step = endSearch(from: skipStart, in: run) { return step }
      }
      if let step = try? parse(in: run) { return step }
      if cursor.skipStart == nil { return nil }
    }
  }

  mutating func search(in run: RawSpan) throws(NeedsBytes) -> Int? {
    var index = cursor.position
    defer { cursor.position = index }
    while index < run.byteCount {
      if try isStart(at: index, in: run) { return index }
      index &+= 1
    }
    return nil
  }

  mutating func endSearch(from skipStart: Int, in run: RawSpan) -> Step? { skipped(from: skipStart) }

  func skipped(from skipStart: Int) -> Step? {
    let length = cursor.undecidedOffset &- skipStart
    return length > 0 ? .skipped(offset: skipStart, length: length) : nil
  }

  /// Begins a search: no record can begin at the cursor.
  mutating func beginSearch() {
    cursor.skipStart = cursor.undecidedOffset
    cursor.resynchronised = true
    cursor.position &+= 1
  }

  /// Begins a search at a byte that is no command.
  mutating func undecodable(in run: RawSpan) -> Step {
    defer { beginSearch() }
    return .undecodable(offset: cursor.undecidedOffset, command: run.byte(at: cursor.position))
  }

  /// Skips the bytes from the cursor to the start at `index`.
  mutating func skip(to index: Int) -> Step {
    defer {
      cursor.position = index
      cursor.resynchronised = true
    }
    return .skipped(offset: cursor.undecidedOffset, length: index &- cursor.position)
  }

  /// The run ends inside the record at the cursor.
  mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.undecidedOffset, length: run.byteCount &- cursor.position)
  }
}
