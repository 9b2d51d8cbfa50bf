import Basics
import Foundation
import TestSupport
import Testing

/// A time by the C library, UTC.
func systemTime(_ seconds: Int64) -> tm {
  var time = time_t(seconds)
  var parts = tm()
  gmtime_r(&time, &parts)
  return parts
}

@Suite("Times of captures")
struct CaptureTimeTests {
  /// The first second of the year 0, and the first one of the year 10000, as `date -u` has them.
  private static let years: Range<Int64> = -62_167_219_200..<253_402_300_800

  /// `seconds` formatted by the C library: `2013-05-01T09:30:00`.
  private func systemText(_ seconds: Int64) -> String {
    let parts = systemTime(seconds)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
      parts.tm_hour, parts.tm_min, parts.tm_sec)
  }

  @Test(
    "the range of RFC 3339, and the days around unusual ones",
    arguments: Fixtures.rows("captures", in: "times") as [(Int64, String)])
  func ends(_ seconds: Int64, _ text: String) {
    #expect(CaptureTime(seconds: seconds).text == text)
  }

  @Test("days of all years agree with the system's calendar")
  func days() {
    var generator = SeededGenerator(seed: 9999)
    var wrong: [Int64] = []
    // Every fifth day meets each day of the calendar's 400 years, which are 146,097 days, five times.
    for midnight in stride(from: Self.years.lowerBound, to: Self.years.upperBound, by: 5 * 86_400) {
      let seconds = midnight + Int64.random(in: 0..<86_400, using: &generator)
      if CaptureTime(seconds: seconds).text != systemText(seconds) + "Z" { wrong.append(seconds) }
    }
    #expect(wrong.isEmpty)
  }

  @Test("a fraction has the digits that the capture has, in every year", arguments: 1...18)
  func fractions(_ digits: Int) {
    var generator = SeededGenerator(seed: UInt64(digits))
    for _ in 0..<500 {
      let seconds = Int64.random(in: Self.years, using: &generator)
      let text = (0..<digits).map { _ in String(generator.pick(0...9)) }.joined()
      let time = CaptureTime(seconds: seconds, fraction: UInt64(text) ?? 0, digits: UInt8(digits))
      #expect(time.text == "\(systemText(seconds)).\(text)Z")
    }
  }

  @Test(
    "a time that RFC 3339 cannot write has no text",
    arguments: [
      -62_167_219_201, 253_402_300_800, -62_167_305_600, 1 << 40, -(1 << 40), .max, .min, .max - 86_399,
      .min + 86_399,
    ] as [Int64])
  func beyond(_ seconds: Int64) {
    #expect(CaptureTime(seconds: seconds).text == nil)
    #expect(CaptureTime(seconds: seconds, fraction: 999_999, digits: 6).text == nil)
  }
}
