/// The rule for a zone's yearly changes between standard and summer time: the last line of its file, in the format of
/// the environment variable TZ of POSIX, `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Equatable {
  /// A day of each year, and the local time at which the clocks change.
  private struct Yearly: Equatable {
    enum Day: Equatable {
      /// 1 to 365, without 29 February.
      case withoutLeapDay(Int)
      /// 0 to 365.
      case ofYear(Int)
      /// Week 1 to 5, the last one; weekday from 0, Sunday.
      case ofMonth(month: Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds from midnight; may be negative, or more than a day.
    var time: Int64

    /// Local seconds since 1970-01-01 00:00:00.
    func local(in year: Int) -> Int64 { Int64(days(in: year)) * 86_400 + time }

    private func days(in year: Int) -> Int {
      let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
      switch day {
      case .ofYear(let number): return newYear + number
      case .withoutLeapDay(let number):
        // From 1 March on, counted from the end of the year, it is the same day in every year.
        return number < 60
          ? newYear + number - 1 : CivilDate(year: year + 1, month: 1, day: 1).daysSince1970 + number - 366
      case .ofMonth(let month, let week, let weekday):
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970
        let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).daysSince1970
        // 1970-01-01 was a Thursday, 4; 7 * 105_120 days make the number positive from the year 0 on.
        let firstWeekday = (first + 4 + 7 * 105_120) % 7
        let day = first + (weekday - firstWeekday + 7) % 7 + 7 * (week - 1)
        return day < next ? day : day - 7
      }
    }
  }

  private var standard: Int64 = 0
  private var summer: Int64 = 0
  private var start: Yearly
  private var end: Yearly

  /// Nil if the clocks do not change, or `text` has another format.
  init?(_ text: String) {
    var rest = text.utf8[...]
    guard Self.takeName(&rest), let west = Self.takeTime(&rest), Self.takeName(&rest) else { return nil }
    standard = -west
    summer = standard + 3600
    if rest.first != UInt8(ascii: ",") {
      guard let west = Self.takeTime(&rest) else { return nil }
      summer = -west
    }
    guard rest.take(","), let start = Self.takeYearly(&rest), rest.take(","),
      let end = Self.takeYearly(&rest), rest.isEmpty,
      Zone.offsets.contains(standard), Zone.offsets.contains(summer)
    else { return nil }
    self.start = start
    self.end = end
  }

  /// Both changes of a year, in their order.
  func changes(in year: Int) -> [Zone.Change] {
    let starts = Zone.Change(moment: start.local(in: year) - standard, offset: summer)
    let ends = Zone.Change(moment: end.local(in: year) - summer, offset: standard)
    return starts.moment < ends.moment ? [starts, ends] : [ends, starts]
  }

  // MARK: - The text

  /// `CET` or `<+03>`.
  private static func takeName(_ rest: inout Substring.UTF8View) -> Bool {
    let isQuoted = rest.take("<")
    let name = rest.prefix { byte in
      switch byte {
      case 0x41...0x5a, 0x61...0x7a: true
      case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
      default: false
      }
    }
    rest = rest[name.endIndex...]
    return !name.isEmpty && (!isQuoted || rest.take(">"))
  }

  /// Seconds of `5`, `-3:30` or `+167:59:59`.
  private static func takeTime(_ rest: inout Substring.UTF8View) -> Int64? {
    let isNegative = rest.take("-")
    if !isNegative { _ = rest.take("+") }
    guard let hours = takeShortNumber(&rest, upTo: 167) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where rest.take(":") {
      guard let number = takeShortNumber(&rest, upTo: 59) else { return nil }
      seconds += number * unit
    }
    return Int64(isNegative ? -seconds : seconds)
  }

  private static func takeYearly(_ rest: inout Substring.UTF8View) -> Yearly? {
    guard let day = takeDay(&rest) else { return nil }
    guard rest.take("/") else { return Yearly(day: day, time: 7200) }
    return takeTime(&rest).map { Yearly(day: day, time: $0) }
  }

  private static func takeDay(_ rest: inout Substring.UTF8View) -> Yearly.Day? {
    if rest.take("J") {
      return takeShortNumber(&rest, upTo: 365).flatMap { $0 > 0 ? .withoutLeapDay($0) : nil }
    }
    guard rest.take("M") else { return takeShortNumber(&rest, upTo: 365).map { .ofYear($0) } }
    guard let month = takeShortNumber(&rest, upTo: 12), month > 0, rest.take("."),
      let week = takeShortNumber(&rest, upTo: 5), week > 0, rest.take("."),
      let weekday = takeShortNumber(&rest, upTo: 6)
    else { return nil }
    return .ofMonth(month: month, week: week, weekday: weekday)
  }

  private static func takeShortNumber(_ rest: inout Substring.UTF8View, upTo most: Int) -> Int? {
    let digits = rest.prefix(3).prefix { (0x30...0x39).contains($0) }
    guard let number = Int(Substring(digits)), number <= most else { return nil }
    rest = rest[digits.endIndex...]
    return number
  }
}
