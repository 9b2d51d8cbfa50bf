/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Equatable, Sendable {
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int

  package init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

  package init(daysSince1970 days: UInt32) {
    self.init(daysSince0000March: UInt64(days) &+ 719_468)  // days from 0000-03-01 to 1970-01-01
  }

  /// Years are counted from 1 March, so that a leap day is the last day of its year. A century's years and
  /// a year's months then begin at evenly rounded multiples, which divisions by constants find: Neri and
  /// Schneider, "Euclidean affine functions and their application to calendar algorithms", 2022.
  private init(daysSince0000March days: UInt64) {
    let quarters = 4 &* days &+ 3
    let century = quarters / 146_097
    let centuryQuarters = (quarters % 146_097) | 3
    let yearOfCentury = centuryQuarters / 1461
    let dayOfYear = (centuryQuarters % 1461) / 4
    let scaledMonth = 2141 &* dayOfYear &+ 197_913
    let month = scaledMonth &>> 16
    let isNextYear = dayOfYear >= 306  // January and February
    self.year = Int(100 &* century &+ yearOfCentury &+ (isNextYear ? 1 : 0))
    self.month = Int(isNextYear ? month &- 12 : month)
    self.day = Int((scaledMonth & 0xffff) / 2141 &+ 1)
  }

  /// The date `days` days after 1970-01-01, or before it if negative; from the year 0 on.
  package init(daysSince1970 days: Int) {
    // The calendar repeats every 400 years (146,097 days): adding one period avoids negative numbers.
    self.init(daysSince0000March: UInt64(max(0, days &+ 719_468 &+ 146_097)))
    year -= 400
  }

  /// Days since 1970-01-01, negative before it. Only for dates that exist.
  package var daysSince1970: Int {
    // Counted from 1 March of the year -400, to avoid division of negative numbers.
    let marchYear = (month <= 2 ? year - 1 : year) + 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return 365 * marchYear + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - (719_468 + 146_097)
  }

  /// Whether the calendar has this day.
  package var exists: Bool {
    (0...9999).contains(year) && (1...12).contains(month) && (1...31).contains(day)
      && self == CivilDate(daysSince1970: daysSince1970)
  }
}
