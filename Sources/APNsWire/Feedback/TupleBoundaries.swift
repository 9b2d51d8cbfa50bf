import WireBytes

/// Where a tuple boundary may lie: the predicates of decoding-rules.md, "Feedback tuples", under their
/// names there.
///
/// `run` holds the run's bytes, or of a run that has not ended a window in which `holdBack` bytes follow
/// every place that is asked about; its end then is out of reach of every predicate. Places are indices
/// into it, from 0.
extension FeedbackRules {
  /// end(o): the place behind the tuple whose header is at `place`.
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

  /// believable(o): a tuple boundary may lie at `place`, which must not lie behind the run's end.
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
