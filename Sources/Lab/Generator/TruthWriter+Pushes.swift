/// Writes pushes as `export` does.
extension TruthWriter {
  mutating func push(_ expectation: Expectation, _ entry: PushLedger.SentPush, of stream: Stream) throws {
    let (push, isAnswered) = (entry.push, entry.response != nil)
    begin("push", expectation, stream.number, isFromServer: isAnswered)
    let (offset, location) = entry.response ?? entry.request
    text.member("offset", offset)
    capture(location, fileOffset: location?.fileOffset)
    text.null("logged_at", "line")
    text.member("http2_stream", Int(entry.stream))
    text.member("request_offset", entry.request.offset)
    text.member("request_packet", entry.request.location?.packet)
    text.token(push.token)
    text.null("token_text")
    text.member("topic", push.topic)
    text.member("push_type", push.pushType)
    text.member("apns_id", isAnswered ? push.responseID : push.requestID)
    text.member("apns_unique_id", isAnswered ? push.uniqueID : nil)
    text.member("priority", push.priority)
    text.member("expiration", push.expiration)
    text.member("collapse_id", push.collapseID)
    text.member("payload_length", push.payload.count)
    text.null("payload")
    var given: GeneratedPush.ServerAnswer?
    if isAnswered, case .response(let response) = push.ending { given = response }
    answer(
      given, reason: entry.ending == .excluded ? GeneratedPush.ServerAnswer.goAway.reason : given?.reason)
    var flags = entry.ending == .excluded ? ["goaway"] : []
    if !isAnswered { flags.append("no-response") }
    if entry.ending == .reset { flags.append("stream-reset") }
    self.flags(flags, tokenLength: push.token.count)
    try end()
  }

  mutating func push(
    _ push: GeneratedPush, _ given: GeneratedPush.ServerAnswer, line: Int, at offset: Int
  ) throws {
    begin("push", .whole, 0, isFromServer: true)
    text.member("offset", offset)
    capture(nil, fileOffset: offset)
    text.null("logged_at")
    text.member("line", line)
    text.null("http2_stream", "request_offset", "request_packet")
    text.token(push.token)
    text.null("token_text")
    text.member("topic", push.topic)
    text.null("push_type")
    text.member("apns_id", push.responseID)
    // Generated logs do not have these.
    text.null("apns_unique_id", "priority", "expiration", "collapse_id", "payload_length", "payload")
    answer(given, reason: given.reason)
    flags(tokenLength: push.token.count)
    try end()
  }

  private mutating func answer(_ answer: GeneratedPush.ServerAnswer?, reason: String?) {
    text.member("status", answer?.status)
    text.member("reason", reason)
    text.member("timestamp_ms", answer?.time)
    text.member("timestamp", answer?.time.map { $0 / 1000 })
    text.member("time", answer?.time.map(Moment.init(milliseconds:)), digits: 3)
    let outcome =
      switch answer?.status {
      case nil: "unknown"
      case 200: "accepted"
      case 410: "invalidated"
      default: "rejected"
      }
    text.member("outcome", outcome)
  }
}
