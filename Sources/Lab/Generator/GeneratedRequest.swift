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
  private var lengthAndToken: [UInt8] = []

  /// The request with the given number in the scenario, from 0. It does not depend on other requests.
  /// - Parameter identifier: used if the request has one and it is unambiguous.
  init(_ number: Int, of scenario: Scenario, identifier: UInt32) {
    var random = RandomNumbers(seed: scenario.seed, .requests, number: number)
    command = UInt8(random.below(3))
    let token = scenario.token(of: number, &random)
    GeneratedToken.append(token, of: scenario, to: &lengthAndToken)
    self.token = lengthAndToken[2...]
    payload = Self.payload(number, &random)
    let identifier = Self.unambiguous(identifier)
    let expiry = random.below(4) == 0 ? 0 : scenario.times.lowerBound &+ UInt32(random.below(86_400))
    switch command {
    case 0: break
    case 1:
      self.identifier = identifier
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

  /// Sets two more bits of an identifier that looks like the beginning of a request with command 0 and a token of the
  /// usual length, or like that of a TLS record.
  private static func unambiguous(_ identifier: UInt32) -> UInt32 {
    let isLength = identifier & 0xff_ffff == Scenario.normalLength || identifier >> 8 == Scenario.normalLength
    // Any byte that follows an identifier may be as low as 0.
    let bytes = bigEndian(identifier) + [0]
    let isCiphertext = (0...2).contains {
      GeneratedToken.looksLikeCiphertext(bytes[$0], bytes[$0 + 1], bytes[$0 + 2])
    }
    return isLength || isCiphertext ? identifier | 0x80_8000 : identifier
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
      if let identifier { bytes += bigEndian(identifier) }
      if let expiry { bytes += bigEndian(expiry) }
      return bytes + lengthAndToken + Self.withLength(payload)
    }
    let frame = items.flatMap { [$0] + Self.withLength(value(ofItem: $0)) }
    return bytes + bigEndian(UInt32(truncatingIfNeeded: frame.count)) + frame
  }

  private func value(ofItem item: UInt8) -> [UInt8] {
    switch item {
    case 1: Array(token)
    case 2: payload
    case 3: bigEndian(identifier ?? 0)
    case 4: bigEndian(expiry ?? 0)
    default: [priority ?? 0]
    }
  }

  private static func withLength(_ value: [UInt8]) -> [UInt8] {
    bigEndian(UInt16(truncatingIfNeeded: value.count)) + value
  }
}

/// The requests of one connection. Their identifiers are consecutive from any number, as those of clients that count.
struct GeneratedRequests {
  private let scenario: Scenario
  /// Numbers of the requests in the scenario, from 0.
  let numbers: Range<Int>
  private let firstIdentifier: UInt32
  /// One of this number of connections has identifiers on both sides of 2^32.
  private static let wrapInterval = 4

  /// - Parameter connection: number of the connection, from 0, of `count` that share the requests evenly.
  init(_ scenario: Scenario, connection: Int, of count: Int) {
    self.scenario = scenario
    numbers = scenario.share(of: connection, among: count)
    var random = RandomNumbers(seed: scenario.seed, .identifiers, number: connection)
    firstIdentifier =
      random.below(Self.wrapInterval) == 0
      ? UInt32.max &- UInt32(truncatingIfNeeded: random.below(numbers.count - 1))
      : UInt32(truncatingIfNeeded: random.next())
  }

  subscript(number: Int) -> GeneratedRequest {
    let index = UInt32(truncatingIfNeeded: number - numbers.lowerBound)
    return GeneratedRequest(number, of: scenario, identifier: firstIdentifier &+ index)
  }
}

enum GeneratedToken {
  /// Appends length and token. The same number gives the same bytes.
  static func append(_ number: Int, of scenario: Scenario, to bytes: inout [UInt8]) {
    var random = RandomNumbers(seed: scenario.seed, .tokens, number: number)
    let lengths = scenario.tokenLengths
    let length = lengths.isEmpty ? Scenario.normalLength : lengths[random.below(lengths.count)]
    bytes += bigEndian(UInt16(truncatingIfNeeded: length))
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
  enum RequestOutcome: String, Sendable { case accepted, rejected, discarded, unknown }

  /// Number in the scenario of the named request.
  let request: Int
  let identifier: UInt32
  let status: UInt8
  let token: [UInt8]

  /// From docs/spec/protocol.md#error-responses.
  private static let statuses: [(status: UInt8, text: String)] = [
    (0, "no errors encountered"), (1, "processing error"), (2, "missing device token"), (3, "missing topic"),
    (4, "missing payload"), (5, "invalid token size"), (6, "invalid topic size"), (7, "invalid payload size"),
    (8, "invalid token"), (10, "shutdown"),
    (128, "protocol error (APNs could not parse the notification)"), (255, "none (unknown)"),
  ]

  /// Nil if the connection has no response, or no suitable request was found.
  init?(_ scenario: Scenario, connection: Int, of count: Int) {
    var random = RandomNumbers(seed: scenario.seed, .connections, number: connection)
    let requests = GeneratedRequests(scenario, connection: connection, of: count)
    guard random.happens(scenario.responses), !requests.numbers.isEmpty else { return nil }
    // About 60 % of requests have an identifier.
    for _ in 0..<16 {
      let number = requests.numbers.lowerBound + random.below(requests.numbers.count)
      let named = requests[number]
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

  var statusText: String { Self.statuses.first { $0.status == status }?.text ?? "" }

  func outcome(of number: Int) -> RequestOutcome {
    if status == 0 { return .unknown }
    if number < request { return .accepted }
    if number > request { return .discarded }
    return status == 10 ? .accepted : .rejected
  }

  /// The response (docs/spec/protocol.md#error-responses).
  var bytes: [UInt8] { [8, status] + bigEndian(identifier) }
}
