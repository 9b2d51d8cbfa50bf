import Basics

/// Counts over time as bars of one calendar unit: the smallest unit that needs no more than a given number of bars. A few
/// times far from all others do not make the unit longer; they are counted beside the bars.
package struct Timeline: Equatable {
  /// The time span of a bar.
  package enum Unit: CaseIterable, Sendable {
    case minute, fiveMinutes, quarterHour, hour, quarterDay, day, week, month, quarter, year, fiveYears,
      decade

    /// Follows "by" in a sentence.
    package var name: String {
      switch self {
      case .minute: "minute"
      case .fiveMinutes: "5 minutes"
      case .quarterHour: "15 minutes"
      case .hour: "hour"
      case .quarterDay: "6 hours"
      case .day: "day"
      case .week: "week"
      case .month: "month"
      case .quarter: "quarter"
      case .year: "year"
      case .fiveYears: "5 years"
      case .decade: "10 years"
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
  /// Times before the first bar and after the last one.
  package var earlier = 0
  package var later = 0

  package var total: Int { bars.reduce(0) { $0 + $1.count } }
  package var highest: Bar? { bars.max { $0.count < $1.count } }

  /// Nil if nothing was counted.
  /// - Parameter maxBars: at least 14, so that decades suffice.
  package init?(_ histogram: TimeHistogram, maxBars: Int) {
    let bins = histogram.bins
    guard let first = bins.first?.start, let last = bins.last?.start else { return nil }
    let units = Unit.allCases
    let whole = units.firstIndex { $0.index(of: last) - $0.index(of: first) < maxBars } ?? units.count - 1
    unit = units[whole]
    var shown = bins[...]
    // The next shorter unit may leave out times that are not far from the others.
    for shorter in units[..<max(whole - 1, 0)] where shorter.next(after: 0) >= histogram.binWidth {
      guard let most = Self.most(of: bins, in: shorter, maxBars) else { continue }
      (unit, shown) = (shorter, most)
      break
    }
    earlier = bins[..<shown.startIndex].reduce(0) { $0 + $1.count }
    later = bins[shown.endIndex...].reduce(0) { $0 + $1.count }
    bars = [Bar(start: unit.start(of: shown.first?.start ?? first), count: 0)]
    var next = unit.next(after: bars[0].start)
    for (time, count) in shown {
      while UInt64(time) >= next {
        bars.append(Bar(start: UInt32(truncatingIfNeeded: next), count: 0))
        next = unit.next(after: UInt32(truncatingIfNeeded: next))
      }
      bars[bars.count - 1].count &+= count
    }
  }
}

extension Timeline {
  /// The bins within this number of bars that have the most counts; nil if they leave out more than a few: one of four
  /// or more, or one in twenty.
  private static func most(
    of bins: [(start: UInt32, count: Int)], in unit: Unit, _ maxBars: Int
  ) -> ArraySlice<(start: UInt32, count: Int)>? {
    let all = bins.reduce(0) { $0 + $1.count }
    var (start, inside) = (0, 0)
    var best = (range: 0..<0, count: 0)
    for (end, bin) in bins.enumerated() {
      inside += bin.count
      while unit.index(of: bin.start) - unit.index(of: bins[start].start) >= maxBars {
        inside -= bins[start].count
        start += 1
      }
      if inside > best.count { best = (start..<end + 1, inside) }
    }
    return all - best.count <= max(all / 20, all > 3 ? 1 : 0) ? bins[best.range] : nil
  }
}

// MARK: - The calendar

extension Timeline.Unit {
  /// 1970-01-01 was a Thursday; weeks begin on Monday.
  private static let daysBeforeFirstMonday: UInt32 = 3

  /// A number that increases by one from bar to bar.
  /// - Parameter time: seconds since 1970.
  fileprivate func index(of time: UInt32) -> Int {
    let days = time / UTCTime.secondsPerDay
    let date = CivilDate(daysSince1970: days)
    switch self {
    case .minute: return Int(time / 60)
    case .fiveMinutes: return Int(time / 300)
    case .quarterHour: return Int(time / 900)
    case .hour: return Int(time / 3600)
    case .quarterDay: return Int(time / 21_600)
    case .day: return Int(days)
    case .week: return Int((days + Self.daysBeforeFirstMonday) / 7)
    case .month: return date.year * 12 + date.month - 1
    case .quarter: return date.year * 4 + (date.month - 1) / 3
    case .year: return date.year
    case .fiveYears: return date.year / 5
    case .decade: return date.year / 10
    }
  }

  /// Seconds since 1970 at which the bar of a time begins; 0 for a bar that begins before 1970.
  fileprivate func start(of time: UInt32) -> UInt32 { UInt32(clamping: begin(ofIndex: index(of: time))) }

  /// Seconds since 1970 at which the bar after the one that begins at `start` begins.
  fileprivate func next(after start: UInt32) -> UInt64 {
    UInt64(clamping: begin(ofIndex: index(of: start) + 1))
  }

  private func begin(ofIndex index: Int) -> Int {
    switch self {
    case .minute: index * 60
    case .fiveMinutes: index * 300
    case .quarterHour: index * 900
    case .hour: index * 3600
    case .quarterDay: index * 21_600
    case .day: index * 86_400
    case .week: (index * 7 - Int(Self.daysBeforeFirstMonday)) * 86_400
    case .month: seconds(year: index / 12, month: index % 12 + 1)
    case .quarter: seconds(year: index / 4, month: index % 4 * 3 + 1)
    case .year: seconds(year: index, month: 1)
    case .fiveYears: seconds(year: index * 5, month: 1)
    case .decade: seconds(year: index * 10, month: 1)
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
    case .minute, .fiveMinutes, .quarterHour, .hour, .quarterDay:
      return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    case .day, .week: return String(text.prefix(10))
    case .month: return String(text.prefix(7))
    case .quarter: return "\(date.year) Q\((date.month + 2) / 3)"
    case .year, .fiveYears, .decade: return "\(date.year)"
    }
  }

  /// The label in a sentence: `in the week from 2013-04-29`.
  package func phrase(_ start: UInt32) -> String {
    switch self {
    case .day: "on \(label(start))"
    case .month, .quarter, .year: "in \(label(start))"
    default: "in the \(name) from \(label(start))"
    }
  }
}
