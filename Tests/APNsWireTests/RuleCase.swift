import APNsWire
import TestSupport
import Testing

/// One sentence of docs/spec/decoding-rules.md#feedback-tuples, and bytes on which it decides.
struct RuleCase: Sendable, CustomTestStringConvertible {
  var sentence: String
  var bytes: [UInt8]
  /// The expected result, worked out by hand, in the notation of `Evidence.description`.
  var expected: String
  var limits: PlainDecoder.Limits
  var beginsStream: Bool

  init(
    _ sentence: String, _ bytes: [UInt8], _ expected: String, _ limits: PlainDecoder.Limits = .init(),
    beginsStream: Bool = true
  ) {
    self.sentence = sentence
    self.bytes = bytes
    self.expected = expected
    self.limits = limits
    self.beginsStream = beginsStream
  }

  var testDescription: String { sentence }

  /// Checks both decoders, the library's in chunks of every size up to 40 and in one chunk.
  func check() throws {
    let rules = try #require(limits.rules)
    let plain = PlainDecoder(bytes, limits).decode(beginsStream: beginsStream)
    #expect(plain.text == expected, "the plain decoder")
    for size in Array(1...40) + [bytes.count + 1] {
      let decoding = IncrementalDecoding(bytes, rules: rules, beginsStream: beginsStream) { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence.text == expected, "in chunks of \(size)")
      #expect(decoding.evidence == plain)
    }
  }
}

/// Bytes for the test cases.
enum Bytes {
  static let earliest: UInt32 = 0x4a38_3200
  static let latest: UInt32 = 0x608b_4880

  /// A tuple with a token of `count` bytes, by default from 2014.
  static func tuple(_ count: Int = 32, time: UInt32 = Tuples.time) -> [UInt8] {
    Tuples.one(count, time: time)
  }

  static func header(_ length: Int, time: UInt32 = Tuples.time) -> [UInt8] {
    Tuples.header(time: time, length: length)
  }

  /// Bytes that cannot be part of a header: time and length are out of bounds.
  static func junk(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xff, count: count) }
}
