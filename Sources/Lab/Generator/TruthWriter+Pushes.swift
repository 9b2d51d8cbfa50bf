/// Writes pushes as `export` does.
extension TruthWriter {
  mutating func push(_ expectation: Expectation, _ entry: PushLedger.SentPush, of stream: Stream) throws {
    let push = entry.push
    text.begin(Self.pushType(expectation))
    begin(stream.number, entry.response == nil ? "client" : "server")
    let (offset, location) = entry.response ?? entry.request
    text.member("offset", offset)
    capture(location, fileOffset: location?.fileOffset)
    text.member("line", nil)
    text.member("http2_stream", Int(entry.stream))
    text.member("request_offset", entry.request.offset)
    text.member("request_packet", entry.request.location?.packet)
    try finish(push, entry)
  }

  private static func pushType(_ expectation: Expectation) -> StaticString {
    switch expectation {
    case .whole: "push"
    case .near: "push-near-damage"
    case .damaged: "push-damaged"
    }
  }

  private mutating func finish(_ push: GeneratedPush, _ entry: PushLedger.SentPush) throws {
    token(push.token)
    member("topic", push.topic)
    member("push_type", push.pushType)
    member("apns_id", entry.response == nil ? push.requestID : push.responseID)
    member("apns_unique_id", entry.response == nil ? nil : push.uniqueID)
    text.member("priority", push.priority)
    text.member("expiration", push.expiration)
    member("collapse_id", push.collapseID)
    text.member("payload_length", push.payload.count)
    text.member("payload", nil)
    var given: GeneratedPush.ServerAnswer?
    if entry.response != nil, case .response(let response) = push.ending { given = response }
    answer(
      given, reason: entry.ending == .excluded ? GeneratedPush.ServerAnswer.goAway.reason : given?.reason)
    flags(of: entry)
    try end()
  }

  /// Writes the push of a log line.
  mutating func push(
    _ push: GeneratedPush, _ given: GeneratedPush.ServerAnswer, line: Int, at offset: Int
  ) throws {
    text.begin("push")
    begin(0, "server")
    text.member("offset", offset)
    capture(nil, fileOffset: offset)
    text.member("line", line)
    text.member("http2_stream", nil)
    text.member("request_offset", nil)
    text.member("request_packet", nil)
    token(push.token)
    member("topic", push.topic)
    text.member("push_type", nil)
    member("apns_id", push.responseID)
    for name in Self.unlogged { text.member(name, nil) }
    answer(given, reason: given.reason)
    flags(tokenLength: push.token.count)
    try end()
  }

  /// Members from `apns_unique_id` to `payload`, which generated logs do not have.
  private static let unlogged: [StaticString] = [
    "apns_unique_id", "priority", "expiration", "collapse_id", "payload_length", "payload",
  ]

  private mutating func token(_ token: [UInt8]) {
    text.member("token_length", token.count)
    text.name("token")
    text.hex(token)
    text.member("token_text", nil)
  }

  private mutating func answer(_ answer: GeneratedPush.ServerAnswer?, reason: StaticString?) {
    text.member("status", answer?.status)
    text.name("reason")
    if let reason { text.quote(reason) } else { text.null() }
    text.member("timestamp_ms", answer?.time)
    text.member("timestamp", answer?.time.map { $0 / 1000 })
    text.name("time")
    if let time = answer?.time {
      text.time(UInt32(time / 1000), nanoseconds: UInt32(time % 1000) * 1_000_000, digits: 3)
    } else {
      text.null()
    }
    text.name("outcome")
    switch answer?.status {
    case nil: text.quote("unknown")
    case 200: text.quote("accepted")
    case 410: text.quote("invalidated")
    default: text.quote("rejected")
    }
  }

  private mutating func member(_ name: StaticString, _ value: String?) {
    text.name(name)
    if let value { text.verbatim(TruthText.quoted(value)) } else { text.null() }
  }

  /// Writes the flags, sorted by code.
  private mutating func flags(of entry: PushLedger.SentPush) {
    var flags: [String] = []
    if entry.ending == .excluded { flags.append("goaway") }
    if entry.response == nil { flags.append("no-response") }
    if entry.ending == .reset { flags.append("stream-reset") }
    if entry.push.token.count != Scenario.normalLength { flags.append("unexpected-token-length") }
    text.name("flags")
    text.verbatim("[\(flags.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
  }
}
