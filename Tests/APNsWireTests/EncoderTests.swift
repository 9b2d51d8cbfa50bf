import APNsWire
import TestSupport
import Testing

@Suite("The feedback encoder")
struct EncoderTests {
  @Test("a tuple is time, length and token, big-endian")
  func layout() {
    var bytes: [UInt8] = [9]
    #expect(FeedbackEncoder.append(time: 0x0102_0304, token: [5, 6, 7], to: &bytes))
    #expect(bytes == [9, 1, 2, 3, 4, 0, 3, 5, 6, 7])
  }

  @Test("a token that is too long for the length field is refused, with nothing appended")
  func tooLong() {
    var bytes: [UInt8] = []
    #expect(!FeedbackEncoder.append(time: 1, token: [UInt8](repeating: 1, count: 65_536), to: &bytes))
    #expect(bytes.isEmpty)
    #expect(FeedbackEncoder.append(time: 1, token: [UInt8](repeating: 1, count: 65_535), to: &bytes))
    #expect(bytes.count == 65_541 && Array(bytes[4...5]) == [0xff, 0xff])
  }

  @Test("decode(encode(x)) = x, for every time and every length that the rules allow")
  func roundTrip() throws {
    let lengths = try #require(TokenLengths("0-65535"))
    let rules = try #require(FeedbackRules(tokenLengths: lengths, earliest: 0, latest: .max))
    var generator = SeededGenerator(seed: 4)
    var bytes: [UInt8] = []
    var expected: [Evidence] = []
    for number in 0..<2000 {
      let length = number % 500 == 499 ? 65_535 : generator.pick(0...100)
      // No zero bytes: eight in a row would be flagged.
      let token = generator.bytes(length).map { $0 | 1 }
      let time = generator.pick([0, .max, UInt32.random(in: 0 ... .max, using: &generator)])
      expected.append(.record(offset: bytes.count, time: Int(time), token: token, flags: []))
      #expect(FeedbackEncoder.append(time: time, token: token, to: &bytes))
    }
    for most in [5000, bytes.count] {
      WatchedDecoding(feedback: bytes, rules: rules) { generator.pick(most / 2...most) }.expect(expected)
    }
  }
}
