import Basics
import Foundation
import TestSupport
import Testing

@Suite("Times")
struct TimeTests {
  @Test(
    "known seconds and their texts",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:01Z"), (59, "1970-01-01T00:00:59Z"),
      (86_399, "1970-01-01T23:59:59Z"), (86_400, "1970-01-02T00:00:00Z"),
      (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"),
      (1_245_196_800, "2009-06-17T00:00:00Z"), (1_367_400_600, "2013-05-01T09:30:00Z"),
      (1_619_740_800, "2021-04-30T00:00:00Z"), (2_147_483_647, "2038-01-19T03:14:07Z"),
      (2_147_483_648, "2038-01-19T03:14:08Z"), (4_107_456_000, "2100-02-28T00:00:00Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"), (4_294_967_295, "2106-02-07T06:28:15Z"),
    ] as [(UInt32, String)])
  func pairs(_ seconds: UInt32, _ text: String) {
    #expect(UTCTime.text(seconds) == text)
    #expect(UTCTime.parse(text) == seconds)
    #expect(UTCTime.parse(String(seconds)) == seconds)
  }

  @Test("random times agree with Foundation, and read back")
  func againstFoundation() {
    let formatter = ISO8601DateFormatter()
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<3000 {
      let seconds = UInt32.random(in: 0 ... .max, using: &generator)
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(UTCTime.text(seconds) == text)
      #expect(UTCTime.parse(text) == seconds)
    }
  }

  @Test(
    "RFC 3339 in all its spellings",
    arguments: [
      ("2013-05-01T11:30:00+02:00", 1_367_400_600), ("2013-05-01T04:00:00-05:30", 1_367_400_600),
      ("2013-05-01t09:30:00z", 1_367_400_600), ("2013-05-01 09:30:00Z", 1_367_400_600),
      ("2013-05-01T09:30:00.999Z", 1_367_400_600), ("2013-05-01T09:30:00.0+00:00", 1_367_400_600),
      ("2013-05-01T09:30:00-00:00", 1_367_400_600), ("1970-01-01T00:00:00+00:00", 0),
      ("1969-12-31T23:00:00-01:00", 0), ("2106-02-07T07:28:15+01:00", UInt32.max),
      ("00000000010", 10), ("4294967295", UInt32.max),
    ] as [(String, UInt32)])
  func spellings(_ text: String, _ seconds: UInt32) {
    #expect(UTCTime.parse(text) == seconds)
  }

  @Test(
    "invalid times, and times outside 32 bits",
    arguments: [
      "", " ", "now", "-1", "+1", "1.5", "4294967296", "99999999999999999999", "2013-05-01",
      "2013-05-01T09:30Z", "2013-05-01T09:30:00", "2013-5-1T09:30:00Z", "2013-05-01T9:30:00Z",
      "2013-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2013-00-01T00:00:00Z", "2013-13-01T00:00:00Z",
      "2013-05-00T00:00:00Z", "2013-05-32T00:00:00Z", "2013-04-31T00:00:00Z", "2013-05-01T24:00:00Z",
      "2013-05-01T00:60:00Z", "2013-05-01T00:00:60Z", "2013-05-01T00:00:00.Z", "2013-05-01T00:00:00,5Z",
      "2013-05-01T00:00:00+0200", "2013-05-01T00:00:00+02", "2013-05-01T00:00:00+24:00",
      "2013-05-01T00:00:00+02:60", "2013-05-01T00:00:00*02:00", "2013-05-01T00:00:00ZZ",
      "2013-05-01T00:00:00Z ", "2013/05/01T00:00:00Z", "2013-05-01_00:00:00Z", "1969-12-31T23:59:59Z",
      "2106-02-07T06:28:16Z", "2013-05-01T00:00:0٣Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
    ])
  func invalid(_ text: String) {
    #expect(UTCTime.parse(text) == nil)
  }

  @Test("a truncated or changed text is refused, or is another time")
  func damagedTexts() {
    let text = Array("2013-05-01T11:30:00.25+02:00".utf8)
    for length in 1..<text.count {
      let prefix = String(decoding: text.prefix(length), as: UTF8.self)
      // Up to the year's four digits it reads as seconds.
      #expect(UTCTime.parse(prefix) == (length <= 4 ? UInt32(prefix) : nil))
    }
    for index in text.indices {
      for byte in UInt8(0)...127 {
        var damaged = text
        damaged[index] = byte
        _ = UTCTime.parse(String(decoding: damaged, as: UTF8.self))
      }
    }
  }
}
