import Analysis
import Reports
import WireBytes

/// Collects tokens from a token table: counts all of them and keeps a few.
package struct InvalidationCollector {
  private struct InvalidatedToken {
    var token: [UInt8]
    var verdict: TokenSummary

    var time: UInt32 { verdict.time ?? 0 }
  }

  private var invalidations = Invalidations()
  private var latest: TopK<InvalidatedToken>
  private var repeated: TopK<InvalidatedToken>
  private var doubtful: FairSample<InvalidatedToken>

  /// - Parameters:
  ///   - maxTokens: how many invalidated tokens to keep.
  ///   - maxRepeated: how many tokens with more than one record to keep.
  ///   - maxDoubtful: how many tokens to keep whose records all carry a flag.
  package init(maxTokens: Int, maxRepeated: Int, maxDoubtful: Int) {
    doubtful = FairSample(capacity: maxDoubtful)
    latest = TopK(maxTokens) { ($1.time, $0.token) < ($0.time, $1.token) }
    repeated = TopK(maxRepeated) {
      ($1.verdict.records, $0.token) < ($0.verdict.records, $1.token)
    }
  }

  /// - Parameters:
  ///   - sources: the names of the inputs of the tokens' origins.
  ///   - names: the form in which the report shows tokens.
  package mutating func gather(_ table: TokenTable, _ sources: [String], names: TokenNames) throws
    -> Invalidations
  {
    var gathered = self
    // Any order will do: the lists sort the tokens themselves.
    try table.visitInAnyOrder { token, verdict in gathered.add(token, verdict) }
    self = gathered
    invalidations.rows = try latest.sorted.map { try Self.row($0, sources, names) }
    invalidations.repeated = try repeated.sorted.map { try Self.row($0, sources, names) }
    invalidations.doubtfulRows = try doubtful.chosen.map { try Self.row($0, sources, names) }
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
      invalidations.doubtful += 1
      return addDoubtful(token, verdict)
    }
    invalidations.dead += 1
    invalidations.histogram.add(time)
    invalidations.times =
      min(invalidations.times?.lowerBound ?? time, time)...max(invalidations.times?.upperBound ?? time, time)
    if latest.last.map({ $0.time <= time }) ?? true {
      latest.add(InvalidatedToken(token: Self.bytes(token), verdict: verdict))
    }
  }

  private mutating func addDoubtful(_ token: RawSpan, _ verdict: TokenSummary) {
    guard let origin = verdict.origin else { return }
    let position = FairSample<InvalidatedToken>.Position(
      stream: Int(origin.stream), offset: Int(clamping: origin.offset))
    guard doubtful.admits(input: Int(origin.input), at: position) else { return }
    doubtful.add(
      InvalidatedToken(token: Self.bytes(token), verdict: verdict), input: Int(origin.input), at: position)
  }

  private static func bytes(_ token: RawSpan) -> [UInt8] { token.withUnsafeBytes { Array($0) } }

  private static func row(_ invalidated: InvalidatedToken, _ sources: [String], _ names: TokenNames) throws
    -> Invalidations.Row
  {
    var row = Invalidations.Row(
      token: try names.name(invalidated.token), time: invalidated.time,
      countedRecords: invalidated.verdict.countedRecords,
      records: invalidated.verdict.records, length: invalidated.token.count)
    row.flags = invalidated.verdict.flags.codes
    if let origin = invalidated.verdict.origin, sources.indices.contains(Int(origin.input)) {
      row.location = RecordLocation(
        source: sources[Int(origin.input)], stream: Int(origin.stream), offset: Int(clamping: origin.offset))
    }
    return row
  }
}

/// Compares numbers, then tokens bytewise.
private func < (left: (UInt32, [UInt8]), right: (UInt32, [UInt8])) -> Bool {
  left.0 != right.0 ? left.0 < right.0 : left.1.lexicographicallyPrecedes(right.1)
}

/// The first few elements in some order, found in one pass with a heap whose top is the last of them.
struct TopK<Element> {
  private let capacity: Int
  private let precedes: (Element, Element) -> Bool
  private var heap: [Element] = []

  /// - Parameters:
  ///   - capacity: how many elements to keep.
  ///   - precedes: a strict total order.
  init(_ capacity: Int, by precedes: @escaping (Element, Element) -> Bool) {
    self.capacity = capacity
    self.precedes = precedes
  }

  /// The element that is evicted next; nil while there is room.
  var last: Element? { heap.count < capacity ? nil : heap.first }
  var isFull: Bool { heap.count >= capacity }

  mutating func add(_ element: Element) {
    guard capacity > 0 else { return }
    if heap.count < capacity {
      heap.append(element)
      rise(from: heap.count - 1)
    } else if precedes(element, heap[0]) {
      heap[0] = element
      sink()
    }
  }

  var sorted: [Element] { heap.sorted(by: precedes) }

  private mutating func rise(from index: Int) {
    var child = index
    while child > 0, precedes(heap[(child - 1) / 2], heap[child]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var last = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if precedes(heap[last], heap[child]) { last = child }
      }
      if last == parent { return }
      heap.swapAt(parent, last)
      parent = last
    }
  }
}
