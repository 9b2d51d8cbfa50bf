import APNsWire
import Testing

/// start(p): where decoding may resume. After an unknown command, a request that is a start is decoded, and any
/// other is skipped.
@Suite("docs/spec/decoding-rules.md#gateway-requests: where requests may resume") struct RequestStartTests {
  private typealias Wire = RequestBytes

  @Test("after a unknown command it is decoded", arguments: RuleCase.of("starts of requests")) func start(
    _ rule: RuleCase
  ) throws {
    let bytes = rule.bytes
    for suffix in [[], Wire.simple(), Array(Wire.enhanced().prefix(7)), [0, 0, 100], [2]] {
      for size in [1, 5, 300, 100_000] {
        let decoding = WatchedDecoding(requests: [9] + bytes + suffix) { size }
        #expect(decoding.breach == nil)
        #expect(decoding.evidence.text.hasPrefix("undecodable 0, skipped 0+1, request 1+\(bytes.count) "))
        let flags = decoding.evidence.dropFirst(2).prefix(1).map(\.description).joined()
        #expect(flags.contains("resynchronised"))
      }
    }
  }

  @Test("JSON is enough, whatever follows", arguments: RuleCase.of("starts of requests").dropLast())
  func implausibleBoundary(_ rule: RuleCase) {
    let request = "undecodable 0, skipped 0+1, request 1+\(rule.bytes.count) "
    for suffix in [[3], [0xff], [0, 0, 0, 0, 0], [0, 0, 101], [2, 0, 1, 0, 0]] as [[UInt8]] {
      let text = WatchedDecoding(requests: [9] + rule.bytes + suffix) { 100_000 }.evidence.text
      #expect(text.hasPrefix(request) && text.contains("unconfirmed-boundary"))
    }
  }

  @Test(
    "after a unknown command it is skipped, up to one that is a start",
    arguments: RuleCase.of("no starts of requests")) func refusal(_ rule: RuleCase) throws
  {
    let (name, bytes, all) = (rule.testDescription, rule.bytes, 1 + rule.bytes.count)
    try RuleCase(name, [9] + bytes, "undecodable 0, skipped 0+\(all)").checkRequests()
    try RuleCase(
      name, [9] + bytes + Wire.simple(), "undecodable 0, skipped 0+\(all), request \(all)+52 resynchronised"
    ).checkRequests()
  }
}
