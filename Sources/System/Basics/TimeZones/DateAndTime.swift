/// A date and a time of day, as ISO 8601, PostgreSQL, Rails and Django write them: `2013-05-01T09:30:00.123+02:00`,
/// `2013-05-01 09:30:00+00`, `2013-05-01 09:30`, `2013-05-01`. Fractions are rounded down to a millisecond.
package struct DateAndTime {
  /// The years 1 to 9999, in seconds.
  package static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Seconds on the clock since 1970-01-01 00:00:00.
  package private(set) var local: Int64
  /// Milliseconds of that second, rounded down.
  package private(set) var milliseconds: UInt16 = 0
  /// The seconds from that one on that the text may mean: a minute or a day, if it has no more.
  private var span: Int64 = 86_400
  /// Seconds that the clock is ahead of UTC; nil if the text has no offset.
  package private(set) var offset: Int64?
  private var isLeapSecond = false

  package init?(_ text: String) {
    var rest = text.utf8[...]
    guard let year = rest.takeNumber(digits: 4), rest.take("-"), let month = rest.takeNumber(digits: 2),
      rest.take("-"), let day = rest.takeNumber(digits: 2)
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.exists, year > 0 else { return nil }
    local = Int64(date.daysSince1970) * 86_400
    if rest.isEmpty { return }
    guard rest.take("T") || rest.take("t") || rest.take(" ") else { return nil }
    guard let ofDay = takeTimeOfDay(&rest) else { return nil }
    local += ofDay
    if rest.isEmpty { return }
    guard let offset = Self.takeOffset(&rest), rest.isEmpty else { return nil }
    self.offset = offset
  }

  /// Seconds since midnight of `09:30`, `09:30:00` or `09:30:00.123`.
  private mutating func takeTimeOfDay(_ rest: inout Substring.UTF8View) -> Int64? {
    guard let hour = rest.takeNumber(digits: 2), hour < 24, rest.take(":"),
      let minute = rest.takeNumber(digits: 2), minute < 60
    else { return nil }
    var second = 0
    span = 60
    if rest.take(":") {
      span = 1
      guard let number = rest.takeNumber(digits: 2), number <= 60 else { return nil }
      second = number
      isLeapSecond = number == 60
      if rest.take(".") || rest.take(",") {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        milliseconds = (0..<3).reduce(0) { number, index in
          number * 10 + UInt16(digits.dropFirst(index).first.map { $0 - 0x30 } ?? 0)
        }
        rest = rest[digits.endIndex...]
      }
    }
    return Int64(hour * 3600 + minute * 60 + second)
  }

  /// Seconds of `Z`, `+02`, `+0200`, `+02:00`, or PostgreSQL's `+00:53:28` of local mean time; Ruby puts a blank before
  /// an offset, or ` UTC`.
  private static func takeOffset(_ rest: inout Substring.UTF8View) -> Int64? {
    if rest.take(" "), rest.elementsEqual("UTC".utf8) {
      rest = rest.dropFirst(3)
      return 0
    }
    if rest.take("Z") || rest.take("z") { return 0 }
    let isWest = rest.take("-")
    guard isWest || rest.take("+"), let hours = rest.takeNumber(digits: 2), hours < 24 else { return nil }
    var seconds = hours * 3600
    if !rest.isEmpty {
      let hasColon = rest.take(":")
      guard let minutes = rest.takeNumber(digits: 2), minutes < 60 else { return nil }
      seconds += minutes * 60
      if hasColon, rest.take(":") {
        guard let rest = rest.takeNumber(digits: 2), rest < 60 else { return nil }
        seconds += rest
      }
    }
    return Int64(isWest ? -seconds : seconds)
  }

  /// UNIX seconds of the first or last second that the text may mean; nil for a leap second within a day.
  /// - Parameter zone: the zone of a text without an offset; nil is UTC.
  package func moment(in zone: Zone?, isLast: Bool = false) -> Int64? {
    let local = isLast ? local + span - 1 : local
    let moment = offset.map { local - $0 } ?? zone?.moment(ofLocal: local) ?? local
    // A leap second ends a day of UTC; POSIX time counts it as the first of the next one.
    return isLeapSecond && moment % 86_400 != 0 ? nil : moment
  }
}
