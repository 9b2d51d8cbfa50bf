import WireBytes

/// Decodes the tuples of a server: steps 1 to 5 of docs/spec/decoding-rules.md#feedback-tuples. `RunDecoder` says how to use
/// it.
///
/// Before the end of the run, it decides an index only if `holdBack` bytes follow it, or the number that the search for
/// separators needs. So no predicate reads past the window, and the steps do not depend on where chunks end.
public struct FeedbackDecoder: RunDecoder, RunParser {
  public typealias Record = RecordRun

  /// The limits passed to `init`.
  public let rules: FeedbackRules
  public var cursor: RunCursor
  /// Those of a dump; empty in a connection, which has no bytes between tuples: there are many.
  private var groups: [TupleGroup]

  /// - Parameters:
  ///   - rules: allowed token lengths and plausible times.
  ///   - offset: offset of the run's first byte in its direction of the stream, in bytes from 0.
  ///   - beginsStream: true if the run is the beginning of the stream, false after a gap or in the middle of a
  ///     connection: decoding then begins at the first start (docs/spec/decoding-rules.md#start-of-a-run).
  ///   - isDump: whether a program saved the bytes: there may be separators between tuples, and bytes may have been
  ///     inserted (docs/spec/decoding-rules.md#tuples-apart).
  public init(rules: FeedbackRules, offset: Int = 0, beginsStream: Bool = true, isDump: Bool = false) {
    self.rules = rules
    cursor = RunCursor(offset: offset, beginsStream: beginsStream)
    groups = isDump ? [TupleGroup(start: beginsStream ? offset : nil, spacing: TupleSpacing(rules))] : []
  }

  /// The most undecided bytes that are carried over: `rules.holdBack`; of a dump, whose tuples may not touch, 34,116
  /// by default.
  public var holdBack: Int { groups.isEmpty ? rules.holdBack : TupleSpacing.reach(rules) }
  var firstCopy: Int { rules.holdBack }

  public mutating func next(in chunk: RawSpan) -> DecoderStep<RecordRun>? { nextStep(in: chunk) }

  mutating func parse(in run: RawSpan) throws(NeedsBytes) -> Step? {
    if let separator = groups.first?.separator, separator > 0 { return between(separator) }
    guard canDecide(cursor.position, in: run) else { return nil }
    if let step = regularRecords(in: run) { return step }
    if cursor.resynchronised, !groups.isEmpty { groups[0].start = nil }
    return try anyTuple(in: run)
  }

  @inline(__always)
  private func canDecide(_ index: Int, in run: RawSpan) -> Bool {
    let left = run.byteCount &- index
    return cursor.ended ? left > 0 : left >= rules.holdBack
  }

  /// The first start from `cursor.position` on. The cursor moves past all other indices.
  mutating func search(in run: RawSpan) throws(NeedsBytes) -> Int? {
    while canDecide(cursor.position, in: run) {
      if try isStart(at: cursor.position, in: run) { return cursor.position }
      cursor.position &+= 1
    }
    return nil
  }

  /// start(p): decoding may resume at `index`; or a tuple that a separator follows begins there.
  func isStart(at index: Int, in run: RawSpan) throws(NeedsBytes) -> Bool {
    guard rules.hasHeader(at: index, in: run), rules.isHeader(at: index, in: run) else { return false }
    let end = rules.end(ofTupleAt: index, in: run)
    if end <= run.byteCount, rules.isPlausibleBoundary(at: end, in: run) { return true }
    return try groups.first?.spacing.isStart(at: index, in: run, isLast: cursor.ended) ?? false
  }

  /// The first start from `index` on and before `end`, which must not be after the end of the run.
  private func firstStart(from index: Int, to end: Int, in run: RawSpan) throws(NeedsBytes) -> Int? {
    var candidate = index
    while candidate < end {
      if try isStart(at: candidate, in: run) { return candidate }
      candidate &+= 1
    }
    return nil
  }

  /// The hot path: consecutive tuples of one allowed length, with plausible times and nothing to flag, each
  /// with an allowed length after it (step 3 by rule 2 of boundary). Nil without any.
  private mutating func regularRecords(in run: RawSpan) -> Step? {
    let first = cursor.position
    guard !cursor.resynchronised, groups.first?.spacing.isKnown != true, rules.hasHeader(at: first, in: run)
    else { return nil }
    let length = run.bigEndianUInt16(at: first &+ Tuple.lengthOffset)
    guard rules.tokenLengths.contains(length) else { return nil }
    let stride = Tuple.headerLength &+ Int(length)
    // The last index from which the header after the tuple is in the window.
    let last = run.byteCount &- (cursor.ended ? stride &+ Tuple.headerLength : rules.holdBack)
    let (count, times) = countRegular(in: run, from: first, to: last, length: length)
    guard count > 0 else { return nil }
    cursor.position = first &+ count &* stride
    return .record(
      RecordRun(
        start: first, offset: cursor.windowOffset &+ first, tokenLength: Int(length), count: count, flags: [],
        earliest: times.earliest, latest: times.latest))
  }

