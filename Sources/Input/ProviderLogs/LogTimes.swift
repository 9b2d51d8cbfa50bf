import Basics

/// Reads the times of logs (docs/spec/provider-logs.md#times).
package enum LogTimes {
  /// Smaller numbers are seconds, others milliseconds: the year 5138 in seconds, 1973 in milliseconds.
  static let firstMilliseconds: Int64 = 100_000_000_000
  /// The first number of microseconds, and the first invalid number of milliseconds, in the year 5138.
  static let end: Int64 = 100_000_000_000_000

  package enum ReadTime: Equatable {
    /// Milliseconds since 1970; rounded down.
    case time(Int64)
    /// A time without its offset from UTC, taken for UTC, or the first of two moments at which the clock shows it.
    case zoneless(Int64)
    /// No time: empty, 0, or the year 1, Go's zero time.
    case absent
    case invalid
  }

  /// Parses seconds, milliseconds, or a date with a time of day.
  /// - Parameter zone: the clock of times without an offset from UTC.
  package static func milliseconds(_ text: UnsafeRawBufferPointer, zone: LogZone? = nil) -> ReadTime {
    guard let first = text.first else { return .absent }
    let digits = LogText(text).digits
    if first &- UInt8(ascii: "0") < 10, digits == text.count || text[digits] == UInt8(ascii: ".") {
      return number(text, digits)
    }
    guard let time = WrittenTime(in: text, to: text.count, zone: zone), time.end == text.count else {
      return .invalid
    }
    if time.isZero { return .absent }
    if time.milliseconds < 0 { return .invalid }
    return time.hasZone && time.isOnly ? .time(time.milliseconds) : .zoneless(time.milliseconds)
  }

  /// The length of the date with a time of day at the beginning of a text.
  static func end(in text: UnsafeRawBufferPointer) -> Int? {
    WrittenTime(in: text, to: text.count, zone: nil)?.end
  }

  /// Seconds with a fraction of any length, or milliseconds, microseconds or nanoseconds.
  private static func number(_ text: UnsafeRawBufferPointer, _ digits: Int) -> ReadTime {
    guard digits <= 19 else { return .invalid }
    var whole = text[..<digits].reduce(Int64(0)) { 10 &* $0 &+ Int64($1 &- UInt8(ascii: "0")) }
    var (milliseconds, scale) = (Int64(0), Int64(100))
    if digits < text.count {
      guard digits &+ 1 < text.count else { return .invalid }
      for digit in text[(digits &+ 1)...] {
        guard digit &- UInt8(ascii: "0") < 10 else { return .invalid }
        milliseconds &+= Int64(digit &- UInt8(ascii: "0")) &* scale
        scale /= 10
      }
    }
    if whole == 0, milliseconds == 0 { return .absent }
    // 2^63 or more nanoseconds, after the year 2262, are negative here.
    if whole < 0 { return .invalid }
    while whole >= end { whole /= 1000 }
    return .time(whole >= firstMilliseconds ? whole : whole &* 1000 &+ milliseconds)
  }
}
