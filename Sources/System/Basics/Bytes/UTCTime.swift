/// Times of the protocol: unsigned 32-bit seconds since 1970-01-01T00:00:00Z, formatted as RFC 3339 in UTC.
public enum UTCTime {
  /// The length in bytes of `2013-05-01T09:30:00Z` and every other time of the protocol.
  @inlinable public static var textLength: Int { 20 }

  /// The seconds of a day; POSIX time has no leap seconds.
  @inlinable public static var secondsPerDay: UInt32 { 86_400 }

  /// `seconds` in RFC 3339 format, `2013-05-01T09:30:00Z`. For single times; `TimeTexts` writes columns faster.
  package static func text(_ seconds: UInt32) -> String { CaptureTime(seconds: Int64(seconds)).text ?? "" }

  /// Parses unsigned seconds or an RFC 3339 time with any offset (`2013-05-01T11:30:00+02:00`), without its
  /// fraction of a second. Nil for any other text, and for times outside 32 unsigned bits.
  package static func parse(_ text: some StringProtocol) -> UInt32? {
    let bytes = Array(text.utf8)
    if !bytes.isEmpty, bytes.allSatisfy(isDigit) { return UInt32(text) }
    return parseRFC3339(bytes)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func parseRFC3339(_ bytes: [UInt8]) -> UInt32? {
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy(isDigit) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    func separators(_ expected: [(Int, StaticString)]) -> Bool {
      expected.allSatisfy { index, allowed in
        index < bytes.count && allowed.withUTF8Buffer { $0.contains(bytes[index]) }
      }
    }
    guard separators([(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")]),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.exists else { return nil }

    var rest = 19
    if rest < bytes.count, bytes[rest] == UInt8(ascii: ".") {
      let fraction = bytes[(rest + 1)...].prefix(while: isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = fraction.endIndex
    }
    guard let offset = parseOffset(Array(bytes[rest...])) else { return nil }
    let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
    // A leap second ends a UTC day; POSIX time counts it as the first second of the next day.
    guard second < 60 || seconds % 86_400 == 0 else { return nil }
    return UInt32(exactly: seconds)
  }

  /// Parses `Z` or an offset such as `+02:00`, in seconds east of UTC; nil for anything else.
  private static func parseOffset(_ bytes: [UInt8]) -> Int? {
    if bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"), [1, 2, 4, 5].allSatisfy({ isDigit(bytes[$0]) })
    else { return nil }
    let digits = bytes.map { Int($0) - Int(UInt8(ascii: "0")) }
    let hours = digits[1] * 10 + digits[2]
    let minutes = digits[4] * 10 + digits[5]
    guard hours < 24, minutes < 60 else { return nil }
    switch bytes[0] {
    case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
    case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
    default: return nil
    }
  }
}
