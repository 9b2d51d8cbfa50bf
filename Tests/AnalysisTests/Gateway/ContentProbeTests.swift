import APNsWire
import Analysis
import TestSupport
import Testing

@Suite("Content of a direction, detected from its first bytes") struct ContentProbeTests {
  private static let noise = [UInt8](repeating: 0xfe, count: 200)
  private static func request(_ identifier: UInt32? = 0x4a4b_4c4d) -> [UInt8] {
    GatewayBytes.request(identifier)
  }
  private static func response(_ status: UInt8) -> [UInt8] { GatewayBytes.response(status, 0x1122_3344) }

  /// Command 2 with token and payload.
  private static let frame: [UInt8] = {
    let items = [1, 0, 32] + [UInt8](repeating: 0xab, count: 32) + [2, 0, 2, 0x7b, 0x7d]
    return [2, 0, 0, 0, UInt8(items.count)] + items
  }()

  static let cases: [(name: String, head: [UInt8], content: DirectionContent?)] = [
    ("a tuple", Tuples.one(), .feedback), ("command 0", request(nil), .requests),
    ("command 1", request(), .requests), ("command 2", frame, .requests),
    ("all of them", frame + request() + request(nil), .requests),
    ("a request that is cut in its payload", request() + request().dropLast(), .requests),
    ("requests that lost their beginning", Array(request().dropFirst(7)) + request() + frame, .requests),
    ("a response", response(8), .responses), ("status 10", response(10), .responses),
    ("responses, the last of which is cut", response(8) + response(1) + [8, 1], .responses),
    ("less than a response", Array(response(8).dropLast()), nil), ("an unknown status", response(9), nil),
    ("a response and something else", response(8) + [7], nil), ("nothing", [], nil), ("noise", noise, nil),
    ("zeros", [UInt8](repeating: 0, count: 500), nil), ("ones", [UInt8](repeating: 1, count: 500), nil),
    ("twos", [UInt8](repeating: 2, count: 500), nil),
    ("eights", [UInt8](repeating: 8, count: 500), .responses),
    ("HTTP, a request", Array("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8), nil),
    ("HTTP, a response with JSON", Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8), nil),
    ("HTTP/2", Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0], .http2),
    ("JSON", Array(#"{"aps":{"alert":"hello"}}"#.utf8), nil),
    ("lines of JSON", Array(String(repeating: "{\"a\":1}\n", count: 60).utf8), nil),
    ("text", Array("The quick brown fox jumps over the lazy dog. ".utf8), nil),
    ("TLS", [0x16, 3, 1, 0, 5] + noise, nil), ("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), nil),
    (
      "DNS over TCP",
      [0, 29, 0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7] + Array("example".utf8) + [3] + Array("com".utf8)
        + [0, 0, 1, 0, 1], nil
    ), ("MQTT", [0x10, 12, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 60, 0, 0], nil),
    // What devices speak on port 5223: a command, a length of four bytes, items of an id and two bytes of length.
    (
      "a device's connect", [7, 0, 0, 0, 38, 1, 0, 32] + [UInt8](repeating: 0xab, count: 32) + [2, 0, 1, 1],
      nil
    ), ("the courier's answer", [8, 0, 0, 0, 4, 1, 0, 1, 0], nil),
    (
      "a message to a device",
      [10, 0, 0, 0, 43, 1, 0, 20] + [UInt8](repeating: 0xcd, count: 20) + [3, 0, 2, 0x7b, 0x7d] + [
        4, 0, 4, 0, 0, 0, 1,
      ], nil
    ), ("its keep-alive", [0x0c, 0, 0, 0, 0], nil),
  ]

  @Test("detected from the first bytes", arguments: cases) func detected(
    _ name: String, _ head: [UInt8], _ content: DirectionContent?
  ) { #expect(AnalysisOptions().probe.content(of: head.span.bytes) == content) }

  @Test("random bytes match no known content") func random() {
    var generator = SeededGenerator(seed: 1304)
    let probe = AnalysisOptions().probe
    for _ in 0..<3000 {
      var head = generator.bytes(generator.pick(12...600))
      // As if they began like one.
      if generator.chance(2) { head[0] = generator.pick([0, 1, 2, 8]) }
      #expect(probe.content(of: head.span.bytes) == nil, "\(TestHex.text(head))")
    }
  }
}