  /// Counts the consecutive regular tuples with tokens of `length` bytes that begin from `first` to `last`, and finds
  /// the bounds of their times. The loads are unchecked: a tuple that begins at `last` or before, and the header
  /// after it, must be in the window.
  private func countRegular(
    in run: RawSpan, from first: Int, to last: Int, length: UInt16
  ) -> (count: Int, times: (earliest: UInt32, latest: UInt32)) {
    let stride = Tuple.headerLength &+ Int(length)
    var (plain, times) = (0, (earliest: UInt32.max, latest: UInt32.min))
    // Nearly all tokens have 32 bytes.
    if length == 32, first <= last {
      let count = (last &- first) / stride &+ 1
      (plain, times) = WideLoop.plainTuples(
        in: run, from: first, count: count, plausible: (rules.earliest, rules.latest))
    }
    var index = first &+ plain &* stride
    while index <= last {
      let following = run.uncheckedBigEndianUInt16(at: index &+ stride &+ Tuple.lengthOffset)
      let time = run.uncheckedBigEndianUInt32(at: index)
      guard rules.isPlausible(time),
        !ZeroFill.isPresent(in: run, from: index &+ Tuple.headerLength, count: Int(length)),
        following == length || rules.tokenLengths.contains(following)
      else { break }
      times = (min(times.earliest, time), max(times.latest, time))
      index &+= stride
      if following != length { break }
    }
    return ((index &- first) / stride, times)
  }

  /// Steps 1 to 5 at `cursor.position`, a boundary with `holdBack` bytes or the end of the run in the window.
  /// Nil if step 5 began a search.
  private mutating func anyTuple(in run: RawSpan) throws(NeedsBytes) -> Step? {
    let index = cursor.position
    guard rules.hasHeader(at: index, in: run) else { return rest(in: run) }
    let isAllowed = rules.hasAllowedLength(at: index, in: run)
    if !isAllowed, cursor.undecidedOffset == groups.first?.start,
      let start = try groups[0].spacing.lead(at: index, in: run, isLast: cursor.ended)
    {
      return between(start)
    }
    let isOdd = rules.isOdd(at: index, in: run)
    let end = rules.end(ofTupleAt: index, in: run)
    if isAllowed || isOdd, end > run.byteCount {
      guard let start = try firstStart(from: index + 1, to: run.byteCount, in: run) else {
        return truncate(in: run)
      }
      return skip(to: start)
    }
    if isAllowed { return try tuple(endingAt: end, in: run) }
    if isOdd, rules.isPlausibleBoundary(at: index, in: run) {
      let isEmpty = end == index + Tuple.headerLength
      return record(endingAt: end, flags: isEmpty ? .zeroLengthToken : .unexpectedTokenLength, in: run)
    }
    beginSearch()
    return nil
  }

  /// Step 3.
  private mutating func tuple(endingAt end: Int, in run: RawSpan) throws(NeedsBytes) -> Step {
    if let next = try boundary(after: end, in: run) {
      if next > end { groups[0].separator = next &- end }
      // Of a tuple that lost bytes, the token may end in the separator.
      let token = run.extracting(cursor.position &+ Tuple.headerLength..<end)
      let isUncertain = next == end && groups.first?.spacing.endsToken(token) == true
      return record(endingAt: end, flags: isUncertain ? .unconfirmedBoundary : [], in: run)
    }
    if let start = try firstStart(from: cursor.position + 1, to: end, in: run) { return skip(to: start) }
    return record(endingAt: end, flags: .unconfirmedBoundary, in: run)
  }

  /// The confirmed boundary at `end`, or after the separator there.
  private mutating func boundary(after end: Int, in run: RawSpan) throws(NeedsBytes) -> Int? {
    let isKnown = groups.first?.spacing.isKnown ?? false
    let isBoundary = isKnown ? rules.mayBegin(at: end, in: run) : rules.isPlausibleBoundary(at: end, in: run)
    if isBoundary, !isShortRest(from: end, in: run) { return end }
    if groups.isEmpty { return nil }
    let start = groups[0].start.map { $0 &- cursor.windowOffset }
    return try groups[0].spacing.next(after: end, group: start, in: run, isLast: cursor.ended)
  }

