/// A gateway request (docs/spec/protocol.md#gateway-requests).
struct GeneratedRequest: Sendable {
  let command: UInt8
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
      var items = Self.itemOrders[random.below(Self.itemOrders.count)]
      // A one, the item of the identifier and command 0 of the next request would look like the beginning of command 1.
      if items.last == 3, self.token.last == 1 { items = Self.itemOrders[0] }
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

  var bytes: [UInt8] {
    var bytes = [command]
    guard let items else {
      if let identifier { appendBigEndian(identifier, to: &bytes) }
      if let expiry { appendBigEndian(expiry, to: &bytes) }
      bytes += lengthAndToken
      append(payload, to: &bytes)
      return bytes
    }
    var frame: [UInt8] = []
    for item in items { append(item: item, to: &frame) }
    appendBigEndian(UInt32(truncatingIfNeeded: frame.count), to: &bytes)
    return bytes + frame
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

/// A token of a scenario, by its number.
enum GeneratedToken {
  /// Appends length and token: the same bytes for the same number, whatever comes before.
  static func append(_ number: Int, of scenario: Scenario, to bytes: inout [UInt8]) {
    var random = RandomNumbers(seed: scenario.seed, .tokens, number: number)
    let lengths = scenario.tokenLengths
    let length = lengths.isEmpty ? Scenario.normalLength : lengths[random.below(lengths.count)]
    appendBigEndian(UInt16(truncatingIfNeeded: length), to: &bytes)
    var word: UInt64 = 0
    for place in 0..<length {
      if place % 8 == 0 { word = random.next() }
      var byte = UInt8(truncatingIfNeeded: word >> UInt64(place % 8 * 8))
      while !fits(byte, behind: bytes, isLast: place == length - 1) { byte = random.byte() }
      bytes.append(byte)
    }
  }

  /// Whether `byte` may come after the tuple's bytes so far (RecordSource). After the last one comes a time, whose
  /// first byte is more than 73 and, as the second of a length, less than 101.
  private static func fits(_ byte: UInt8, behind bytes: [UInt8], isLast: Bool) -> Bool {
    let (before, last) = (bytes[bytes.count &- 2], bytes[bytes.count &- 1])
    if isLast, byte == 0 { return false }
    return !looksLikeLength(last, byte) && !looksLikeCiphertext(before, last, byte)
  }

  static func looksLikeLength(_ high: UInt8, _ low: UInt8) -> Bool {
    high == 0 && low <= Scenario.longestToken
  }

  /// docs/spec/decoding-rules.md#ciphertext.
  static func looksLikeCiphertext(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
    (0x14...0x17).contains(first) && second == 3 && third <= 4
  }
}

/// What a gateway says of a connection's requests: one error response, drawn before any request is made, so that
/// every request's outcome is known when it is told (docs/spec/decoding-rules.md#correlation).
struct GatewayVerdict: Sendable {
  enum Outcome: Sendable {
    case accepted, rejected, discarded, unknown
  }

  /// Number, among all of the scenario, of the request that it names.
  let request: Int
  let identifier: UInt32
  let status: UInt8
  let token: [UInt8]

  /// By docs/spec/protocol.md#error-responses.
  private static let statuses: [(status: UInt8, text: StaticString)] = [
    (0, "no errors encountered"), (1, "processing error"), (2, "missing device token"), (3, "missing topic"),
    (4, "missing payload"), (5, "invalid token size"), (6, "invalid topic size"), (7, "invalid payload size"),
    (8, "invalid token"), (10, "shutdown"),
    (128, "protocol error (APNs could not parse the notification)"), (255, "none (unknown)"),
  ]

  /// Nil where the connection has no response, or no request that one could name was found.
  init?(_ scenario: Scenario, connection: Int, of count: Int) {
    var random = RandomNumbers(seed: scenario.seed, .connections, number: connection)
    let share = scenario.share(of: connection, among: count)
    guard random.happens(scenario.responses), !share.isEmpty else { return nil }
    // About 6 of 10 requests have an identifier.
    for _ in 0..<16 {
      let number = share.lowerBound + random.below(share.count)
      let named = GeneratedRequest(number, of: scenario, inConnection: number - share.lowerBound)
      // Behind a gap decoding begins with a normal length only: the named request must not be passed over.
      let isDecoded = scenario.capture.loss == 0 || named.token.count == Scenario.normalLength
      guard isDecoded, let identifier = named.identifier else { continue }
      request = number
      self.identifier = identifier
      status = Self.statuses[random.below(Self.statuses.count)].status
      token = Array(named.token)
      return
    }
    return nil
  }

  var statusText: StaticString {
    Self.statuses.first { $0.status == status }?.text ?? ""
  }

  func outcome(of number: Int) -> Outcome {
    if status == 0 { return .unknown }
    if number < request { return .accepted }
    if number > request { return .discarded }
    return status == 10 ? .accepted : .rejected
  }

  /// The response (docs/spec/protocol.md#error-responses).
  var bytes: [UInt8] {
    var bytes: [UInt8] = [8, status]
    appendBigEndian(identifier, to: &bytes)
    return bytes
  }
}
