import APNsWire
import Testing

private typealias Wire = RequestBytes

/// Requests that no boundary announces (docs/carving.md#what-is-found), and streams that begin with one.
@Suite("Requests in bytes of any kind") struct RequestSearchTests {
  private static let identifier = Wire.item(3, [0, 0, 0, 7])
  private static let expiry = Wire.item(4, [0, 0, 0, 0])
  private static let priority = Wire.item(5, [10])
  private static let token = Wire.item(1, Wire.token())
  private static let payload = Wire.item(2, Wire.payload)

  private func found(_ bytes: [UInt8], at index: Int = 0, isLast: Bool = false) -> String {
    switch RequestRules.standard.foundRequest(at: index, in: bytes.span.bytes, isLast: isLast) {
    case .request(let end): "to \(end)"
    case .none: "none"
    case .undecided(let count): "needs \(count)"
    }
  }

  static let whole: [(sentence: String, bytes: [UInt8], isRequest: Bool)] = [
    ("command 0", Wire.simple(), true), ("command 1", Wire.enhanced(), true),
    ("command 2", Wire.framed(), true),
    ("command 3", [3] + Wire.simple().dropFirst(), false),
    ("a token of another length", Wire.simple(Wire.token(31)), false),
    ("a payload that is no object", Wire.simple(Wire.token(), Array("[1]".utf8)), false),
    ("a payload that only looks like one", Wire.simple(Wire.token(), Array("{x}".utf8)), false),
    ("items that do not fill the frame", Wire.frame(token + payload + [5]), false),
    ("an item that is not known", Wire.framed(and: Wire.item(6, [1])), false),
    ("an item of a wrong size", Wire.framed(and: Wire.item(5, [1, 2])), false),
    ("an item twice", Wire.framed(and: priority + priority), false),
    ("no token", Wire.frame(payload), false), ("no payload", Wire.frame(token), false),
    ("all items", Wire.framed(and: identifier + expiry + priority), true),
  ]

