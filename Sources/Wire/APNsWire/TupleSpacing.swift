import WireBytes

/// The decision depends on bytes after the window.
package struct NeedsBytes: Error {}

/// The separators of tuples that do not touch: what a program saved before or after each read
/// (docs/spec/decoding-rules.md#tuples-apart).
///
/// Indices are in a window of the run, which ends where the run does if `isLast`.
package struct TupleSpacing: Sendable {
  /// Bytes of a separator at most, and those in which the first ones must lie.
  private static let longest = 1024
  private static let reach = 16 << 10
  /// Separators that must be alike before they are known, and the length from which one less suffices.
  private static let proof = 3
  private static let longLength = 4

  let rules: FeedbackRules
  /// Bytes of two tokens that are compared: those that all have, of the last 32.
  private var compared: Int { min(rules.tokenLengths.shortest, 32) }
  /// The separator that the others are like; empty until one is known.
  private var model: [UInt8] = []
  /// Bytes from the first tuple of a group, whose tuples touch, to that of the next one.
  private var distance = 0

  package init(_ rules: FeedbackRules) { self.rules = rules }

  var isKnown: Bool { !model.isEmpty }

  /// The number of bytes from an index on that suffice for every decision about it, 34,116 by default.
  package static func reach(_ rules: FeedbackRules) -> Int { 2 * reach + longest + rules.holdBack }

  /// The index after the separator at `index`; nil if there is none.
  /// - Parameter group: the index of the first of the tuples that touch, the last of which ends at `index`; it may be
  ///   before the window. Nil if bytes before it were skipped.
  package mutating func next(
    after index: Int, group: Int?, in run: RawSpan, isLast: Bool
  ) throws(NeedsBytes) -> Int? {
    if isKnown, let end = try known(after: index, group: group, in: run, isLast: isLast) { return end }
    return try first(after: index, group: group, proof: Self.proof, in: run, isLast: isLast)
  }

  /// The first tuple of a run that begins with a separator.
  mutating func lead(at index: Int, in run: RawSpan, isLast: Bool) throws(NeedsBytes) -> Int? {
    guard let start = try find(from: index, in: run, isLast: isLast),
      let end = try groupEnd(from: start, limit: index + Self.reach, in: run, isLast: isLast)
    else { return nil }
    var series = self
    guard
      let next = try series.first(after: end, group: start, proof: Self.proof - 1, in: run, isLast: isLast),
      !Self.hasRequest(index, start, before: next, in: run)
    else { return nil }
    if !series.resembles(index..<start, from: nil, in: run) {
      // Before the first tuple, no line break ends an earlier one.
      let rest = Array(series.model.dropFirst(series.lineBreak))
      guard Self.isAlike(run.extracting(index..<start), rest.span.bytes),
        try series.first(after: end, group: start, proof: Self.proof, in: run, isLast: isLast) != nil
      else { return nil }
    }
    self = series
    return start
  }

  /// Whether a separator follows the tuple at `index`.
  func isStart(at index: Int, in run: RawSpan, isLast: Bool) throws(NeedsBytes) -> Bool {
    guard let end = try rules.tupleEnd(at: index, in: run, isLast: isLast) else { return false }
    var series = self
    return try series.next(after: end, group: nil, in: run, isLast: isLast) != nil
  }

  /// Whether a token ends like a separator, where each was to follow one tuple: it may lack their number of its own.
  func endsToken(_ token: RawSpan) -> Bool {
    isKnown && token.byteCount >= model.count
      && distance == Tuple.headerLength + token.byteCount + model.count
      && Self.agreeing(token.extracting(last: model.count), model.span.bytes) * 4 >= model.count * 3
  }

  // MARK: - Steps

  /// - Parameter proof: separators that must be alike; with long ones, one less.
  private mutating func first(
    after index: Int, group: Int?, proof: Int, in run: RawSpan, isLast: Bool
  ) throws(NeedsBytes) -> Int? {
    guard let next = try find(from: index, in: run, isLast: isLast), differ(before: index, at: next, in: run)
    else { return nil }
    var series = TupleSpacing(rules)
    series.model = run.extracting(index..<next).withUnsafeBytes { Array($0) }
    series.distance = group.map { next - $0 } ?? 0
    var (separator, tuple) = (index, next)
    for _ in 1..<(next - index < Self.longLength ? proof : proof - 1) {
      guard let end = try groupEnd(from: tuple, limit: index + Self.reach, in: run, isLast: isLast),
        let start = try series.known(after: end, group: tuple, in: run, isLast: isLast),
        differ(before: end, at: start, in: run),
        !Self.hasRequest(separator, tuple, before: start, in: run)
      else { return nil }
      (separator, tuple) = (end, start)
    }
    self = series
    return next
  }

  /// The index after a separator that is like the known one.
  private func known(
    after index: Int, group: Int?, in run: RawSpan, isLast: Bool
  ) throws(NeedsBytes) -> Int? {
    let found = try find(from: index, in: run, isLast: isLast)
    // Without a tuple, a separator may end the run.
    let end = found ?? run.byteCount
    let usual = index + model.count
    if usual < end {
      // A token need not look random where a tuple is expected.
      if rules.mayBegin(at: usual, in: run), resembles(index..<usual, from: group, in: run) { return usual }
    }
    guard end > index, found != nil || isLast && end <= index + Self.longest else { return nil }
    let isLine =
      found == nil && Self.isAlike(run.extracting(index..<end), model.span.bytes.extracting(first: lineBreak))
    return isLine || resembles(index..<end, from: group, in: run) ? end : nil
  }

  /// Whether the token that ends at `end` and that of the tuple at `next` have few bytes in common, as tokens have, and
  /// rows of a table and machine code have not.
  private func differ(before end: Int, at next: Int, in run: RawSpan) -> Bool {
    guard rules.hasHeader(at: next, in: run) else { return true }
    guard let nextEnd = try? rules.tupleEnd(at: next, in: run, isLast: true) else { return false }
    guard nextEnd <= run.byteCount else { return true }
    let same = Self.agreeing(
      run.extracting(end - compared..<end), run.extracting(nextEnd - compared..<nextEnd))
    return same * 8 <= compared
  }

  /// Whether what looks like a tuple is part of a request: its expiry, or bytes before its token, look like a time.
  /// - Parameters: the index of the separator before the tuple, that of the tuple, and that of the next one.
  private static func hasRequest(
    _ separator: Int, _ tuple: Int, before next: Int, in run: RawSpan
  ) -> Bool {
    (separator..<tuple + Tuple.lengthOffset).contains {
      guard case .known(let end) = RequestRules.standard.extent(at: $0, in: run) else { return false }
      if end - $0 == next - tuple { return true }
      guard end <= next else { return false }
      let request = RequestFields($0..<end, in: run)
      return request.token?.lowerBound == tuple + Tuple.headerLength && request.payload?.isEmpty == false
    }
  }

  /// The first index of a tuple, or of one that the end of the run cuts.
  private func find(from index: Int, in run: RawSpan, isLast: Bool) throws(NeedsBytes) -> Int? {
    var start = index
    while start <= min(index + Self.longest, run.byteCount) {
      if try rules.tupleEnd(at: start, in: run, isLast: isLast) != nil { return start }
      start += 1
    }
    return nil
  }

  /// The end of the tuples that touch; nil if it is after `limit`.
  private func groupEnd(
    from start: Int, limit: Int, in run: RawSpan, isLast: Bool
  ) throws(NeedsBytes) -> Int? {
    var end = start
    while end <= limit {
      guard let next = try rules.tupleEnd(at: end, in: run, isLast: isLast), next <= run.byteCount else {
        return end
      }
      end = next
    }
    return nil
  }

  // MARK: - Likeness

  /// Bytes of the line break that the model begins with.
  private var lineBreak: Int { model.starts(with: "\n".utf8) ? 1 : model.starts(with: "\r\n".utf8) ? 2 : 0 }

  /// Whether the separator is like the known one.
  /// - Parameter group: the index of the first of the tuples that touch before it, if it is known.
  private func resembles(_ separator: Range<Int>, from group: Int?, in run: RawSpan) -> Bool {
    let bytes = run.extracting(separator)
    if model.contains(where: { $0 != 0 }) { return Self.isAlike(bytes, model.span.bytes) }
    return bytes.withUnsafeBytes { $0.allSatisfy { $0 == 0 } }
      && (group.map { separator.upperBound - $0 == distance } ?? true || separator.count == model.count)
  }

  /// Of text, whether all but decimal numbers is the same; else, whether half of the bytes are, in the same length.
  private static func isAlike(_ bytes: RawSpan, _ model: RawSpan) -> Bool {
    guard isText(bytes) || isText(model) else {
      return bytes.byteCount == model.byteCount && agreeing(bytes, model) * 2 >= model.byteCount
    }
    var (first, second) = (0, 0)
    while first < bytes.byteCount, second < model.byteCount {
      let ends = (digitsEnd(from: first, in: bytes), digitsEnd(from: second, in: model))
      if ends.0 > first, ends.1 > second {
        (first, second) = ends
      } else if bytes.byte(at: first) == model.byte(at: second) {
        (first, second) = (first + 1, second + 1)
      } else {
        return false
      }
    }
    return first == bytes.byteCount && second == model.byteCount
  }

  private static func isText(_ bytes: RawSpan) -> Bool {
    bytes.withUnsafeBytes { $0.allSatisfy { 0x20..<0x7f ~= $0 || $0 == 9 || $0 == 10 || $0 == 13 } }
  }

  /// The number of offsets at which both, of the same length, have the same byte.
  private static func agreeing(_ bytes: RawSpan, _ others: RawSpan) -> Int {
    (0..<bytes.byteCount).count { bytes.byte(at: $0) == others.byte(at: $0) }
  }

  private static func digitsEnd(from index: Int, in bytes: RawSpan) -> Int {
    var end = index
    while end < bytes.byteCount, 0x30...0x39 ~= bytes.byte(at: end) { end += 1 }
    return end
  }
}

