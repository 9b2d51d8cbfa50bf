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
    if !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) { return UInt32(text) }
    // Of the forms of `DateAndTime`, those with seconds, a point before their fraction, and `Z` or `+02:00`.
    guard bytes.count > 19, bytes[16] == UInt8(ascii: ":"), !bytes[11...].contains(where: " ,".utf8.contains),
      "Zz".utf8.contains(bytes[bytes.count - 1]) || "+-".utf8.contains(bytes[bytes.count - 6])
    else { return nil }
    return DateAndTime(String(text))?.moment(in: nil).flatMap { UInt32(exactly: $0) }
  }
}
