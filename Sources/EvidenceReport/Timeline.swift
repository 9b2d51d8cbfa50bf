import WireBytes

/// Counts over time as bars of one calendar unit: the smallest unit that needs no more than `maxBars` bars.
package struct Timeline: Equatable {
  /// More bars could not be distinguished on paper.
  package static let maxBars = 62

  /// The time span of a bar.
  package enum Unit: CaseIterable, Sendable {
    case hour, quarterDay, day, week, month, quarter, year, fiveYears

    /// Follows "by" in a sentence.
    var name: String {
      switch self {
      case .hour: "hour"
      case .quarterDay: "quarter of a day"
      case .day: "day"
      case .week: "week"
      case .month: "month"
      case .quarter: "quarter of a year"
      case .year: "year"
      case .fiveYears: "five years"
      }
    }
  }

  package struct Bar: Equatable {
    /// Seconds since 1970.
    package var start: UInt32
    package var count: Int

    package init(start: UInt32, count: Int) {
      self.start = start
      self.count = count
    }
  }

  package var unit: Unit
  /// From the first to the last bar with a count; bars between may be empty.
  package var bars: [Bar]

  var total: Int { bars.reduce(0) { $0 + $1.count } }
  var highest: Bar? { bars.max { $0.count < $1.count } }

  init(unit: Unit, bars: [Bar]) {
    self.unit = unit
    self.bars = bars
  }

  /// Nil if nothing was counted.
  package init?(_ counts: HourCounts) {
    let hours = counts.filled
    guard let first = hours.first?.hour, let last = hours.last?.hour else { return nil }
    let unit = Unit.allCases.first { $0.bars(from: first, to: last) <= Self.maxBars } ?? .fiveYears
    var bars = [Bar(start: unit.start(of: first), count: 0)]
    var next = unit.next(after: bars[0].start)
    for (hour, count) in hours {
      let time = UInt64(hour) * UInt64(HourCounts.secondsPerHour)
      while time >= next {
        bars.append(Bar(start: UInt32(truncatingIfNeeded: next), count: 0))
        next = unit.next(after: UInt32(truncatingIfNeeded: next))
      }
      bars[bars.count - 1].count &+= count
    }
    self.init(unit: unit, bars: bars)
  }
}

// MARK: - The calendar

extension Timeline.Unit {
  /// 1970-01-01 was a Thursday; weeks begin on Monday.
  private static let daysBeforeFirstMonday: UInt32 = 3

  /// Number of bars from one hour since 1970 to another.
  func bars(from first: UInt32, to last: UInt32) -> Int {
    index(of: last) - index(of: first) + 1
  }

  /// A number that increases by one from bar to bar.
  private func index(of hour: UInt32) -> Int {
    let days = hour / 24
    let date = CivilDate(daysSince1970: days)
    switch self {
    case .hour: return Int(hour)
    case .quarterDay: return Int(hour / 6)
    case .day: return Int(days)
    case .week: return Int((days + Self.daysBeforeFirstMonday) / 7)
    case .month: return date.year * 12 + date.month - 1
    case .quarter: return date.year * 4 + (date.month - 1) / 3
    case .year: return date.year
    case .fiveYears: return date.year / 5
    }
  }

  /// Seconds since 1970 at which the bar of an hour begins; 0 for a bar that begins before 1970.
  func start(of hour: UInt32) -> UInt32 {
    begin(ofIndex: index(of: hour)).map { UInt32(clamping: $0) } ?? 0
  }

  /// Seconds since 1970 at which the bar after the one that begins at `start` begins.
  func next(after start: UInt32) -> UInt64 {
    let index = index(of: start / HourCounts.secondsPerHour) + 1
    return begin(ofIndex: index).map { UInt64(clamping: $0) } ?? .max
  }

  private func begin(ofIndex index: Int) -> Int? {
    switch self {
    case .hour: return index * 3600
    case .quarterDay: return index * 6 * 3600
    case .day: return index * 86_400
    case .week: return (index * 7 - Int(Self.daysBeforeFirstMonday)) * 86_400
    case .month: return seconds(year: index / 12, month: index % 12 + 1)
    case .quarter: return seconds(year: index / 4, month: index % 4 * 3 + 1)
    case .year: return seconds(year: index, month: 1)
    case .fiveYears: return seconds(year: index * 5, month: 1)
    }
  }

  private func seconds(year: Int, month: Int) -> Int {
    CivilDate(year: year, month: month, day: 1).daysSince1970 * 86_400
  }

  /// The label of a bar: `2013-05-01`, `2013-05`.
  package func label(_ start: UInt32) -> String {
    let text = UTCTime.text(start)
    let date = CivilDate(daysSince1970: start / UTCTime.secondsPerDay)
    switch self {
    case .hour, .quarterDay: return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    case .day, .week: return String(text.prefix(10))
    case .month: return String(text.prefix(7))
    case .quarter: return "\(date.year) Q\((date.month + 2) / 3)"
    case .year, .fiveYears: return "\(date.year)"
    }
  }

  /// The label in a sentence: `in the week from 2013-04-29`.
  func phrase(_ start: UInt32) -> String {
    switch self {
    case .hour: "in the hour from \(label(start))"
    case .quarterDay: "in the six hours from \(label(start))"
    case .day: "on \(label(start))"
    case .month, .quarter, .year: "in \(label(start))"
    case .week: "in the week from \(label(start))"
    case .fiveYears: "in the five years from \(label(start))"
    }
  }
}

/// Counts per hour of a time span.
///
/// The twelve years of the service have 104,000 hours, and 32 bits of seconds cover 1.2 million. So the counts fit in
/// memory, and the unit of the bars can be chosen afterwards.
package struct HourCounts: Sendable {
  static let secondsPerHour: UInt32 = 3600

  /// Hours since 1970 of the first count.
  private let first: UInt32
  private var counts: [Int]

  /// - Parameter times: the times to count, in seconds since 1970; others are ignored.
  package init(_ times: ClosedRange<UInt32>) {
    first = times.lowerBound / Self.secondsPerHour
    counts = [Int](repeating: 0, count: Int(times.upperBound / Self.secondsPerHour - first) + 1)
  }

  package mutating func add(_ time: UInt32) {
    let hour = Int(time / Self.secondsPerHour) - Int(first)
    if counts.indices.contains(hour) { counts[hour] &+= 1 }
  }

  /// The hours from the first to the last one with a count, as hours since 1970.
  var filled: [(hour: UInt32, count: Int)] {
    guard let begin = counts.firstIndex(where: { $0 > 0 }), let end = counts.lastIndex(where: { $0 > 0 })
    else { return [] }
    return (begin...end).map { (first + UInt32($0), counts[$0]) }
  }
}
