import Analysis
import Reports
import WireBytes

/// The deaths that a token table tells of: all of them counted, the first few kept.
package struct DeathGathering {
  private struct Death {
    var token: [UInt8]
    var verdict: TokenVerdict

    var time: UInt32 { verdict.time ?? 0 }
  }

  private var deaths = Deaths()
  private var latest: TopList<Death>
  private var repeated: TopList<Death>

  /// - Parameters:
  ///   - maxTokens: dead tokens kept.
  ///   - maxRepeated: tokens kept that more than one record names.
  ///   - times: plausible times.
  package init(maxTokens: Int, maxRepeated: Int, times: ClosedRange<UInt32>) {
    deaths.hours = HourCounts(times)
    latest = TopList(maxTokens) { ($1.time, $0.token) < ($0.time, $1.token) }
    repeated = TopList(maxRepeated) {
      ($1.verdict.records, $0.token) < ($0.verdict.records, $1.token)
    }
  }

  /// - Parameter names: what tokens are called.
  package mutating func gather(_ table: TokenTable, names: TokenNames) throws -> Deaths {
    var gathered = self
    // Which order the tokens come in does not show: the lists have orders of their own.
    try table.visitInAnyOrder { token, verdict in gathered.add(token, verdict) }
    self = gathered
    deaths.rows = try latest.sorted.map { try Self.row($0, names) }
    deaths.repeated = try repeated.sorted.map { try Self.row($0, names) }
    return deaths
  }

  private mutating func add(_ token: RawSpan, _ verdict: TokenVerdict) {
    if verdict.records > 1 {
      deaths.repeatedCount += 1
      if repeated.last.map({ $0.verdict.records <= verdict.records }) ?? true {
        repeated.add(Death(token: Self.bytes(token), verdict: verdict))
      }
    }
    guard let time = verdict.time else {
      deaths.doubtful += 1
      return
    }
    deaths.dead += 1
    deaths.hours.add(time)
    deaths.times = min(deaths.times?.lowerBound ?? time, time)...max(deaths.times?.upperBound ?? time, time)
    if latest.last.map({ $0.time <= time }) ?? true {
      latest.add(Death(token: Self.bytes(token), verdict: verdict))
    }
  }

  private static func bytes(_ token: RawSpan) -> [UInt8] { token.withUnsafeBytes { Array($0) } }

  private static func row(_ death: Death, _ names: TokenNames) throws -> Deaths.Row {
    Deaths.Row(
      token: try names.name(death.token), time: death.time, countedRecords: death.verdict.countedRecords,
      records: death.verdict.records, length: death.token.count)
  }
}

/// Tokens in the order of their bytes, one before its extensions.
private func < (left: (UInt32, [UInt8]), right: (UInt32, [UInt8])) -> Bool {
  left.0 != right.0 ? left.0 < right.0 : left.1.lexicographicallyPrecedes(right.1)
}

/// The first few of many elements in some order, found in one pass: a heap of those so far, the last of them on top.
struct TopList<Element> {
  private let capacity: Int
  private let precedes: (Element, Element) -> Bool
  private var heap: [Element] = []

  /// - Parameters:
  ///   - capacity: how many are kept.
  ///   - precedes: a strict order of all elements.
  init(_ capacity: Int, by precedes: @escaping (Element, Element) -> Bool) {
    self.capacity = capacity
    self.precedes = precedes
  }

  /// The one that leaves next; nil while there is room.
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

  /// In order.
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
