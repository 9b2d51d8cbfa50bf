import APNsWire
import TestSupport
import Testing

/// start(p): where decoding may resume. After an unknown command, a request that is a start is decoded, and any
/// other is skipped.
@Suite("docs/spec/decoding-rules.md#gateway-requests: where requests may resume")
struct RequestStartTests {
  private typealias Wire = RequestBytes

  private static let token = Wire.item(1, Wire.token())
  private static let payload = Wire.item(2, Wire.payload)
  private static let others = Wire.item(3, [0, 0, 0, 7]) + Wire.item(4, [0, 0, 0, 0]) + Wire.item(5, [10])

  /// Requests that are starts.
  static let starts: [(String, [UInt8])] = [
    ("command 0", Wire.simple()),
    ("command 1", Wire.enhanced()),
    ("command 2 with token and payload", Wire.framed()),
    ("command 2 with all items", Wire.frame(token + payload + others)),
    ("command 2 in another order", Wire.frame(others + payload + token)),
    ("a payload {}", Wire.simple(Wire.token(), Array("{}".utf8))),
    ("a payload in braces that is no JSON", Wire.framed(Wire.token(), Array("{x}".utf8))),
    ("an unusual priority", Wire.frame(token + payload + Wire.item(5, [7]))),
    ("a token of zeros", Wire.simple(Wire.token(fill: 0))),
    ("a payload that is too large", Wire.framed(Wire.token(), Wire.json(3000))),
  ]

  /// Requests that are not starts, and the missing condition.
  static let refused: [(String, [UInt8])] = [
    ("an allowed token length, command 0", Wire.simple(Wire.token(31))),
    ("an allowed token length, command 1", Wire.enhanced(Wire.token(33))),
    ("an allowed token length, command 2", Wire.framed(Wire.token(0))),
    ("a payload, command 0", Wire.simple(Wire.token(), [])),
    ("a payload that begins with {", Wire.simple(Wire.token(), Array(" {}".utf8))),
    ("a payload that ends with }", Wire.enhanced(Wire.token(), Array("{} ".utf8))),
    ("a payload of both braces, not {", Wire.simple(Wire.token(), Array("{".utf8))),
    ("a payload of both braces, not }", Wire.framed(Wire.token(), Array("}".utf8))),
    ("a payload item in braces", Wire.framed(Wire.token(), Array("[1]".utf8))),
    ("an item 1", Wire.frame(payload + others)),
    ("an item 2", Wire.frame(token + others)),
    ("each item at most once: 1", Wire.frame(token + payload + token)),
    ("each item at most once: 2", Wire.frame(token + payload + payload)),
    ("each item at most once: 3", Wire.frame(token + payload + others + Wire.item(3, [0, 0, 0, 7]))),
    ("each item at most once: 5", Wire.frame(token + payload + others + Wire.item(5, [10]))),
    ("ids 1 to 5 only: 0", Wire.frame(token + payload + Wire.item(0, [1]))),
    ("ids 1 to 5 only: 6", Wire.frame(Wire.item(6, []) + token + payload)),
    ("ids 1 to 5 only: 255", Wire.frame(token + payload + Wire.item(255, []))),
    ("the right size of 3", Wire.frame(token + payload + Wire.item(3, [7]))),
    ("the right size of 4", Wire.frame(token + payload + Wire.item(4, [0, 0, 0, 0, 0]))),
    ("the right size of 5", Wire.frame(token + payload + Wire.item(5, []))),
    ("items that fill the frame: one byte more", Wire.frame(token + payload + [3])),
    ("items that fill the frame: an item's head more", Wire.frame(token + payload + [3, 0, 4])),
    (
      "items that fill the frame: an item that reaches beyond it",
      Wire.frame(token + payload + [5, 0, 2, 10])
    ),
    ("a whole frame", Array(Wire.simple().dropLast())),
    ("a known extent", Wire.simple(Wire.token(101))),
  ]

  @Test("after a unknown command it is decoded", arguments: starts)
  func start(_ name: String, _ bytes: [UInt8]) throws {
    let plain = PlainRequests([9] + bytes).decode()
    #expect(plain.count == 3, "the plain decoder")
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

  @Test("a start requires a plausible boundary after it", arguments: starts)
  func implausibleBoundary(_ name: String, _ bytes: [UInt8]) throws {
    for suffix in [[3], [0xff], [0, 0, 0, 0, 0], [0, 0, 101], [2, 0, 1, 0, 0]] as [[UInt8]] {
      let expected = "undecodable 0, skipped 0+\(1 + bytes.count + suffix.count)"
      try RequestCase(name, [9] + bytes + suffix, expected).check()
    }
  }

  @Test("after a unknown command it is skipped, up to one that is a start", arguments: refused)
  func refusal(_ name: String, _ bytes: [UInt8]) throws {
    let all = 1 + bytes.count
    try RequestCase(name, [9] + bytes, "undecodable 0, skipped 0+\(all)").check()
    try RequestCase(
      name, [9] + bytes + Wire.simple(), "undecodable 0, skipped 0+\(all), request \(all)+52 resynchronised"
    ).check()
  }
}
