import Basics
import TestSupport
import Testing

@Suite("Days and their texts")
struct CalendarTests {
  @Test("every day from 1970 to 2106, and on to 2400, is that of the system's calendar")
  func everyDay() {
    let wrong = (0..<157_100).filter { day in
      let parts = systemTime(Int64(day) * 86_400)
      let date = CivilDate(
        year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
      return CivilDate(daysSince1970: UInt32(day)) != date || date.daysSince1970 != day || !date.exists
    }
    #expect(wrong.isEmpty)
  }

  @Test("the last representable day has no smaller year than the day before")
  func lastDays() {
    let last = CivilDate(daysSince1970: UInt32.max)
    let before = CivilDate(daysSince1970: UInt32.max - 366)
    #expect(last.year > before.year && before.year > 11_000_000)
  }

  @Test("days before 1970 are negative, back to the year 0")
  func earlyDays() {
    #expect(CivilDate(year: 1969, month: 12, day: 31).daysSince1970 == -1)
    #expect(CivilDate(year: 1900, month: 3, day: 1).daysSince1970 == -25_508)
    #expect(CivilDate(year: 1, month: 1, day: 1).daysSince1970 == -719_162)
    #expect(CivilDate(year: 0, month: 3, day: 1).daysSince1970 == -719_468)
    #expect(CivilDate(year: 0, month: 1, day: 1).daysSince1970 == -719_528)
  }

  @Test(
    "days that no calendar has",
    arguments: [
      (2013, 2, 29), (1900, 2, 29), (2000, 2, 30), (2013, 4, 31), (2013, 0, 1), (2013, 13, 1), (2013, 1, 0),
      (2013, 1, 32), (-1, 1, 1), (10_000, 1, 1), (2013, -1, 1), (2013, 1, .max), (.min, .min, .min),
    ])
  func nonexistent(_ year: Int, _ month: Int, _ day: Int) {
    #expect(!CivilDate(year: year, month: month, day: day).exists)
  }

  private func text(_ seconds: UInt32, _ times: borrowing TimeTexts) -> String {
    String(unsafeUninitializedCapacity: UTCTime.textLength) { buffer in
      if let start = buffer.baseAddress { times.write(seconds, to: UnsafeMutableRawPointer(start)) }
      return UTCTime.textLength
    }
  }

  @Test("days in the same cache slot have their own texts", arguments: [1, 2, 64, 4096])
  func collidingDays(_ capacity: Int) {
    let times = TimeTexts(capacity: capacity)
    var generator = SeededGenerator(seed: UInt64(capacity))
    for _ in 0..<5000 {
      // Few slots, many days: adjacent days, and days that are a multiple of the capacity apart.
      let day = UInt32(generator.pick(0...2) + capacity * generator.pick(0...5)) % 49_710
      let seconds = day * 86_400 + UInt32(generator.pick(0...86_399))
      #expect(text(seconds, times) == UTCTime.text(seconds))
    }
  }

  @Test("every second of a day")
  func everySecond() {
    let times = TimeTexts(capacity: 1)
    func digits(_ number: UInt32) -> String { "\(number / 10)\(number % 10)" }
    let wrong = (UInt32(0)..<86_400).filter { second in
      let clock = [second / 3600, second / 60 % 60, second % 60].map(digits).joined(separator: ":")
      return text(1_400_025_600 + second, times) != "2014-05-14T\(clock)Z"
    }
    #expect(wrong.isEmpty)
  }
}
