import Basics

/// Counts over time as bars of one calendar unit: the smallest unit that needs no more than a given number of bars. A few
/// times far from all others do not make the unit longer; they are counted beside the bars.
package struct Timeline: Equatable {
  /// The time span of a bar, in seconds or in months.
  package struct Unit: Equatable, Sendable {
    /// Follows "by" in a sentence.
    package let name: String
    fileprivate var seconds = 0
    fileprivate var months = 0

    package static let minute = Unit(name: "minute", seconds: 60)
    package static let fiveMinutes = Unit(name: "5 minutes", seconds: 300)
    package static let quarterHour = Unit(name: "15 minutes", seconds: 900)
    package static let hour = Unit(name: "hour", seconds: 3600)
    package static let quarterDay = Unit(name: "6 hours", seconds: 21_600)
    package static let day = Unit(name: "day", seconds: 86_400)
    package static let week = Unit(name: "week", seconds: 604_800)
    package static let month = Unit(name: "month", months: 1)
    package static let quarter = Unit(name: "quarter", months: 3)
    package static let year = Unit(name: "year", months: 12)
    package static let fiveYears = Unit(name: "5 years", months: 60)
    package static let decade = Unit(name: "10 years", months: 120)

    fileprivate static let all = [
      minute, fiveMinutes, quarterHour, hour, quarterDay, day, week, month, quarter, year, fiveYears, decade,
    ]
  }

  package struct Bar: Equatable {
    /// Seconds since 1970.
    package var start: UInt32
    package var count: Int
  }

  package var unit: Unit
  /// From the first to the last bar with a count; bars between may be empty.
  package var bars: [Bar]
  /// Times before the first bar and after the last one.
  package var earlier = 0
  package var later = 0

  /// The index of the bar with a time; nil if it is outside of the bars.
  package func bar(of time: UInt32) -> Int? {
    let index = unit.index(of: time) - unit.index(of: bars[0].start)
    return bars.indices.contains(index) ? index : nil
  }

  package var total: Int { bars.reduce(0) { $0 + $1.count } }
  package var highest: Bar? { bars.max { $0.count < $1.count } }

  /// Nil if nothing was counted.
  /// - Parameters:
  ///   - maxBars: at least 14, so that decades suffice.
  ///   - shortest: the shortest unit.
  package init?(_ histogram: TimeHistogram, maxBars: Int, from shortest: Unit = .minute) {
    let bins = histogram.bins
    guard let first = bins.first?.start, let last = bins.last?.start else { return nil }
    let units = Array(Unit.all.drop { $0 != shortest })
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
  /// Seconds from a Monday, on which weeks begin, to 1970-01-01, a Thursday.
  private static let sinceMonday = 3 * 86_400

  /// A number that increases by one from bar to bar.
  /// - Parameter time: seconds since 1970.
  fileprivate func index(of time: UInt32) -> Int {
    if seconds > 0 { return (Int(time) + Self.sinceMonday) / seconds }
    let date = CivilDate(daysSince1970: time / UTCTime.secondsPerDay)
    return (date.year * 12 + date.month - 1) / months
  }

  /// Seconds since 1970 at which the bar of a time begins; 0 for a bar that begins before 1970.
  fileprivate func start(of time: UInt32) -> UInt32 { UInt32(clamping: begin(ofIndex: index(of: time))) }

  /// Seconds since 1970 at which the bar after the one that begins at `start` begins.
  fileprivate func next(after start: UInt32) -> UInt64 {
    UInt64(clamping: begin(ofIndex: index(of: start) + 1))
  }

  private func begin(ofIndex index: Int) -> Int {
    if seconds > 0 { return index * seconds - Self.sinceMonday }
    let month = index * months
    return CivilDate(year: month / 12, month: month % 12 + 1, day: 1).daysSince1970 * 86_400
  }

  /// The label of a bar: `2013-05-01`, `2013-05`.
  package func label(_ start: UInt32) -> String {
    let text = UTCTime.text(start)
    let date = CivilDate(daysSince1970: start / UTCTime.secondsPerDay)
    switch months {
    case 0 where seconds < 86_400: return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    case 0: return String(text.prefix(10))
    case 1: return String(text.prefix(7))
    case 3: return "\(date.year) Q\((date.month + 2) / 3)"
    default: return "\(date.year)"
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
