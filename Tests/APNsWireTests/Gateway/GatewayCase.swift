import APNsWire
import Testing

/// One sentence of docs/spec/decoding-rules.md#gateway-requests, and bytes on which it decides.
struct RequestCase: Sendable, CustomTestStringConvertible {
  var sentence: String
  var bytes: [UInt8]
  /// The expected result, worked out by hand, in the notation of `GatewayEvidence.description`.
  var expected: String
  var limits: PlainRequests.Limits
  var beginsStream: Bool

  init(
    _ sentence: String, _ bytes: [UInt8], _ expected: String, _ limits: PlainRequests.Limits = .init(),
    beginsStream: Bool = true
  ) {
    self.sentence = sentence
    self.bytes = bytes
    self.expected = expected
    self.limits = limits
    self.beginsStream = beginsStream
  }

  var testDescription: String { sentence }

  /// Checks both decoders, the library's in chunks of many sizes and in one chunk.
  func check() throws {
    let rules = try #require(limits.rules)
    let plain = PlainRequests(bytes, limits).decode(beginsStream: beginsStream)
    #expect(plain.text == expected, "the plain decoder")
    for size in Array(1...40) + [bytes.count + 1] {
      let decoding = WatchedDecoding(requests: bytes, rules: rules, beginsStream: beginsStream) { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence.text == expected, "in chunks of \(size)")
      #expect(decoding.evidence == plain)
    }
  }
}

/// One sentence of docs/spec/decoding-rules.md#error-responses, and bytes on which it decides.
struct ResponseCase: Sendable, CustomTestStringConvertible {
  var sentence: String
  var bytes: [UInt8]
  var expected: String
  var beginsStream: Bool

  init(_ sentence: String, _ bytes: [UInt8], _ expected: String, beginsStream: Bool = true) {
    self.sentence = sentence
    self.bytes = bytes
    self.expected = expected
    self.beginsStream = beginsStream
  }

  var testDescription: String { sentence }

  func check() {
    let plain = PlainResponses(bytes).decode(beginsStream: beginsStream)
    #expect(plain.text == expected, "the plain decoder")
    for size in Array(1...20) + [bytes.count + 1] {
      let decoding = WatchedDecoding(responses: bytes, beginsStream: beginsStream) { size }
      #expect(decoding.breach == nil)
      #expect(decoding.evidence.text == expected, "in chunks of \(size)")
      #expect(decoding.evidence == plain)
    }
  }
}
