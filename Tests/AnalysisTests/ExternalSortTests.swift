import Analysis
import Foundation
import TestSupport
import Testing

/// The order of values that need more memory than there is is that of a stable sort of all of them by key and rank.
@Suite("Sorting in bounded memory")
struct ExternalSortTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var count: Int
    var lengths: ClosedRange<Int>
    /// Number of different first bytes of keys: few give many equal keys.
    var variety: UInt8
  }

  static let cases = [
    Case(testDescription: "nothing", count: 0, lengths: 1...1, variety: 1),
    Case(testDescription: "one value", count: 1, lengths: 32...32, variety: 1),
    Case(testDescription: "in memory", count: 500, lengths: 0...40, variety: 3),
    Case(testDescription: "several runs", count: 40_000, lengths: 0...40, variety: 255),
    Case(testDescription: "equal keys in several runs", count: 40_000, lengths: 1...1, variety: 2),
    Case(
      testDescription: "more runs than are merged at once", count: 2400, lengths: 60_000...60_000, variety: 4),
  ]

  /// - Parameter ranks: the number of different ranks.
  @Test("is stable", arguments: cases, [1, 5])
  func order(_ example: Case, ranks: Int) throws {
    var generator = SeededGenerator(seed: 7)
    let rank = { (value: Int) in -(value % ranks) }
    let sort = ExternalSort<Int>(
      memory: 1 << 20, temporaryDirectory: NSTemporaryDirectory(), rank: rank)
    var expected: [(key: [UInt8], value: Int)] = []
    for value in 0..<example.count {
      let length = Int.random(in: example.lengths, using: &generator)
      // The bytes that differ are at the end, after those that are compared first.
      var key = [UInt8](repeating: 7, count: length)
      if length > 0 { key[length - 1] = .random(in: 0..<max(1, example.variety), using: &generator) }
      expected.append((key, value))
      try sort.add(key.span.bytes, value)
    }
    expected.sort { left, right in
      if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
      return (rank(left.value), left.value) < (rank(right.value), right.value)
    }
    var index = 0
    var differences = 0
    try sort.visit { key, value in
      let isThere = index < expected.count && expected[index].value == value
      if !isThere || !key.withUnsafeBytes({ $0.elementsEqual(expected[index].key) }) { differences += 1 }
      index += 1
    }
    #expect(index == example.count && differences == 0)
  }
}
