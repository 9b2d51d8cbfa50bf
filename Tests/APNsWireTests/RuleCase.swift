import APNsWire
import TestSupport
import Testing

/// One sentence of docs/spec/decoding-rules.md#feedback-tuples, and bytes on which it decides.
struct RuleCase: Sendable, CustomTestStringConvertible {
  var sentence: String
  var bytes: [UInt8]
  /// What the run is, worked out by hand, in the words of `Evidence.description`.
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

  /// Holds both decoders to the case, the library's in chunks of every size up to 40 and whole.
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

/// What the tables are written with.
enum Bytes {
  static let earliest: UInt32 = 0x4a38_3200
  static let latest: UInt32 = 0x608b_4880

  /// A tuple with a token of `count` bytes, of 2014 if nothing else is said.
  static func tuple(_ count: Int = 32, time: UInt32 = Tuples.time) -> [UInt8] {
    Tuples.one(count, time: time)
  }

  static func header(_ length: Int, time: UInt32 = Tuples.time) -> [UInt8] {
    Tuples.header(time: time, length: length)
  }

  /// Bytes that are no header and no part of one: time and length are out of all bounds.
  static func junk(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xff, count: count) }
}