/// Tuples by their look, where nothing else shows that one begins.
extension FeedbackRules {
  /// Distinct values among 32 bytes of a token that looks random. Such a token has 30 on average, and fewer than 20 in one
  /// of 10^12; tables of numbers, which look like tuples otherwise, have fewer.
  private static let distinctOf32 = 20

  /// The end of the tuple at `index`, with an allowed length, a plausible time, and a token that looks random. It is
  /// after the window if the run ends inside the token, which is not judged then.
  package func tupleEnd(at index: Int, in run: RawSpan, isLast: Bool) throws(NeedsBytes) -> Int? {
    guard hasHeader(at: index, in: run) else {
      if isLast { return nil }
      throw NeedsBytes()
    }
    guard isHeader(at: index, in: run) else { return nil }
    let end = end(ofTupleAt: index, in: run)
    guard end <= run.byteCount else {
      if isLast { return end }
      throw NeedsBytes()
    }
    return looksRandom(run.extracting(index &+ Tuple.headerLength..<end)) ? end : nil
  }

  /// Whether there is a header with an allowed length and a plausible time, which must be in `run`.
  func isHeader(at index: Int, in run: RawSpan) -> Bool {
    hasAllowedLength(at: index, in: run) && isPlausible(run.bigEndianUInt32(at: index))
  }

  /// Whether a header may begin at `index`, of which fewer bytes than a header has may be left.
  func mayBegin(at index: Int, in run: RawSpan) -> Bool {
    hasHeader(at: index, in: run) ? isHeader(at: index, in: run) : isTail(at: index, in: run)
  }

  /// Whether a token has many distinct bytes; of the first 32, because more would not say more.
  package func looksRandom(_ token: RawSpan) -> Bool {
    var seen = SIMD4<UInt64>(repeating: 0)
    let counted = min(token.byteCount, 32)
    for index in 0..<counted {
      let byte = token.byte(at: index)
      seen[Int(byte &>> 6)] |= 1 &<< UInt64(byte & 63)
    }
    let distinct = (0..<4).reduce(0) { $0 &+ seen[$1].nonzeroBitCount }
    return distinct &* 32 >= Self.distinctOf32 &* counted
  }
}
