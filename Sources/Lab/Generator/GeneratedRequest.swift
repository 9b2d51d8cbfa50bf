/// A gateway request (docs/spec/protocol.md#gateway-requests).
struct GeneratedRequest: Sendable {
  let command: UInt8
  /// Nil if the request has none.
  private(set) var identifier: UInt32?
  private(set) var expiry: UInt32?
  private(set) var priority: UInt8?
  /// Ids of the items of command 2 in wire order; nil for other commands.
  private(set) var items: [UInt8]?
  private(set) var token: ArraySlice<UInt8> = []
  private(set) var payload: [UInt8] = []
  /// Length and token as encoded.
  private var lengthAndToken: [UInt8] = []

  /// The request with the given number in the scenario, from 0. It does not depend on other requests.
  /// - Parameter index: index of the request in its connection, from 0, which determines the identifier.
  init(_ number: Int, of scenario: Scenario, inConnection index: Int) {
    var random = RandomNumbers(seed: scenario.seed, .requests, number: number)
    command = UInt8(random.below(3))
    let token = scenario.token(of: number, &random)
    GeneratedToken.append(token, of: scenario, to: &lengthAndToken)
    self.token = lengthAndToken[2...]
    payload = Self.payload(number, &random)
    let identifier = UInt32(truncatingIfNeeded: index + 1)
    let expiry = random.below(4) == 0 ? 0 : scenario.times.lowerBound &+ UInt32(random.below(86_400))
    switch command {
    case 0: break
    case 1:
      self.identifier = Self.unambiguous(identifier, tokenLength: self.token.count)
      // A zero before the token length would look like the beginning of a request with command 0.
      self.expiry = expiry % 256 == 0 ? expiry + 7 : expiry
    default:
      var items = Self.itemOrders[random.below(Self.itemOrders.count)]
      // A one before the item of the identifier and command 0 of the next request would look like the beginning of
      // command 1.
      if items.last == 3, self.token.last == 1 { items = Self.itemOrders[0] }
      self.items = items
      if items.contains(3) { self.identifier = identifier }
      if items.contains(4) { self.expiry = expiry }
      if items.contains(5) { priority = random.below(2) == 0 ? 5 : 10 }
    }
  }

  /// The identifier of a request with command 1. Sets another bit if its last bytes would look like the beginning of a
  /// request with command 0 and a token of the usual length that extends up to the payload.
  private static func unambiguous(_ identifier: UInt32, tokenLength: Int) -> UInt32 {
    // After the length of two bytes: the expiry and the real length, in one case after the identifier's last byte.
    let isLength = identifier & 0xff_ffff == Scenario.normalLength && tokenLength + 6 == Scenario.normalLength
    let hasLength = identifier >> 8 == Scenario.normalLength && tokenLength + 7 == Scenario.normalLength
    return isLength || hasLength ? identifier | 0x80_0000 : identifier
  }

  /// Item orders of clients, always with token and payload.
  private static let itemOrders: [[UInt8]] = [
    [1, 2, 3, 4, 5], [3, 1, 2, 4, 5], [1, 2], [2, 1, 3], [1, 2, 5, 4],
  ]

  private static let alerts = [
    "Message", "Zwölf neue Nachrichten", "新着メッセージ", "A \\\"quoted\\\" word", "📬",
  ]

  /// JSON of at most 256 bytes, which is valid for every command.
  static func payload(_ number: Int, _ random: inout RandomNumbers) -> [UInt8] {
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

/// Generates the tokens of a scenario by number.
enum GeneratedToken {
  /// Appends length and token. The same number gives the same bytes.
  static func append(_ number: Int, of scenario: Scenario, to bytes: inout [UInt8]) {
    var random = RandomNumbers(seed: scenario.seed, .tokens, number: number)
    let lengths = scenario.tokenLengths
    let length = lengths.isEmpty ? Scenario.normalLength : lengths[random.below(lengths.count)]
    appendBigEndian(UInt16(truncatingIfNeeded: length), to: &bytes)
    var word: UInt64 = 0
    for index in 0..<length {
      if index % 8 == 0 { word = random.next() }
      var byte = UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8))
      while !fits(byte, after: bytes, isLast: index == length - 1) { byte = random.byte() }
      bytes.append(byte)
    }
  }

  /// Whether `byte` may follow the bytes of the tuple so far (RecordSource). After the last byte follows a time, whose
  /// first byte is above 73 and, as the second byte of a length, below 101.
  private static func fits(_ byte: UInt8, after bytes: [UInt8], isLast: Bool) -> Bool {
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

/// The error response of a connection. It is drawn before the requests, so that the outcome of each request is known
/// when it is written (docs/spec/decoding-rules.md#correlation).
struct GeneratedResponse: Sendable {
  enum Outcome: Sendable {
    case accepted, rejected, discarded, unknown
  }

  /// Number in the scenario of the named request.
  let request: Int
  let identifier: UInt32
  let status: UInt8
  let token: [UInt8]

  /// From docs/spec/protocol.md#error-responses.
  private static let statuses: [(status: UInt8, text: StaticString)] = [
    (0, "no errors encountered"), (1, "processing error"), (2, "missing device token"), (3, "missing topic"),
    (4, "missing payload"), (5, "invalid token size"), (6, "invalid topic size"), (7, "invalid payload size"),
    (8, "invalid token"), (10, "shutdown"),
    (128, "protocol error (APNs could not parse the notification)"), (255, "none (unknown)"),
  ]

  /// Nil if the connection has no response, or no suitable request was found.
  init?(_ scenario: Scenario, connection: Int, of count: Int) {
    var random = RandomNumbers(seed: scenario.seed, .connections, number: connection)
    let share = scenario.share(of: connection, among: count)
    guard random.happens(scenario.responses), !share.isEmpty else { return nil }
    // About 60 % of requests have an identifier.
    for _ in 0..<16 {
      let number = share.lowerBound + random.below(share.count)
      let named = GeneratedRequest(number, of: scenario, inConnection: number - share.lowerBound)
      // After a gap, decoding begins only with a normal token length: the named request must not be skipped.
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
