/// How many of something fell into each hour of a span.
///
/// Hours are few: those of the twelve years of the service are 104,000, and all that 32 bits of seconds can name
/// 1.2 million. So nothing needs to be guessed beforehand about the width of bars.
package struct HourCounts: Sendable {
  static let secondsPerHour: UInt32 = 3600

  /// Hours since 1970 of the first count.
  private let first: UInt32
  private var counts: [Int]

  /// - Parameter times: seconds since 1970; others are not counted.
  package init(_ times: ClosedRange<UInt32>) {
    first = times.lowerBound / Self.secondsPerHour
    counts = [Int](repeating: 0, count: Int(times.upperBound / Self.secondsPerHour - first) + 1)
  }

  package mutating func add(_ time: UInt32) {
    let hour = Int(time / Self.secondsPerHour) - Int(first)
    if counts.indices.contains(hour) { counts[hour] &+= 1 }
  }

  /// The hours from the first to the last one with a count, with the hours since 1970 they begin at.
  var filled: [(hour: UInt32, count: Int)] {
    guard let begin = counts.firstIndex(where: { $0 > 0 }), let end = counts.lastIndex(where: { $0 > 0 })
    else { return [] }
    return (begin...end).map { (first + UInt32($0), counts[$0]) }
  }
}
