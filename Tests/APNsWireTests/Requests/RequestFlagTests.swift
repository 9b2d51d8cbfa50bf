import TestSupport
import Testing

/// The flags and fields of malformed requests.
@Suite("docs/spec/decoding-rules.md#flags-of-requests: flags of requests")
struct RequestFlagTests {
  private typealias Wire = RequestBytes

  private static let token = Wire.item(1, Wire.token())
  private static let payload = Wire.item(2, Wire.payload)

  private static func withPayload(_ payload: String) -> [UInt8] {
    Wire.simple(Wire.token(), Array(payload.utf8))
  }

  /// A token with `zeros` zero bytes from `start` on.
  private static func zeroed(from start: Int, _ zeros: Int) -> [UInt8] {
    var token = Wire.token()
    for index in start..<(start + zeros) { token[index] = 0 }
    return token
  }

  /// Whole requests and their flags.
  static let flags: [(String, [UInt8], String)] = [
    ("nothing wrong", Wire.framed(), ""),
    ("items do not fill the frame", Wire.frame(token + payload + [5, 0]), "malformed-items"),
    ("an item reaches beyond the frame", Wire.frame(token + payload + [5, 0, 2, 10]), "malformed-items"),
    ("item 1 is missing", Wire.frame(payload), "malformed-items"),
    ("item 2 is missing, which is not payload-not-json", Wire.frame(token), "malformed-items"),
    ("no item", Wire.frame([]), "malformed-items"),
    ("item 1 is repeated", Wire.frame(token + payload + token), "malformed-items"),
    ("item 2 is repeated", Wire.frame(token + payload + payload), "malformed-items"),
    ("item 3 is of 3 bytes", Wire.framed(and: Wire.item(3, [1, 2, 3])), "malformed-items"),
    ("item 4 is of 5 bytes", Wire.framed(and: Wire.item(4, [1, 2, 3, 4, 5])), "malformed-items"),
    ("item 5 is of 0 bytes", Wire.framed(and: Wire.item(5, [])), "malformed-items"),
    (
      "item 5 is of 2 bytes, which is no priority", Wire.framed(and: Wire.item(5, [7, 7])), "malformed-items"
    ),
    ("item 3 is repeated", Wire.framed(and: Wire.item(3, [1, 2, 3, 4]) + Wire.item(3, [1, 2, 3, 5])), ""),
    ("item 5 is repeated, the first counts", Wire.framed(and: Wire.item(5, [10]) + Wire.item(5, [7])), ""),
    ("an unknown item 0", Wire.framed(and: Wire.item(0, [])), "unknown-item"),
    ("an unknown item 6", Wire.framed(and: Wire.item(6, [1])), "unknown-item"),
    ("an unknown item that does not fit in is not listed", Wire.framed(and: [6, 0, 1]), "malformed-items"),
    ("a token of 31 bytes", Wire.simple(Wire.token(31)), "unexpected-token-length"),
    ("a token item of 33 bytes", Wire.framed(Wire.token(33)), "unexpected-token-length"),
    ("an empty token", Wire.enhanced([]), "zero-length-token"),
    ("an empty token item", Wire.frame(Wire.item(1, []) + payload), "zero-length-token"),
    ("8 zeros in the token", Wire.simple(zeroed(from: 24, 8)), "zero-filled-token"),
    ("8 zeros in the token item", Wire.framed(zeroed(from: 0, 8)), "zero-filled-token"),
    ("7 zeros at the token's beginning", Wire.enhanced(zeroed(from: 0, 7)), ""),
    ("7 zeros at its end, before a payload length with one", Wire.enhanced(zeroed(from: 25, 7)), ""),
    ("priority 5", Wire.framed(and: Wire.item(5, [5])), ""),
    ("priority 10", Wire.framed(and: Wire.item(5, [10])), ""),
    ("priority 0", Wire.framed(and: Wire.item(5, [0])), "unusual-priority"),
    ("priority 1", Wire.framed(and: Wire.item(5, [1])), "unusual-priority"),
    ("priority 255", Wire.framed(and: Wire.item(5, [255])), "unusual-priority"),
    ("an empty payload", withPayload(""), "payload-not-json"),
    ("an empty payload item", Wire.framed(Wire.token(), []), "payload-not-json"),
    ("a payload of white space", withPayload(" \n"), "payload-not-json"),
    ("a payload that is any JSON value", withPayload(" 1e3 "), ""),
    ("a payload of two values", withPayload("{}{}"), "payload-not-json"),
    ("a payload of JSON that is cut", withPayload("{\"aps\":{}"), "payload-not-json"),
    ("a payload with a NUL after it", withPayload("{}\0"), "payload-not-json"),
    ("a payload in Latin-1", Wire.simple(Wire.token(), [0x22, 0xe9, 0x22]), "payload-not-json"),
    ("a payload in UTF-16", Wire.simple(Wire.token(), [0x7b, 0, 0x7d, 0]), "payload-not-json"),
    ("256 bytes of command 0", Wire.simple(Wire.token(), Wire.json(256)), ""),
    ("257 bytes of command 0", Wire.simple(Wire.token(), Wire.json(257)), "payload-too-large"),
    ("257 bytes of command 1", Wire.enhanced(Wire.token(), Wire.json(257)), "payload-too-large"),
    ("2048 bytes of command 2", Wire.framed(Wire.token(), Wire.json(2048)), ""),
    ("2049 bytes of command 2", Wire.framed(Wire.token(), Wire.json(2049)), "payload-too-large"),
    (
      "many at once, sorted",
      Wire.frame(
        Wire.item(6, []) + Wire.item(1, Wire.token(9, fill: 0)) + Wire.item(2, Wire.token(2049))
          + Wire.item(5, [6]) + [0]),
      "malformed-items payload-not-json payload-too-large unexpected-token-length unknown-item "
        + "unusual-priority zero-filled-token"
    ),
  ]

