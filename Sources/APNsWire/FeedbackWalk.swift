import WireBytes

/// The walk over a run: steps 1 to 5 of docs/spec/decoding-rules.md#feedback-tuples.
///
/// It sees the run through a window of bytes that moves along with it. Until the run has ended, an index is
/// decided only where `holdBack` bytes follow it, so no predicate ever reaches the window's end, and the
/// answers are the same wherever the window was cut.
struct TupleWalk: RunWalk {
  typealias Step = FeedbackDecoder.Step

  private enum Mode: Sendable {
    /// At a boundary.
    case walking
    /// Looking for a start, from `skipStart` of the stream on. `byWalk` is false where only the beginning of
    /// the run is searched for.
    case searching(skipStart: Int, byWalk: Bool)
  }

  let rules: FeedbackRules
  var cursor: RunCursor
  private var mode: Mode
  /// Whether the walk has just skipped bytes.
  private var resynchronised = false

  init(rules: FeedbackRules, offset: Int, beginsStream: Bool) {
    self.rules = rules
    cursor = RunCursor(offset: offset)
    self.mode = beginsStream ? .walking : .searching(skipStart: offset, byWalk: false)
  }

  var holdBack: Int { rules.holdBack }
  var firstCopy: Int { rules.holdBack }

  /// Offset in the stream of the first byte that is being skipped, while a start is searched for.
  var pendingSkip: Int? {
    if case .searching(let skipStart, _) = mode { skipStart } else { nil }
  }

  /// Decides one step; nil where the window does not reach far enough or, at the run's end, holds nothing
  /// more.
  mutating func step(in run: RawSpan) -> Step? {
    while true {
      if case .searching(let skipStart, let byWalk) = mode {
        guard let found = search(in: run) else { return endOfSearch(from: skipStart, in: run) }
        mode = .walking
        resynchronised = byWalk
        let length = cursor.windowOffset &+ found &- skipStart
        if length > 0 { return .skipped(offset: skipStart, length: length) }
      }
      guard canDecide(cursor.position, in: run) else { return nil }
      if let step = regularRecords(in: run) ?? walk(in: run) { return step }
    }
  }

  @inline(__always)
  private func canDecide(_ index: Int, in run: RawSpan) -> Bool {
    let left = run.byteCount &- index
    return cursor.ended ? left > 0 : left >= rules.holdBack
  }

  /// The first start from `cursor.position` on, which moves over the indices that are none.
  private mutating func search(in run: RawSpan) -> Int? {
    while canDecide(cursor.position, in: run) {
      if rules.isStart(at: cursor.position, in: run) { return cursor.position }
      cursor.position &+= 1
    }
    return nil
  }

  private mutating func endOfSearch(from skipStart: Int, in run: RawSpan) -> Step? {
    guard cursor.ended else { return nil }
    mode = .walking
    let length = cursor.windowOffset &+ run.byteCount &- skipStart
    return length > 0 ? .skipped(offset: skipStart, length: length) : nil
  }

  /// The hot path: tuples in a row of one allowed length, with plausible times and nothing to flag, each
  /// with an allowed length after it (step 3 by rule 2 of believable). Nil where there is none.
  private mutating func regularRecords(in run: RawSpan) -> Step? {
    let first = cursor.position
    guard !resynchronised, rules.hasHeader(at: first, in: run) else { return nil }
    let length = run.bigEndianUInt16(at: first &+ Tuple.lengthOffset)
    guard rules.tokenLengths.contains(length) else { return nil }
    let stride = Tuple.headerLength &+ Int(length)
    // Up to here the header after a tuple is in the window.
    let last = run.byteCount &- (cursor.ended ? stride &+ Tuple.headerLength : rules.holdBack)
    let (count, times) = countRegular(in: run, from: first, to: last, length: length)
    guard count > 0 else { return nil }
    cursor.position = first &+ count &* stride
    return .records(
      RecordRun(
        window: cursor.window, start: first, offset: cursor.windowOffset &+ first, tokenLength: Int(length),
        count: count, flags: [], times: times))
  }

  /// How many regular tuples with tokens of `length` bytes there are in a row from `first`, none of them
  /// beginning after `last`, and between which times they are. A tuple and the header after it must lie in the window if it begins at `last`
  /// or before: that is why the loads need no check of their own.
  private func countRegular(
    in run: RawSpan, from first: Int, to last: Int, length: UInt16
  ) -> (count: Int, times: (earliest: UInt32, latest: UInt32)) {
    let stride = Tuple.headerLength &+ Int(length)
    let (earliest, plausibleSpan) = (rules.earliest, rules.latest &- rules.earliest)
    // Seconds after `earliest`.
    var (lowest, highest) = (UInt32.max, UInt32.min)
    var index = first
    var count = 0
    while index <= last {
      let following = run.uncheckedBigEndianUInt16(at: index &+ stride &+ Tuple.lengthOffset)
      let time = run.uncheckedBigEndianUInt32(at: index) &- earliest
      guard time <= plausibleSpan,
        !ZeroFill.isPresent(in: run, from: index &+ Tuple.headerLength, count: Int(length)),
        following == length || rules.tokenLengths.contains(following)
      else { break }
      lowest = min(lowest, time)
      highest = max(highest, time)
      count &+= 1
      index &+= stride
      if following != length { break }
    }
    return (count, (earliest &+ lowest, earliest &+ highest))
  }

