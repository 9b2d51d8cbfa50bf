import Basics
import TestSupport
import Testing

@Suite("Days and their texts")
struct CalendarTests {
  /// A calendar that counts from one day to the next.
  private struct CountingCalendar {
    var year = 1970
    var month = 1
    var day = 1

    private var monthLength: Int {
      switch month {
      case 4, 6, 9, 11: 30
      case 2: year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) ? 29 : 28
      default: 31
      }
    }

    mutating func advance() {
      day += 1
      if day > monthLength { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
  }

  @Test("every day from 1970 to 2106, and on to 2400")
  func everyDay() {
    var calendar = CountingCalendar()
    var wrong: [Int] = []
    for day in 0..<157_100 {
      let date = CivilDate(year: calendar.year, month: calendar.month, day: calendar.day)
      if CivilDate(daysSince1970: UInt32(day)) != date || date.daysSince1970 != day || !date.exists {
        wrong.append(day)
      }
      calendar.advance()
    }
    #expect(wrong.isEmpty)
    #expect(calendar.year == 2400)
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

  @Test("days in the same cache slot have their own texts", arguments: [1, 2, 64, 4096])
  func collidingDays(_ capacity: Int) {
    let times = TimeTexts(capacity: capacity)
    var generator = SeededGenerator(seed: UInt64(capacity))
    for _ in 0..<5000 {
      // Few slots, many days: adjacent days, and days that are a multiple of the capacity apart.
      let day = UInt32(generator.pick(0...2) + capacity * generator.pick(0...5)) % 49_710
      let seconds = day * 86_400 + UInt32(generator.pick(0...86_399))
      let text = String(unsafeUninitializedCapacity: UTCTime.textLength) { buffer in
        if let start = buffer.baseAddress { times.write(seconds, to: UnsafeMutableRawPointer(start)) }
        return UTCTime.textLength
      }
      #expect(text == UTCTime.text(seconds))
    }
  }

  @Test("every second of a day")
  func everySecond() {
    let times = TimeTexts(capacity: 1)
    var wrong = 0
    for second in UInt32(0)..<86_400 {
      var bytes = [UInt8](repeating: 0, count: UTCTime.textLength)
      bytes.withUnsafeMutableBytes { buffer in
        if let start = buffer.baseAddress { times.write(1_400_025_600 + second, to: start) }
      }
      let digits = [
        second / 36_000, second / 3600 % 10, second / 600 % 6, second / 60 % 10, second / 10 % 6, second % 10,
      ]
      let expected = zip([11, 12, 14, 15, 17, 18], digits).allSatisfy { bytes[$0] == UInt8($1) + 0x30 }
      if !expected || bytes.prefix(11) != Array("2014-05-14T".utf8)[...] { wrong += 1 }
    }
    #expect(wrong == 0)
  }
}
