/// A gateway request (protocol.md, Gateway requests).
struct GeneratedRequest: Sendable {
  private(set) var command: UInt8 = 0
  /// Nil where the command has none.
  private(set) var identifier: UInt32?
  private(set) var expiry: UInt32?
  private(set) var priority: UInt8?
  /// Items of command 2 in the order of the wire; nil for the others.
  private(set) var items: [UInt8]?
  private(set) var token: ArraySlice<UInt8> = []
  private(set) var payload: [UInt8] = []
  /// Length and token, as the wire has them.
  private var lengthAndToken: [UInt8] = []

  init() {}

  /// The request of that number among all of a scenario, from 0: the same whatever was made before.
  /// - Parameter place: which one of its connection it is, from 0; it gives the identifier.
  init(_ number: Int, of scenario: Scenario, inConnection place: Int) {
    var random = RandomNumbers(seed: scenario.seed, .requests, number: number)
    command = UInt8(random.below(3))
    let token = scenario.token(of: number, &random)
    GeneratedToken.append(token, of: scenario, to: &lengthAndToken)
    self.token = lengthAndToken[2...]
    payload = Self.payload(number, &random)
    let identifier = UInt32(truncatingIfNeeded: place + 1)
    let expiry = random.below(4) == 0 ? 0 : scenario.times.lowerBound &+ UInt32(random.below(86_400))
    switch command {
    case 0: break
    case 1:
      self.identifier = Self.unmistakable(identifier, tokenLength: self.token.count)
      // A zero before the token's length would look like a request of command 0 that begins there.
      self.expiry = expiry % 256 == 0 ? expiry + 7 : expiry
    default:
      let items = Self.itemOrders[random.below(Self.itemOrders.count)]
      self.items = items
      if items.contains(3) { self.identifier = identifier }
      if items.contains(4) { self.expiry = expiry }
      if items.contains(5) { priority = random.below(2) == 0 ? 5 : 10 }
    }
  }

  /// The identifier of a request of command 1. Where its end would look like the beginning of a request of command 0, with a
  /// token of the usual length that takes up all before the payload, a further bit tells the two apart.
  private static func unmistakable(_ identifier: UInt32, tokenLength: Int) -> UInt32 {
    // Behind the length of two bytes: the expiry and the real length; before them the identifier's last byte.
    let isLength = identifier & 0xff_ffff == Scenario.normalLength && tokenLength + 6 == Scenario.normalLength
    let holdsLength = identifier >> 8 == Scenario.normalLength && tokenLength + 7 == Scenario.normalLength
    return isLength || holdsLength ? identifier | 0x80_0000 : identifier
  }

  /// Orders that clients use; token and payload are always there.
  private static let itemOrders: [[UInt8]] = [
    [1, 2, 3, 4, 5], [3, 1, 2, 4, 5], [1, 2], [2, 1, 3], [1, 2, 5, 4],
  ]

  private static let alerts = [
    "Message", "Zwölf neue Nachrichten", "新着メッセージ", "A \\\"quoted\\\" word", "📬",
  ]

  /// JSON that no command refuses: 256 bytes at most.
  private static func payload(_ number: Int, _ random: inout RandomNumbers) -> [UInt8] {
    let alert = alerts[random.below(alerts.count)]
    let sound = random.below(2) == 0 ? "" : ",\"sound\":\"default\""
    return Array("{\"aps\":{\"alert\":\"\(alert) \(number)\",\"badge\":\(random.below(100))\(sound)}}".utf8)
  }

  // MARK: - The wire

  func encode(to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(command)
    guard let items else {
      if let identifier { appendBigEndian(identifier, to: &bytes) }
      if let expiry { appendBigEndian(expiry, to: &bytes) }
      bytes += lengthAndToken
      return append(payload, to: &bytes)
    }
    var frame: [UInt8] = []
    for item in items { append(item: item, to: &frame) }
    appendBigEndian(UInt32(truncatingIfNeeded: frame.count), to: &bytes)
    bytes += frame
  }

  private func append(item: UInt8, to frame: inout [UInt8]) {
    var value: [UInt8] = []
    switch item {
    case 1: value += token
    case 2: value = payload
    case 3: appendBigEndian(identifier ?? 0, to: &value)
    case 4: appendBigEndian(expiry ?? 0, to: &value)
    default: value.append(priority ?? 0)
    }
    frame.append(item)
    append(value, to: &frame)
  }

  private func append(_ value: [UInt8], to bytes: inout [UInt8]) {
    appendBigEndian(UInt16(truncatingIfNeeded: value.count), to: &bytes)
    bytes += value
  }
}
