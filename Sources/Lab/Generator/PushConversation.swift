/// The bytes of both sides of an HTTP/2 connection, in turns: the client's pushes and the server's responses.
///
/// Connections differ in the size of the dynamic table, the fields that enter it, padding and priorities,
/// and in header blocks of several frames.
struct PushConversation {
  /// What frames of a push do, and their range in the turn's bytes.
  struct Event {
    var stream: UInt32
    var frames: Range<Int>
    /// Of a request.
    var push: GeneratedPush?
    /// Of other frames.
    var ending: PushLedger.SentPush.Ending?
  }

  /// The bytes that one side sends before the other side sends again.
  struct Turn {
    var isFromServer: Bool
    var bytes: [UInt8] = []
    var events: [Event] = []
  }

  private enum Stage { case clientSettings, serverSettings, pushes, responses, cancellations, ended }

  private static let mostInTurn = 8
  private static let mostOpen = 100

  private let scenario: Scenario
  private var random: RandomNumbers
  private var stage = Stage.clientSettings
  /// Numbers (in the scenario) of the pushes that are not sent yet.
  private var left: Range<Int>
  private var nextStream: UInt32 = 1
  private var open: [(stream: UInt32, push: GeneratedPush)] = []
  /// Streams that the client cancels in its next turn.
  private var cancelled: [UInt32] = []
  private var hasPing = false
  /// Stream ids of the client's last turn.
  private var recent: Range<UInt32> = 1..<1
  let endsWithGoaway: Bool
  private let isCutOff: Bool

  private let style: Style
  private var requests: HeaderEncoder
  private var responses: HeaderEncoder

  private struct Style {
    /// Whether all fields enter the dynamic table, as in some encoders, or only repeated ones.
    var indexesAll: Bool
    var pads: Bool
    var prioritises: Bool
    var hasUppercaseTokens: Bool
    var authority: String
  }

  /// - Parameter isCutOff: whether the connection ends without responses to the last pushes.
  init(_ scenario: Scenario, connection: Int, of count: Int, isCutOff: Bool) {
    self.scenario = scenario
    random = RandomNumbers(seed: scenario.seed, .exchanges, number: connection)
    left = scenario.share(of: connection, among: count)
    endsWithGoaway = random.happens(scenario.pushes.goaways)
    self.isCutOff = isCutOff
    style = Style(
      indexesAll: random.below(3) == 0, pads: random.below(4) == 0, prioritises: random.below(4) == 0,
      hasUppercaseTokens: random.below(8) == 0,
      authority: random.below(2) == 0 ? "api.push.example" : "api.push.example:2197")
    let sizes = [HeaderEncoder.standardSize, HeaderEncoder.standardSize, 1024, 256, 0]
    requests = HeaderEncoder(limit: sizes[random.below(sizes.count)])
    responses = HeaderEncoder(limit: sizes[random.below(sizes.count)])
  }

  mutating func next() -> Turn? {
    switch stage {
    case .clientSettings:
      stage = .serverSettings
      return Turn(
        isFromServer: false, bytes: HTTP2Frame.preface + settings(tableSize: responses.limit, push: 0))
    case .serverSettings:
      stage = .pushes
      let acknowledged = settings(tableSize: requests.limit) + Self.settingsAcknowledged
      return Turn(isFromServer: true, bytes: acknowledged)
    case .pushes:
      stage = .responses
      return pushTurn()
    case .responses:
      stage = left.isEmpty ? .cancellations : .pushes
      let most = Self.mostInTurn
      return left.isEmpty
        ? lastTurn()
        : responseTurn(count: random.within(open.count > Self.mostOpen / 2 ? most...2 * most : 0...most))
    case .cancellations:
      stage = .ended
      return cancelled.isEmpty ? nil : cancellationTurn()
    case .ended: return nil
    }
  }

  // MARK: - Connection

