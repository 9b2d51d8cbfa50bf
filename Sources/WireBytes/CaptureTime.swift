/// When a packet was captured, with the precision that its capture has.
package struct CaptureTime: Equatable, Hashable, Sendable {
  /// More digits than this are cut off: a unit of 10^-18 s is the last that 64 bits hold a second of.
  package static let maxDigits = 18

  /// Whole seconds since 1970-01-01T00:00:00Z; negative before it.
  package var seconds: Int64
  /// What is behind the whole seconds, in units of 10^-`digits` s; less than one second.
  package var fraction: UInt64
  /// How many digits the capture has behind the decimal point, 0 to 18.
  package var digits: UInt8

  package init(seconds: Int64, fraction: UInt64 = 0, digits: UInt8 = 0) {
    self.seconds = seconds
    self.fraction = fraction
    self.digits = digits
  }

  /// As RFC 3339 in UTC, `2013-05-01T09:30:00.000123Z`; nil for a time outside the years 0000 to 9999, which
  /// RFC 3339 cannot write.
  package var text: String? {
    let day = seconds >= 0 ? seconds / 86_400 : (seconds &- 86_399) / 86_400
    // Day 0 of the calendar is 0000-03-01; the year 10000 begins on day 2,932,897 after 1970-01-01.
    guard (-719_468..<2_932_897).contains(day) else { return nil }
    let date = CivilDate(daysSince1970: Int(day))
    let ofDay = Int(seconds &- day &* 86_400)
    var text =
      Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-" + Self.padded(date.day, 2) + "T"
    text += [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    if digits > 0 { text += "." + Self.padded(fraction, Int(digits)) }
    return text + "Z"
  }

  private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension CaptureTime: Comparable {
  /// By the moment; of times with different precision, the one with fewer digits is taken as exact.
  package static func < (left: CaptureTime, right: CaptureTime) -> Bool {
    if left.seconds != right.seconds { return left.seconds < right.seconds }
    return left.attoseconds < right.attoseconds
  }

  private var attoseconds: UInt64 {
    var value = fraction
    for _ in min(Int(digits), Self.maxDigits)..<Self.maxDigits { value &*= 10 }
    return value
  }
}
