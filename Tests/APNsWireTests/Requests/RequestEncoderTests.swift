import APNsWire
import TestSupport
import Testing

@Suite("The request encoder")
struct RequestEncoderTests {
  static let layouts: [(sentence: String, request: GatewayRequest, bytes: [UInt8])] = [
    (
      "command 0 is token length, token, payload length, payload",
      .simple(token: [1, 2, 3], payload: [4, 5]), [0, 0, 3, 1, 2, 3, 0, 2, 4, 5]
    ),
    (
      "command 1 has identifier and expiry before them, big-endian",
      .enhanced(identifier: 0x0102_0304, expiry: 0xfffe_fdfc, token: [7], payload: []),
      [1, 1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc, 0, 1, 7, 0, 0]
    ),
    (
      "command 2 is the items' length, and items in their order, of any kind",
      .items([.init(id: 200, data: []), .init(id: 3, data: [1]), .init(id: 3, data: [2, 3])]),
      [2, 0, 0, 0, 12, 200, 0, 0, 3, 0, 1, 1, 3, 0, 2, 2, 3]
    ), ("no items", .items([]), [2, 0, 0, 0, 0]),
  ]

  @Test(arguments: layouts)
  func layout(_ sentence: String, _ request: GatewayRequest, _ expected: [UInt8]) {
    var bytes: [UInt8] = [9]
    #expect(RequestEncoder.append(request, to: &bytes))
    #expect(bytes == [9] + expected)
  }

  /// Requests with a part of `length` bytes.
  private static func requests(_ length: Int) -> [GatewayRequest] {
    let part = [UInt8](repeating: 0x31, count: length)
    return [
      .simple(token: part, payload: [1]), .simple(token: [1], payload: part),
      .enhanced(identifier: 1, expiry: 1, token: part, payload: []),
      .enhanced(identifier: 1, expiry: 1, token: [], payload: part),
      .items([.init(id: 1, data: [1]), .init(id: 2, data: part)]),
    ]
  }

  @Test("a part that is too long for its length field is refused, with nothing appended", arguments: 0...4)
  func tooLong(_ index: Int) {
    var bytes: [UInt8] = [9]
    #expect(!RequestEncoder.append(Self.requests(65_536)[index], to: &bytes))
    #expect(bytes == [9])
    #expect(RequestEncoder.append(Self.requests(65_535)[index], to: &bytes))
    #expect(bytes.count > 65_535)
  }

  /// 65,533 times 3 + 65,535 bytes exceed 32 bits. The items share their bytes.
  @Test("items that are too long for the frame length are refused, with nothing appended")
  func tooMany() {
    let item = GatewayRequest.Item(id: 2, data: [UInt8](repeating: 0, count: 65_535))
    var bytes: [UInt8] = []
    #expect(!RequestEncoder.append(.items(Array(repeating: item, count: 65_535)), to: &bytes))
    #expect(bytes.isEmpty)
  }

  @Test("decode(encode(x)) = x, for drawn requests of every length that the rules allow")
  func roundTrip() throws {
    let lengths = try #require(TokenLengths("0-65535"))
    let rules = try #require(RequestRules(tokenLengths: lengths, longestPayload: 65_535))
    var generator = SeededGenerator(seed: 6)
    var bytes: [UInt8] = []
    var expected: [GatewayRequest] = []
    for _ in 0..<3000 {
      let request = Self.draw(&generator)
      expected.append(request)
      #expect(RequestEncoder.append(request, to: &bytes))
    }
    for most in [700, 40_000, bytes.count] {
      #expect(Self.decode(bytes, rules) { generator.pick(most / 2...most) } == expected)
    }
  }

  private static func draw(_ generator: inout SeededGenerator) -> GatewayRequest {
    func part(_ most: Int) -> [UInt8] {
      generator.bytes(generator.chance(400) ? generator.pick(0...most) : generator.pick(0...90))
    }
    func number() -> UInt32 {
      generator.pick([0, UInt32.max, UInt32.random(in: 0 ... .max, using: &generator)])
    }
    switch generator.pick(0...2) {
    // Never both empty, which is zero fill.
    case 0: return .simple(token: [1] + part(65_534), payload: part(65_535))
    case 1:
      return .enhanced(identifier: number(), expiry: number(), token: part(65_535), payload: part(65_535))
    default:
      return .items(
        (0..<generator.pick(0...7)).map { _ in
          .init(id: UInt8(generator.pick([1, 2, 3, 4, 5, generator.pick(0...255)])), data: part(9000))
        })
    }
  }

  /// The requests of a stream; empty if there are any other steps.
  private static func decode(_ bytes: [UInt8], _ rules: RequestRules, chunkLength: () -> Int)
    -> [GatewayRequest]
  {
    var decoder = RequestDecoder(rules: rules)
    var requests: [GatewayRequest] = []
    func takeAll(_ chunk: RawSpan) -> Bool {
      while let step = decoder.next(in: chunk) {
        guard case .record(let frame) = step else { return false }
        let carry = decoder.carry
        let request =
          carry == nil
          ? GatewayRequest(frame.range, in: chunk)
          : carry.flatMap { GatewayRequest(frame.range, in: $0.span.bytes) }
        guard let request else { return false }
        requests.append(request)
      }
      return true
    }
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + chunkLength())
      guard takeAll(bytes.span.bytes.extracting(start..<end)) else { return [] }
      start = end
    }
    decoder.finish()
    return takeAll(RawSpan()) ? requests : []
  }
}