  private mutating func between(_ separator: Int) -> Step {
    let step = Step.between(offset: cursor.undecidedOffset, length: separator)
    cursor.position &+= separator
    groups[0] = TupleGroup(start: cursor.undecidedOffset, spacing: groups[0].spacing)
    return step
  }

  private mutating func record(endingAt end: Int, flags: RecordFlags, in run: RawSpan) -> Step {
    let start = cursor.position
    let length = end - start - Tuple.headerLength
    var flags = flags.union(cursor.passRecord(to: end))
    let time = run.bigEndianUInt32(at: start)
    if !rules.isPlausible(time) { flags.insert(.implausibleTimestamp) }
    if ZeroFill.isPresent(in: run, from: start + Tuple.headerLength, count: length) {
      flags.insert(.zeroFilledToken)
    }
    return .record(
      RecordRun(
        start: start, offset: cursor.windowOffset &+ start, tokenLength: length, count: 1, flags: flags,
        earliest: time, latest: time))
  }

  /// Step 1: fewer bytes than a header.
  private mutating func rest(in run: RawSpan) -> Step {
    let begins = rules.isTail(at: cursor.position, in: run) && !isShortRest(from: cursor.position, in: run)
    return begins ? truncate(in: run) : skip(to: run.byteCount)
  }

  /// Whether a dump ends with 1 to 4 bytes. They prove nothing: the same number may have been inserted before them.
  private func isShortRest(from index: Int, in run: RawSpan) -> Bool {
    !groups.isEmpty && !cursor.endsAtGap && (1...4).contains(run.byteCount &- index)
  }
}

/// Tuples of a dump that touch, up to the cursor.
private struct TupleGroup {
  /// Offset of the first of them; nil if bytes before it were skipped.
  var start: Int?
  /// Bytes of the separator at the cursor.
  var separator = 0
  var spacing: TupleSpacing
}

/// The predicates for tuple boundaries of docs/spec/decoding-rules.md#feedback-tuples, each with its name there.
///
/// `run` has all bytes of an ended run, or else a window in which `holdBack` bytes follow every index passed, so
/// that no predicate reaches its end. Indices are from 0, in `run`.
extension FeedbackRules {
  /// end(o): the index after the tuple whose header is at `index`.
  @inline(__always)
  func end(ofTupleAt index: Int, in run: RawSpan) -> Int {
    index &+ Tuple.headerLength &+ Int(run.bigEndianUInt16(at: index &+ Tuple.lengthOffset))
  }

  @inline(__always)
  func hasHeader(at index: Int, in run: RawSpan) -> Bool { run.byteCount &- index >= Tuple.headerLength }

  /// L(o) is allowed. The whole header must be in `run`.
  @inline(__always)
  func hasAllowedLength(at index: Int, in run: RawSpan) -> Bool {
    tokenLengths.contains(run.bigEndianUInt16(at: index &+ Tuple.lengthOffset))
  }

  /// odd(o): a tuple with an unusual token length could begin here. The whole header must be in `run`.
  func isOdd(at index: Int, in run: RawSpan) -> Bool {
    let length = run.bigEndianUInt16(at: index &+ Tuple.lengthOffset)
    return Int(length) <= longestToken && !tokenLengths.contains(length)
      && isPlausible(run.bigEndianUInt32(at: index))
  }

  /// tail(o): the 0 to 5 bytes left can begin a header.
  func isTail(at index: Int, in run: RawSpan) -> Bool {
    let left = run.byteCount - index
    let timeBytes = min(left, Tuple.lengthOffset)
    var prefix: UInt32 = 0
    for byte in 0..<timeBytes { prefix = prefix << 8 | UInt32(run.byte(at: index + byte)) }
    // Without any byte the shift is 32, for which `>>` gives 0, as required.
    let missingBits = UInt32(8 * (Tuple.lengthOffset - timeBytes))
    guard earliest >> missingBits <= prefix, prefix <= latest >> missingBits else { return false }
    return left <= Tuple.lengthOffset
      || Int(run.byte(at: index + Tuple.lengthOffset)) <= longestToken >> 8
  }

  /// boundary(o): `index` is a plausible tuple boundary. It must not be after the end of the run.
  func isPlausibleBoundary(at index: Int, in run: RawSpan) -> Bool {
    guard hasHeader(at: index, in: run) else { return isTail(at: index, in: run) }
    if hasAllowedLength(at: index, in: run) { return true }
    guard isOdd(at: index, in: run) else { return false }
    let end = end(ofTupleAt: index, in: run)
    if end > run.byteCount { return true }
    guard hasHeader(at: end, in: run) else { return isTail(at: end, in: run) }
    return hasAllowedLength(at: end, in: run) || isOdd(at: end, in: run)
  }
}