  @Test(arguments: flags)
  func flagged(_ name: String, _ bytes: [UInt8], _ flags: String) throws {
    let words = (["request 0+\(bytes.count)"] + flags.split(separator: " ").map(String.init))
    let expected = words.joined(separator: " ")
    try RequestCase(name, bytes, expected).check()
    try RequestCase(name, bytes + Wire.simple(), "\(expected), request \(bytes.count)+52").check()
  }

  @Test("an allowed length 0 has no flag")
  func emptyTokens() throws {
    try RequestCase("", Wire.frame(Wire.item(1, []) + Self.payload), "request 0+26", .init(allowed: [0, 32]))
      .check()
  }

  /// The identifier, expiry and priority of requests; nil if missing.
  static let fields: [(String, [UInt8], [Int?])] = [
    ("command 0 has none", Wire.simple(), [nil, nil, nil]),
    ("command 1", Wire.enhanced(identifier: 0xffff_fffe, expiry: 5), [0xffff_fffe, 5, nil]),
    ("no item, no value", Wire.framed(), [nil, nil, nil]),
    (
      "items 3, 4, 5",
      Wire.framed(and: Wire.item(5, [9]) + Wire.item(4, [0x80, 0, 0, 0]) + Wire.item(3, [0, 0, 1, 0])),
      [256, 1 << 31, 9]
    ),
    (
      "a wrong size gives null, and a later item of the right one does not replace it",
      Wire.framed(
        and: Wire.item(3, [1]) + Wire.item(3, [0, 0, 0, 1]) + Wire.item(5, [1, 2]) + Wire.item(5, [5])),
      [nil, nil, nil]
    ),
    (
      "of repeated ones the first counts",
      Wire.framed(and: Wire.item(4, [0, 0, 0, 1]) + Wire.item(4, [0, 0, 0, 2]) + Wire.item(4, [])),
      [nil, 1, nil]
    ),
  ]

  @Test(arguments: fields)
  func values(_ name: String, _ bytes: [UInt8], _ values: [Int?]) {
    for size in [1, 7, bytes.count] {
      let decoding = WatchedDecoding(requests: bytes) { size }
      guard case .request(_, _, let content, _) = decoding.evidence.first else {
        Issue.record("no request in chunks of \(size)")
        continue
      }
      #expect([content.identifier, content.expiry, content.priority] == values)
      #expect(content.token == Wire.token() && content.payload == Wire.payload)
    }
  }

  @Test("of repeated tokens and payloads the first counts, and all whole items are listed")
  func repeated() throws {
    let bytes = Wire.frame(
      Wire.item(1, Wire.token(fill: 1)) + Wire.item(2, [0x31]) + Wire.item(1, Wire.token(fill: 2))
        + Wire.item(2, [0x32]) + Wire.item(9, []) + [3, 0, 4, 0])
    let decoding = WatchedDecoding(requests: bytes) { 3 }
    guard case .request(_, _, let content, let flags) = try #require(decoding.evidence.first) else { return }
    #expect(flags == ["malformed-items", "unknown-item"])
    #expect(content.token == Wire.token(fill: 1) && content.payload == [0x31])
    #expect(content.items?.map(\.id) == [1, 2, 1, 2, 9])
    #expect(content.items?.map(\.data.count) == [32, 1, 32, 1, 0])
  }
}
