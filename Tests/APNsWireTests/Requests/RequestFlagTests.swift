import Testing

/// The flags and fields of malformed requests.
@Suite("docs/spec/decoding-rules.md#flags-of-requests: flags of requests") struct RequestFlagTests {
  private typealias Wire = RequestBytes

  @Test("of whole requests, alone and before another", arguments: RuleCase.of("flags of requests"))
  func flagged(_ rule: RuleCase) throws { try check(rule.testDescription, rule.bytes, rule.expected) }

  private func check(_ name: String, _ bytes: [UInt8], _ flags: String) throws {
    let expected = "request 0+\(bytes.count)" + (flags.isEmpty ? "" : " " + flags)
    try RuleCase(name, bytes, expected).checkRequests()
    try RuleCase(name, bytes + Wire.simple(), "\(expected), request \(bytes.count)+52").checkRequests()
  }

  @Test("many at once, sorted") func many() throws {
    let items = [Wire.item(6, []), Wire.item(1, Wire.token(9, fill: 0)), Wire.item(2, Wire.token(2049))]
    try check(
      "", Wire.frame(items.flatMap { $0 } + Wire.item(5, [6]) + [0]),
      "malformed-items payload-not-json payload-too-large unexpected-token-length unknown-item "
        + "unusual-priority zero-filled-token")
  }

  @Test("an allowed length 0 has no flag") func emptyTokens() throws {
    try RuleCase(
      "", Wire.frame(Wire.item(1, []) + Wire.item(2, Wire.payload)), "request 0+26", allowed: [0, 32]
    ).checkRequests()
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

  @Test(arguments: fields) func values(_ name: String, _ bytes: [UInt8], _ values: [Int?]) {
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

  @Test("of repeated tokens and payloads the first counts, and all whole items are listed") func repeated()
    throws
  {
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
