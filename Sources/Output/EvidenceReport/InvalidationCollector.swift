import APNsWire
import Analysis
import Basics

/// Collects tokens from a token table: counts all of them and keeps a few.
struct InvalidationCollector {
  private struct InvalidatedToken {
    var token: [UInt8]
    var verdict: TokenSummary
    var time: UInt32 { verdict.time ?? 0 }
  }

  private let clock: LocalClock?
  private var invalidations = Invalidations()
  private var repeated: TopK<InvalidatedToken>
  private var doubtful: FairSample<InvalidatedToken>

  /// - Parameters:
  ///   - limits: how many tokens to keep: those with more than one record, and doubtful ones.
  ///   - clock: of the histogram; nil for UTC.
  init(_ limits: ReportLimits, _ clock: LocalClock?) {
    self.clock = clock
    doubtful = FairSample(capacity: limits.doubtful)
    repeated = TopK(limits.repeated) { ($1.verdict.records, $0.token) < ($0.verdict.records, $1.token) }
  }

  /// - Parameter sources: the names of the inputs of the tokens' origins.
  mutating func gather(_ table: TokenTable, _ sources: [String]) throws -> Invalidations {
    // Any order will do: the lists sort the tokens themselves.
    try table.visit(inAnyOrder: true) { add($0, $1) }
    invalidations.repeated = repeated.sorted.map { Self.row($0, sources) }
    invalidations.doubtfulRows = doubtful.chosen.map { Self.row($0, sources) }
    return invalidations
  }

  private mutating func add(_ token: RawSpan, _ verdict: TokenSummary) {
    if verdict.records > 1 {
      invalidations.repeatedCount += 1
      if repeated.last.map({ $0.verdict.records <= verdict.records }) ?? true {
        repeated.add(InvalidatedToken(token: Self.bytes(token), verdict: verdict))
      }
    }
    guard let time = verdict.time else {
      if verdict.flags == .carved {
        invalidations.recovered += 1
        return
      }
      invalidations.doubtful += 1
      return addFlagged(token, verdict)
    }
    invalidations.dead += 1
    invalidations.histogram.add(clock?.seconds(at: time) ?? time)
    invalidations.times =
      min(invalidations.times?.lowerBound ?? time, time)...max(invalidations.times?.upperBound ?? time, time)
  }

  private mutating func addFlagged(_ token: RawSpan, _ verdict: TokenSummary) {
    guard let origin = verdict.origin else { return }
    let position = (Int(origin.stream), Int(clamping: origin.offset))
    guard doubtful.admits(input: Int(origin.input), at: position) else { return }
    doubtful.add(
      InvalidatedToken(token: Self.bytes(token), verdict: verdict), input: Int(origin.input), at: position)
  }

  private static func bytes(_ token: RawSpan) -> [UInt8] { token.withUnsafeBytes { Array($0) } }

  private static func row(_ invalidated: InvalidatedToken, _ sources: [String]) -> Invalidations.Row {
    var row = Invalidations.Row(
      token: ShownToken.hex(invalidated.token), time: invalidated.time,
      countedRecords: invalidated.verdict.countedRecords,
      records: invalidated.verdict.records, length: invalidated.token.count)
    row.flags = invalidated.verdict.flags.codes
    row.location = location(invalidated.verdict.origin, sources)
    if let first = invalidated.verdict.firstOrigin, first != invalidated.verdict.origin, first.time != .max {
      (row.firstTime, row.firstLocation) = (first.time, location(first, sources))
    }
    return row
  }

  private static func location(_ origin: TokenOrigin?, _ sources: [String]) -> RecordLocation? {
    guard let origin, sources.indices.contains(Int(origin.input)) else { return nil }
    var location = RecordLocation(
      source: sources[Int(origin.input)], stream: Int(origin.stream), offset: Int(clamping: origin.offset))
    location.packet = origin.packet > 0 ? Int(origin.packet) : nil
    location.fileOffset = Int(exactly: origin.fileOffset)
    return location
  }
}

/// Compares numbers, then tokens bytewise.
private func < (left: (UInt32, [UInt8]), right: (UInt32, [UInt8])) -> Bool {
  left.0 != right.0 ? left.0 < right.0 : left.1.lexicographicallyPrecedes(right.1)
}

/// The first few elements in some order, found in one pass.
struct TopK<Element> {
  private let capacity: Int
  private let precedes: (Element, Element) -> Bool
  private var elements: [Element] = []
  /// The last of the first few so far; what comes after it is not among them. Nil while there is room.
  private(set) var last: Element?

  /// - Parameters:
  ///   - capacity: how many elements to keep.
  ///   - precedes: a strict total order.
  init(_ capacity: Int, by precedes: @escaping (Element, Element) -> Bool) {
    (self.capacity, self.precedes) = (capacity, precedes)
  }

  mutating func add(_ element: Element) {
    if let last, !precedes(element, last) { return }
    elements.append(element)
    guard elements.count > 2 * capacity else { return }
    elements.sort(by: precedes)
    elements.removeLast(elements.count - capacity)
    last = elements.last
  }

  var sorted: [Element] { Array(elements.sorted(by: precedes).prefix(capacity)) }
}