  @Test("whole ones", arguments: whole) func requests(_ sentence: String, _ bytes: [UInt8], _ isRequest: Bool)
  {
    for isLast in [false, true] {
      #expect(found(bytes, isLast: isLast) == (isRequest ? "to \(bytes.count)" : "none"))
      #expect(
        found([9] + bytes + [9], at: 1, isLast: isLast) == (isRequest ? "to \(bytes.count + 1)" : "none"))
    }
  }

  @Test("those that the end of a block cuts off need more, up to the end of the input") func cuts() {
    // Where a length is missing: 11 bytes before a token, 100 of the longest, and the length of the payload.
    for (bytes, lengths) in [(Wire.simple(), 37), (Wire.enhanced(), 45), (Wire.framed(), 5)] {
      #expect(found(bytes, at: bytes.count) == "needs 1")
      for count in 1..<bytes.count {
        let part = Array(bytes.prefix(count))
        let needed = "needs \(count < lengths ? 113 : bytes.count)"
        #expect(found(part) == needed && found([9, 9] + part, at: 2) == needed, "\(count) bytes")
        #expect(found(part, isLast: true) == "none")
      }
    }
  }

  // MARK: - Where one begins

  private func start(_ bytes: [UInt8], tokenLength: Int, floor: Int = 0) -> Int? {
    RequestRules.standard.requestStart(ofTokenLengthAt: tokenLength, from: floor, in: bytes.span.bytes)
  }

  /// Items before the token.
  static let before: [(sentence: String, items: [UInt8])] = [
    ("none", []), ("an identifier", identifier), ("an expiry", expiry), ("a priority", priority),
    ("a payload", payload),
    ("all", identifier + expiry + priority + payload),
    ("all, the other way", payload + priority + expiry + identifier),
    ("the shortest payload", Wire.item(2, Array("{}".utf8))),
    ("the longest payload", Wire.item(2, Wire.json(4096))),
  ]

  @Test("command 2, with items before the token", arguments: before)
  func items(_ sentence: String, _ items: [UInt8]) {
    let bytes = [9, 9, 9] + Wire.frame(items + Self.token + Wire.item(2, Wire.payload))
    let tokenLength = 3 + 5 + items.count + 1
    #expect(start(bytes, tokenLength: tokenLength) == 3)
    #expect(start(bytes, tokenLength: tokenLength, floor: 3) == 3)
    #expect(start(bytes, tokenLength: tokenLength, floor: 4) == nil)
  }

  static let notBefore: [(sentence: String, items: [UInt8])] = [
    ("an item that is not known", Wire.item(6, [1])),
    ("an identifier of five bytes", Wire.item(3, [0, 0, 0, 0, 7])),
    ("a priority of two bytes", Wire.item(5, [0, 10])),
    ("a payload that is no object", Wire.item(2, Array("[1]".utf8))),
    ("a payload of 4097 bytes", Wire.item(2, Wire.json(4097))),
    ("a payload without its end", Wire.item(2, Array(#"{"a":1"#.utf8))),
    ("more items than there are kinds", expiry + identifier + expiry + priority + identifier),
  ]

  @Test("nothing else is before it", arguments: notBefore) func noItems(_ sentence: String, _ items: [UInt8])
  {
    let bytes = [9, 9, 9] + Wire.frame(items + Self.token)
    #expect(start(bytes, tokenLength: 3 + 5 + items.count + 1) == nil)
  }

  @Test("a frame has up to 65,535 bytes") func frameLength() {
    for (length, expected) in [(65_535, 0), (65_536, nil)] as [(Int, Int?)] {
      #expect(start([2] + Wire.u32(length) + Self.token, tokenLength: 6) == expected)
    }
  }

  @Test("commands 0 and 1, from the floor on, with a payload that is an object") func commands() {
    for (bytes, tokenLength) in [(Wire.simple(), 1), (Wire.enhanced(), 9)] {
      #expect(start([9] + bytes, tokenLength: 1 + tokenLength, floor: 1) == 1)
      #expect(start([9] + bytes, tokenLength: 1 + tokenLength, floor: 2) != 1)
      // Its brace is the last byte, and then is not there.
      let head = bytes.prefix { $0 != UInt8(ascii: "{") } + [UInt8(ascii: "{")]
      #expect(start(Array(head), tokenLength: tokenLength) == 0)
      #expect(start(Array(head.dropLast()), tokenLength: tokenLength) == nil)
    }
    #expect(start(Wire.simple(Wire.token(), Array("[1]".utf8)), tokenLength: 1) == nil)
  }

  /// The service began on 2009-06-17, 1,245,196,800 s after 1970.
  static let expiries: [(expiry: Int, isPlausible: Bool)] = [
    (0, true), (1, true), (2, false), (255, false), (1_245_196_799, false), (1_245_196_801, true),
    (0xffff_ffff, true),
  ]

  @Test("the expiry of command 1 is 0, 1 or a time since the service began", arguments: expiries)
  func plausibleExpiry(_ expiry: Int, _ isPlausible: Bool) {
    #expect(start(Wire.enhanced(expiry: expiry), tokenLength: 9) == (isPlausible ? 0 : nil))
  }

  @Test("an expiry at the beginning of the service ends like a request of command 0") func zeroExpiry() {
    #expect(start(Wire.enhanced(expiry: 1_245_196_800), tokenLength: 9) == 0)
    #expect(start(Wire.enhanced(expiry: 0x100), tokenLength: 9) == 8)
  }

  // MARK: - The head of a stream

  private func mayBegin(_ head: [UInt8]) -> Bool { RequestRules.standard.mayBeginRequest(head.span.bytes) }

  @Test("a head that is cut has the payload's brace") func cutHeads() throws {
    let reversed = Wire.frame(Self.identifier + Self.expiry + Self.priority + Self.payload + Self.token)
    for bytes in [Wire.simple(), Wire.enhanced(), Wire.framed(), Wire.framed(and: Self.priority), reversed] {
      let brace = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
      for count in 0...bytes.count {
        #expect(mayBegin(Array(bytes.prefix(count))) == (count > brace), "\(count) bytes")
      }
      #expect(mayBegin(bytes + bytes.prefix(9)))
    }
  }

  static let heads: [(sentence: String, head: [UInt8])] = [
    ("command 3", [3] + Wire.simple().dropFirst()),
    ("a token beyond the limit", Wire.simple(Wire.token(101))),
    ("a whole payload that is no JSON", Wire.simple(Wire.token(), Array("{x}".utf8))),
    ("a payload that is cut and no object", Wire.simple(Wire.token(), Array("[1,2]".utf8)).dropLast()),
    ("a whole frame with an item that is not known", Wire.framed(and: Wire.item(6, [1]))),
    ("a whole frame that its items do not fill", Wire.frame(token + payload + [5])),
    (
      "a cut frame with an item that is not known", Wire.frame(Wire.item(6, [1]) + token + payload).dropLast()
    ),
    (
      "a cut frame with an item of a wrong size",
      Wire.frame(Wire.item(5, [1, 2]) + token + payload).dropLast()
    ),
    (
      "a cut frame with a payload that is no object",
      Wire.frame(Wire.item(2, [0x5b, 0x5d]) + token).dropLast()
    ),
    ("an item that is longer than its frame", [2] + Wire.u32(17) + Wire.item(2, Wire.payload).dropLast(2)),
  ]

  @Test("what begins no stream of requests", arguments: heads) func noHead(
    _ sentence: String, _ head: [UInt8]
  ) {
    #expect(!mayBegin(head))
  }

  @Test("an item that ends with its frame") func lastItem() {
    #expect(mayBegin([2] + Wire.u32(18) + Wire.item(2, Wire.payload).dropLast()))
  }
}