  /// SETTINGS, and one WINDOW_UPDATE that opens the connection's window to its maximum.
  private func settings(tableSize: Int, push: UInt32? = nil) -> [UInt8] {
    // RFC 9113, sections 6.5.1 and 6.5.2: 1 table size, 2 server push, 3 concurrent streams, 4 initial window
    // size.
    var values: [(UInt16, UInt32)] = [(1, UInt32(truncatingIfNeeded: tableSize))]
    if let push { values.append((2, push)) }
    values += [(3, UInt32(Self.mostOpen)), (4, 65_535)]
    return HTTP2Frame.bytes(.settings, values.flatMap { bigEndian($0) + bigEndian($1) })
      + HTTP2Frame.bytes(.windowUpdate, bigEndian(Int32.max - 65_535))
  }

  private static let settingsAcknowledged = HTTP2Frame.bytes(.settings, flags: HTTP2Frame.Flag.ack, [])

  private func ping(isAnswer: Bool) -> [UInt8] {
    HTTP2Frame.bytes(
      .ping, flags: isAnswer ? HTTP2Frame.Flag.ack : 0, bigEndian(nextStream) + [0, 0, 0, 0])
  }

  // MARK: - Pushes

  private mutating func pushTurn() -> Turn {
    var turn = cancellationTurn()
    if nextStream == 1 { turn.bytes += Self.settingsAcknowledged }
    let count = min(left.count, random.within(1...Self.mostInTurn))
    recent = nextStream..<nextStream + 2 * UInt32(truncatingIfNeeded: count)
    for _ in 0..<count { add(GeneratedPush(left.removeFirst(), of: scenario), to: &turn) }
    hasPing = random.below(32) == 0
    if hasPing { turn.bytes += ping(isAnswer: false) }
    return turn
  }

  private mutating func add(_ push: GeneratedPush, to turn: inout Turn) {
    let (stream, start) = (nextStream, turn.bytes.count)
    nextStream += 2
    appendHeaders(requests.block(fields(of: push)), stream, endsStream: false, to: &turn.bytes)
    // Some clients send the payload in several frames.
    let split = random.below(16) == 0 ? random.below(push.payload.count) : 0
    if split > 0 { appendData(push.payload[..<split], stream, endsStream: false, to: &turn.bytes) }
    appendData(push.payload[split...], stream, endsStream: true, to: &turn.bytes)
    turn.events.append(Event(stream: stream, frames: start..<turn.bytes.count, push: push))
    open.append((stream, push))
  }