  /// Steps 1 to 5 at `cursor.position`, a boundary from which `holdBack` bytes or the run's end can be seen.
  /// Nil where step 5 has begun a search.
  private mutating func walk(in run: RawSpan) -> Step? {
    let index = cursor.position
    guard rules.hasHeader(at: index, in: run) else { return truncate(in: run) }
    let isAllowed = rules.hasAllowedLength(at: index, in: run)
    let isOdd = rules.isOdd(at: index, in: run)
    let end = rules.end(ofTupleAt: index, in: run)
    if isAllowed || isOdd, end > run.byteCount {
      guard let start = rules.firstStart(from: index + 1, to: run.byteCount, in: run) else {
        return truncate(in: run)
      }
      return skip(to: start)
    }
    if isAllowed {
      if rules.isBelievable(at: end, in: run) { return record(endingAt: end, flags: [], in: run) }
      if let start = rules.firstStart(from: index + 1, to: end, in: run) { return skip(to: start) }
      return record(endingAt: end, flags: .unconfirmedBoundary, in: run)
    }
    if isOdd, rules.isBelievable(at: index, in: run) {
      let isEmpty = end == index + Tuple.headerLength
      return record(
        endingAt: end, flags: isEmpty ? .zeroLengthToken : .unexpectedTokenLength, in: run)
    }
    mode = .searching(skipStart: cursor.windowOffset &+ index, byWalk: true)
    cursor.position += 1
    return nil
  }

  private mutating func record(endingAt end: Int, flags: RecordFlags, in run: RawSpan) -> Step {
    let start = cursor.position
    let length = end - start - Tuple.headerLength
    var flags = flags
    if resynchronised { flags.insert(.resynchronised) }
    let time = run.bigEndianUInt32(at: start)
    if !rules.isPlausible(time) { flags.insert(.implausibleTimestamp) }
    if ZeroFill.isPresent(in: run, from: start + Tuple.headerLength, count: length) {
      flags.insert(.zeroFilledToken)
    }
    resynchronised = false
    cursor.position = end
    return .records(
      RecordRun(
        window: cursor.window, start: start, offset: cursor.windowOffset &+ start, tokenLength: length,
        count: 1, flags: flags, times: (time, time)))
  }

  private mutating func skip(to start: Int) -> Step {
    defer {
      cursor.position = start
      resynchronised = true
    }
    return .skipped(offset: cursor.windowOffset &+ cursor.position, length: start - cursor.position)
  }

  private mutating func truncate(in run: RawSpan) -> Step {
    defer { cursor.position = run.byteCount }
    return .truncated(offset: cursor.windowOffset &+ cursor.position, length: run.byteCount - cursor.position)
  }
}

/// Where a tuple boundary may lie: the predicates of docs/spec/decoding-rules.md#plausible-boundaries, under their names there.
///
/// `run` holds the run's bytes, or of a run that has not ended a window in which `holdBack` bytes follow
/// every index that is asked about; its end then is out of reach of every predicate. Indices count
/// in it, from 0.
extension FeedbackRules {
  /// end(o): the index after the tuple whose header is at `index`.
  @inline(__always)
  func end(ofTupleAt index: Int, in run: RawSpan) -> Int {
    index &+ Tuple.headerLength &+ Int(run.bigEndianUInt16(at: index &+ Tuple.lengthOffset))
  }

  @inline(__always)
  func hasHeader(at index: Int, in run: RawSpan) -> Bool {
    run.byteCount &- index >= Tuple.headerLength
  }

  /// L(o) is allowed. A whole header must be there.
  @inline(__always)
  func hasAllowedLength(at index: Int, in run: RawSpan) -> Bool {
    tokenLengths.contains(run.bigEndianUInt16(at: index &+ Tuple.lengthOffset))
  }

  /// odd(o): a tuple with an unusual token length could be here. A whole header must be there.
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
    for byte in 0..<timeBytes {
      prefix = prefix << 8 | UInt32(run.byte(at: index + byte))
    }
    // With no byte there the shift is 32, which `>>` makes 0, as it should.
    let missingBits = UInt32(8 * (Tuple.lengthOffset - timeBytes))
    guard earliest >> missingBits <= prefix, prefix <= latest >> missingBits else { return false }
    return left <= Tuple.lengthOffset
      || Int(run.byte(at: index + Tuple.lengthOffset)) <= longestToken >> 8
  }

  /// believable(o): a tuple boundary may lie at `index`, which must not be after the run's end.
  func isBelievable(at index: Int, in run: RawSpan) -> Bool {
    guard hasHeader(at: index, in: run) else { return isTail(at: index, in: run) }
    if hasAllowedLength(at: index, in: run) { return true }
    guard isOdd(at: index, in: run) else { return false }
    let end = end(ofTupleAt: index, in: run)
    if end > run.byteCount { return true }
    guard hasHeader(at: end, in: run) else { return isTail(at: end, in: run) }
    return hasAllowedLength(at: end, in: run) || isOdd(at: end, in: run)
  }

  /// start(p): decoding may resume at `index`.
  func isStart(at index: Int, in run: RawSpan) -> Bool {
    guard hasHeader(at: index, in: run), hasAllowedLength(at: index, in: run),
      isPlausible(run.bigEndianUInt32(at: index))
    else { return false }
    let end = end(ofTupleAt: index, in: run)
    return end <= run.byteCount && isBelievable(at: end, in: run)
  }

  /// The first start from `index` on and before `end`, which is at most the run's.
  func firstStart(from index: Int, to end: Int, in run: RawSpan) -> Int? {
    var candidate = index
    while candidate < end {
      if isStart(at: candidate, in: run) { return candidate }
      candidate &+= 1
    }
    return nil
  }
}
