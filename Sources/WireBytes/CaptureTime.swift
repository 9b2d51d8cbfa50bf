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
    var text: [UInt8] = []
    append(to: &text)
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }

  /// Appends `text`, or nothing where that is nil.
  package func append(to text: inout [UInt8]) {
    let day = seconds >= 0 ? seconds / 86_400 : (seconds &- 86_399) / 86_400
    // 0000-01-01 is 719,528 days before 1970-01-01; 10000-01-01 is 2,932,897 days after it.
    guard (-719_528..<2_932_897).contains(day) else { return }
    let date = CivilDate(daysSince1970: Int(day))
    let ofDay = UInt64(seconds &- day &* 86_400)
    Self.append(UInt64(date.year), 4, then: "-", to: &text)
    Self.append(UInt64(date.month), 2, then: "-", to: &text)
    Self.append(UInt64(date.day), 2, then: "T", to: &text)
    Self.append(ofDay / 3600, 2, then: ":", to: &text)
    Self.append(ofDay / 60 % 60, 2, then: ":", to: &text)
    Self.append(ofDay % 60, 2, then: digits > 0 ? "." : "Z", to: &text)
    if digits > 0 { Self.append(fraction, Int(min(digits, UInt8(Self.maxDigits))), then: "Z", to: &text) }
  }

  private static func append(
    _ number: UInt64, _ width: Int, then mark: Unicode.Scalar, to text: inout [UInt8]
  ) {
    let start = text.count
    var rest = number
    for _ in 0..<width { text.append(UInt8(ascii: "0")) }
    for place in stride(from: start + width - 1, through: start, by: -1) {
      text[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    text.append(UInt8(ascii: mark))
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