  private func fields(of push: GeneratedPush) -> [HeaderField] {
    let digits = push.token.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: style.hasUppercaseTokens)
    }.joined()
    return fields([
      (.method, "POST", true), (.scheme, "http", true), (.path, "/3/device/\(digits)", false),
      (.authority, style.authority, true), (.topic, push.topic, true), (.pushType, push.pushType, true),
      (.id, push.requestID, false), (.priority, push.priority.map { "\($0)" }, true),
      (.expiration, push.expiration.map { "\($0)" }, false), (.collapseID, push.collapseID, true),
    ])
  }

  /// Those of the fields that have a value.
  private func fields(_ given: [(name: HeaderName, value: String?, isIndexed: Bool)]) -> [HeaderField] {
    given.compactMap { name, value, isIndexed in
      value.map { HeaderField(name: name, value: $0, isIndexed: isIndexed || style.indexesAll) }
    }
  }

  // MARK: - Responses

  /// Responses to some of the open pushes, in any order.
  private mutating func responseTurn(count: Int) -> Turn {
    var turn = Turn(isFromServer: true)
    if hasPing { turn.bytes += ping(isAnswer: true) }
    hasPing = false
    addResponses(count: count, to: &turn)
    return turn
  }

  private mutating func addResponses(count: Int, to turn: inout Turn) {
    for _ in 0..<min(count, open.count) {
      let (stream, push) = open.remove(at: random.below(open.count))
      end(stream, push, in: &turn)
    }
  }

  /// The responses to all open pushes, except those of the last turn that a GOAWAY or the connection's
  /// end excludes.
  private mutating func lastTurn() -> Turn {
    guard endsWithGoaway || isCutOff, !recent.isEmpty else { return responseTurn(count: open.count) }
    let first = recent.lowerBound + 2 * UInt32(truncatingIfNeeded: random.below(recent.count / 2))
    let without = open.filter { $0.stream >= first }
    open.removeAll { $0.stream >= first }
    var turn = responseTurn(count: endsWithGoaway ? random.below(open.count + 1) : open.count)
    let start = turn.bytes.count
    if endsWithGoaway {
      // The last stream, and NO_ERROR.
      let payload = bigEndian(first > 1 ? first - 2 : 0) + [0, 0, 0, 0]
      turn.bytes += HTTP2Frame.bytes(.goaway, payload + GeneratedPush.ServerAnswer.goAway.body)
    }
    let goaway = start..<turn.bytes.count
    addResponses(count: open.count, to: &turn)
    let end = turn.bytes.count..<turn.bytes.count
    turn.events += without.map { stream, _ in
      endsWithGoaway
        ? Event(stream: stream, frames: goaway, ending: .excluded)
        : Event(stream: stream, frames: end, ending: .unanswered)
    }
    return turn
  }

  private mutating func end(_ stream: UInt32, _ push: GeneratedPush, in turn: inout Turn) {
    let start = turn.bytes.count
    switch push.ending {
    case .response(let answer):
      let body = answer.body
      let fields = fields([
        (.status, String(answer.status), true), (.id, push.responseID, false),
        (.uniqueID, push.uniqueID, false),
      ])
      appendHeaders(responses.block(fields), stream, endsStream: body.isEmpty, to: &turn.bytes)
      if !body.isEmpty { appendData(body[...], stream, endsStream: true, to: &turn.bytes) }
      turn.events.append(Event(stream: stream, frames: start..<turn.bytes.count, ending: .response))
    case .refused: reset(stream, code: 7, in: &turn)
    case .cancelled: cancelled.append(stream)
    }
  }

  private mutating func cancellationTurn() -> Turn {
    var turn = Turn(isFromServer: false)
    for stream in cancelled { reset(stream, code: 8, in: &turn) }
    cancelled = []
    return turn
  }

  /// - Parameter code: an error code of RFC 9113, section 7.
  private func reset(_ stream: UInt32, code: UInt32, in turn: inout Turn) {
    let start = turn.bytes.count
    turn.bytes += HTTP2Frame.bytes(.reset, stream: stream, bigEndian(code))
    turn.events.append(Event(stream: stream, frames: start..<turn.bytes.count, ending: .reset))
  }

  // MARK: - Frames

  /// Appends a header block as HEADERS, sometimes with CONTINUATION.
  private mutating func appendHeaders(
    _ block: [UInt8], _ stream: UInt32, endsStream: Bool, to bytes: inout [UInt8]
  ) {
    typealias Flag = HTTP2Frame.Flag
    let split = random.below(32) == 0 ? 1 + random.below(block.count) : block.count
    var flags: UInt8 = endsStream ? Flag.endStream : 0
    if split == block.count { flags |= Flag.endHeaders }
    // No dependency, weight 16.
    let priority: [UInt8] = style.prioritises ? [0, 0, 0, 0, 15] : []
    let padding = style.pads ? random.below(32) : 0
    if style.pads { flags |= Flag.padded }
    if style.prioritises { flags |= Flag.priority }
    let head = (style.pads ? [UInt8(truncatingIfNeeded: padding)] : []) + priority
    let payload = head + block[..<split] + repeatElement(0, count: padding)
    bytes += HTTP2Frame.bytes(.headers, flags: flags, stream: stream, payload)
    guard split < block.count else { return }
    bytes += HTTP2Frame.bytes(.continuation, flags: Flag.endHeaders, stream: stream, block[split...])
  }

  private mutating func appendData(
    _ data: ArraySlice<UInt8>, _ stream: UInt32, endsStream: Bool, to bytes: inout [UInt8]
  ) {
    typealias Flag = HTTP2Frame.Flag
    let flags = (endsStream ? Flag.endStream : 0) | (style.pads ? Flag.padded : 0)
    let padding = style.pads ? random.below(32) : 0
    let head = style.pads ? [UInt8(truncatingIfNeeded: padding)] : []
    let payload = head + data + repeatElement(0, count: padding)
    bytes += HTTP2Frame.bytes(.data, flags: flags, stream: stream, payload)
  }
}
