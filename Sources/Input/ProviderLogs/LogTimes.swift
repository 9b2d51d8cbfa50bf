import Basics

/// Reads the times of logs (docs/spec/provider-logs.md#times).
package enum LogTimes {
  /// Smaller numbers are seconds, others milliseconds: the year 5138 in seconds, 1973 in milliseconds.
  static let firstMilliseconds: Int64 = 100_000_000_000
  /// The first invalid number of milliseconds, in the year 5138.
  static let end: Int64 = 100_000_000_000_000

  package enum Result: Equatable {
    /// Milliseconds since 1970; rounded down.
    case time(Int64)
    /// No time: empty, 0, or the year 1, Go's zero time.
    case absent
    case invalid
  }

  /// Parses seconds, milliseconds, or RFC 3339 with an offset from UTC.
  package static func milliseconds(_ text: UnsafeRawBufferPointer) -> Result {
    guard let first = text.first else { return .absent }
    guard first &- UInt8(ascii: "0") < 10 else { return .invalid }
    var value: Int64 = 0
    var index = 0
    while index < text.count, index < 18, text[index] &- UInt8(ascii: "0") < 10 {
      value = value &* 10 &+ Int64(text[index] &- UInt8(ascii: "0"))
      index &+= 1
    }
    if index == text.count || text[index] == UInt8(ascii: ".") { return number(value, text[index...]) }
    return index == 4 ? dateAndTime(text) : .invalid
  }

  private static func number(_ whole: Int64, _ fraction: Slice<UnsafeRawBufferPointer>) -> Result {
    var milliseconds: Int64 = 0
    var scale: Int64 = 100
    if !fraction.isEmpty {
      let digits = fraction.dropFirst()
      guard !digits.isEmpty else { return .invalid }
      for digit in digits {
        guard digit &- UInt8(ascii: "0") < 10 else { return .invalid }
        milliseconds &+= Int64(digit &- UInt8(ascii: "0")) &* scale
        scale /= 10
      }
    }
    if whole == 0, milliseconds == 0 { return .absent }
    if whole >= end { return .invalid }
    return .time(whole >= firstMilliseconds ? whole : whole &* 1000 &+ milliseconds)
  }

  /// `2026-05-01T09:30:00.123Z`, with a `T` or a space, any fraction, and an offset: `Z`, `+02:00`, `+0200`,
  /// also after a space. ` UTC` may follow a zero offset, as in Go.
  private static func dateAndTime(_ text: UnsafeRawBufferPointer) -> Result {
    var reader = Digits(text)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
      let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
      let second = reader.number(2), hour < 24, minute < 60, second <= 60
    else { return .invalid }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.exists, let milliseconds = reader.fraction(), let offset = reader.offset() else {
      return .invalid
    }
    let seconds = date.daysSince1970 &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second &- offset
    // Leap seconds end a UTC day (RFC 3339, section 5.7).
    if second == 60, seconds % 86_400 != 0 { return .invalid }
    if year <= 1 { return .absent }
    return seconds < 0 ? .invalid : .time(Int64(seconds) &* 1000 &+ Int64(milliseconds))
  }

  private struct Digits {
    let text: UnsafeRawBufferPointer
    var index = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    private var next: UInt8 { index < text.count ? text[index] : 0 }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      guard next == UInt8(ascii: mark) else { return false }
      index += 1
      return true
    }

    mutating func number(_ width: Int) -> Int? {
      var value = 0
      for _ in 0..<width {
        guard next &- UInt8(ascii: "0") < 10 else { return nil }
        value = value * 10 + Int(next &- UInt8(ascii: "0"))
        index += 1
      }
      return value
    }

    /// Milliseconds; 0 without a fraction, nil for a decimal point without digits.
    mutating func fraction() -> Int? {
      guard skip(".") || skip(",") else { return 0 }
      var value = 0
      var scale = 100
      let start = index
      while next &- UInt8(ascii: "0") < 10 {
        value += Int(next &- UInt8(ascii: "0")) * scale
        scale /= 10
        index += 1
      }
      return index > start ? value : nil
    }

    /// Seconds east of UTC, up to the end of the text.
    mutating func offset() -> Int? {
      _ = skip(" ")
      if isAtEnd(after: "Z") || isAtEnd(after: "z") || isAtEnd(after: "UTC") { return 0 }
      let sign = skip("+") ? 1 : skip("-") ? -1 : 0
      guard sign != 0, let hours = number(2) else { return nil }
      var minutes = 0
      // PostgreSQL writes `+00`.
      if index < text.count, text[index] != UInt8(ascii: " ") {
        _ = skip(":")
        guard let number = number(2), number < 60 else { return nil }
        minutes = number
      }
      guard hours < 24 else { return nil }
      let seconds = sign * (hours * 3600 + minutes * 60)
      return index == text.count || seconds == 0 && isAtEnd(after: " UTC") ? seconds : nil
    }

    private func isAtEnd(after word: StaticString) -> Bool {
      text[index...].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
  }
}
