import Analysis
import Foundation
import TestSupport
import Testing

/// The order of values that need more memory than there is is that of a stable sort of all of them by key and rank.
@Suite("Sorting in bounded memory")
struct ExternalSortTests {
  /// How many keys, their lengths, and the number of their different last bytes: few give many equal keys.
  typealias Case = (name: String, count: Int, lengths: ClosedRange<Int>, variety: UInt8)

  static let cases: [Case] = [
    ("nothing", 0, 1...1, 1), ("one value", 1, 32...32, 1), ("in memory", 500, 0...40, 3),
    ("several runs", 40_000, 0...40, 255), ("equal keys in several runs", 40_000, 1...1, 2),
    ("more runs than are merged at once", 2400, 60_000...60_000, 4),
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
