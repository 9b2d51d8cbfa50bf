import Basics

extension DateAndTime {
  /// The last moment that the text may mean, or the first.
  func time(in zone: Zone?, isFirst: Bool = false) -> StoreTime? {
    moment(in: zone, isLast: !isFirst).map { StoreTime(seconds: $0, milliseconds: milliseconds) }
  }

  /// The date and the time of day of a clock, as PostgreSQL writes them: `2013-05-01 09:30:00.25`. Nil before the year 1
  /// and after the year 9999.
  /// - Parameters:
  ///   - local: time on the clock since 1970-01-01 00:00:00.
  ///   - end: what follows.
  static func text(_ local: CaptureTime, end: String = "") -> String? {
    guard range.contains(local.seconds), let text = local.text else { return nil }
    var bytes = Array(text.utf8.dropLast())
    bytes[10] = UInt8(ascii: " ")
    bytes += end.utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A time of MariaDB whose date has zeros, as `0000-00-00 00:00:00`, which is none.
  static let zeroDate = Int64.min + 1

  /// The same without zeros at the end of the fraction.
  /// - Parameter number: microseconds since the clock showed 1970-01-01 00:00:00.
  static func text(ofMicroseconds number: Int64) -> String {
    if number == zeroDate { return "0000-00-00 00:00:00" }
    let seconds = number.floored(by: 1_000_000)
    var local = CaptureTime(seconds: seconds, fraction: UInt64(number &- seconds &* 1_000_000), digits: 6)
    while local.digits > 0, local.fraction % 10 == 0 {
      local.fraction /= 10
      local.digits -= 1
    }
    return text(local) ?? String(number)
  }
}
