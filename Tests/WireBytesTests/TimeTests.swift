import Basics
import Foundation
import TestSupport
import Testing

@Suite("Times")
struct TimeTests {
  @Test("known seconds and their texts", arguments: Fixtures.rows("texts", in: "times") as [(UInt32, String)])
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
    "RFC 3339 in all its spellings", arguments: Fixtures.rows("RFC 3339", in: "times") as [(String, UInt32)])
  func spellings(_ text: String, _ seconds: UInt32) {
    #expect(UTCTime.parse(text) == seconds)
  }

  @Test(
    "invalid times, and times outside 32 bits", arguments: Fixtures.rows("no times", in: "times") as [String])
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
