import WireBytes

/// The walk over a run: steps 1 to 5 of decoding-rules.md, "Feedback tuples".
///
/// It sees the run through a window of bytes that moves along with it. Until the run has ended, a place is
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
  private func canDecide(_ place: Int, in run: RawSpan) -> Bool {
    let left = run.byteCount &- place
    return cursor.ended ? left > 0 : left >= rules.holdBack
  }

  /// The first start from `cursor.position` on, which moves over the places that are none.
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
    // Up to here the header after a tuple is in the cursor.window.
    let last = run.byteCount &- (cursor.ended ? stride &+ Tuple.headerLength : rules.holdBack)
    let count = countRegular(in: run, from: first, to: last, length: length)
    guard count > 0 else { return nil }
    cursor.position = first &+ count &* stride
    return .records(
      RecordRun(
        window: cursor.window, start: first, offset: cursor.windowOffset &+ first, tokenLength: Int(length),
        count: count,
        flags: []))
  }

  /// How many regular tuples with tokens of `length` bytes stand in a row from `first`, none of them
  /// beginning after `last`. A tuple and the header after it must lie in the cursor.window if it begins at `last`
  /// or before: that is why the loads need no check of their own.
  private func countRegular(in run: RawSpan, from first: Int, to last: Int, length: UInt16) -> Int {
    let stride = Tuple.headerLength &+ Int(length)
    let plausibleSpan = rules.latest &- rules.earliest
    var place = first
    var count = 0
    while place <= last {
      let following = run.uncheckedBigEndianUInt16(at: place &+ stride &+ Tuple.lengthOffset)
      guard run.uncheckedBigEndianUInt32(at: place) &- rules.earliest <= plausibleSpan,
        !ZeroFill.isPresent(in: run, from: place &+ Tuple.headerLength, count: Int(length))
      else { break }
      if following != length { return rules.tokenLengths.contains(following) ? count &+ 1 : count }
      count &+= 1
      place &+= stride
    }
    return count
  }

  /// Steps 1 to 5 at `cursor.position`, a boundary from which `holdBack` bytes or the run's end can be seen.
  /// Nil where step 5 has begun a search.
  private mutating func walk(in run: RawSpan) -> Step? {
    let place = cursor.position
    guard rules.hasHeader(at: place, in: run) else { return truncate(in: run) }
    let isAllowed = rules.hasAllowedLength(at: place, in: run)
    let isOdd = rules.isOdd(at: place, in: run)
    let end = rules.end(ofTupleAt: place, in: run)
    if isAllowed || isOdd, end > run.byteCount {
      guard let start = rules.firstStart(from: place + 1, to: run.byteCount, in: run) else {
        return truncate(in: run)
      }
      return skip(to: start)
    }
    if isAllowed {
      if rules.isBelievable(at: end, in: run) { return record(endingAt: end, flags: [], in: run) }
      if let start = rules.firstStart(from: place + 1, to: end, in: run) { return skip(to: start) }
      return record(endingAt: end, flags: .unconfirmedBoundary, in: run)
    }
    if isOdd, rules.isBelievable(at: place, in: run) {
      let isEmpty = end == place + Tuple.headerLength
      return record(
        endingAt: end, flags: isEmpty ? .zeroLengthToken : .unexpectedTokenLength, in: run)
    }
    mode = .searching(skipStart: cursor.windowOffset &+ place, byWalk: true)
    cursor.position += 1
    return nil
  }

  private mutating func record(endingAt end: Int, flags: RecordFlags, in run: RawSpan) -> Step {
    let start = cursor.position
    let length = end - start - Tuple.headerLength
    var flags = flags
    if resynchronised { flags.insert(.resynchronised) }
    if !rules.isPlausible(run.bigEndianUInt32(at: start)) { flags.insert(.implausibleTimestamp) }
    if ZeroFill.isPresent(in: run, from: start + Tuple.headerLength, count: length) {
      flags.insert(.zeroFilledToken)
    }
    resynchronised = false
    cursor.position = end
    return .records(
      RecordRun(
        window: cursor.window, start: start, offset: cursor.windowOffset &+ start, tokenLength: length,
        count: 1,
        flags: flags))
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

/// Where a tuple boundary may lie: the predicates of decoding-rules.md, "Feedback tuples", under their
/// names there.
///
/// `run` holds the run's bytes, or of a run that has not ended a window in which `holdBack` bytes follow
/// every place that is asked about; its end then is out of reach of every predicate. Places are indices
/// into it, from 0.
extension FeedbackRules {
  /// end(o): the index after the tuple whose header is at `place`.
  @inline(__always)
  func end(ofTupleAt place: Int, in run: RawSpan) -> Int {
    place &+ Tuple.headerLength &+ Int(run.bigEndianUInt16(at: place &+ Tuple.lengthOffset))
  }

  @inline(__always)
  func hasHeader(at place: Int, in run: RawSpan) -> Bool {
    run.byteCount &- place >= Tuple.headerLength
  }

  /// L(o) is allowed. A whole header must be there.
  @inline(__always)
  func hasAllowedLength(at place: Int, in run: RawSpan) -> Bool {
    tokenLengths.contains(run.bigEndianUInt16(at: place &+ Tuple.lengthOffset))
  }

  /// odd(o): a tuple with an unusual token length could be here. A whole header must be there.
  func isOdd(at place: Int, in run: RawSpan) -> Bool {
    let length = run.bigEndianUInt16(at: place &+ Tuple.lengthOffset)
    return Int(length) <= longestToken && !tokenLengths.contains(length)
      && isPlausible(run.bigEndianUInt32(at: place))
  }

  /// tail(o): the 0 to 5 bytes left can begin a header.
  func isTail(at place: Int, in run: RawSpan) -> Bool {
    let left = run.byteCount - place
    let timeBytes = min(left, Tuple.lengthOffset)
    var prefix: UInt32 = 0
    for index in 0..<timeBytes {
      prefix = prefix << 8 | UInt32(run.byte(at: place + index))
    }
    // With no byte there the shift is 32, which `>>` makes 0, as it should.
    let missingBits = UInt32(8 * (Tuple.lengthOffset - timeBytes))
    guard earliest >> missingBits <= prefix, prefix <= latest >> missingBits else { return false }
    return left <= Tuple.lengthOffset
      || Int(run.byte(at: place + Tuple.lengthOffset)) <= longestToken >> 8
  }

  /// believable(o): a tuple boundary may lie at `place`, which must not be after the run's end.
  func isBelievable(at place: Int, in run: RawSpan) -> Bool {
    guard hasHeader(at: place, in: run) else { return isTail(at: place, in: run) }
    if hasAllowedLength(at: place, in: run) { return true }
    guard isOdd(at: place, in: run) else { return false }
    let end = end(ofTupleAt: place, in: run)
    if end > run.byteCount { return true }
    guard hasHeader(at: end, in: run) else { return isTail(at: end, in: run) }
    return hasAllowedLength(at: end, in: run) || isOdd(at: end, in: run)
  }

  /// start(p): decoding may resume at `place`.
  func isStart(at place: Int, in run: RawSpan) -> Bool {
    guard hasHeader(at: place, in: run), hasAllowedLength(at: place, in: run),
      isPlausible(run.bigEndianUInt32(at: place))
    else { return false }
    let end = end(ofTupleAt: place, in: run)
    return end <= run.byteCount && isBelievable(at: end, in: run)
  }

  /// The first start from `place` on and before `end`, which is at most the run's.
  func firstStart(from place: Int, to end: Int, in run: RawSpan) -> Int? {
    var candidate = place
    while candidate < end {
      if isStart(at: candidate, in: run) { return candidate }
      candidate &+= 1
    }
    return nil
  }
}
