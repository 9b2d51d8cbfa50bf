/// Writes requests and responses in the format of `export`.
extension TruthWriter {
  mutating func request(
    _ expectation: Expectation, _ request: GeneratedRequest, length: Int,
    _ outcome: GeneratedResponse.RequestOutcome,
    status: UInt8?,
    of stream: Stream, at offset: Int, _ location: CapturedLocation?
  ) throws {
    text.begin(Self.requestType(expectation))
    begin(stream.number, "client")
    text.member("offset", offset)
    text.member("length", length)
    capture(location, fileOffset: location?.fileOffset ?? offset)
    text.member("command", Int(request.command))
    text.member("identifier", request.identifier.map(Int.init))
    text.member("expiry", request.expiry.map(Int.init))
    text.member("priority", request.priority.map(Int.init))
    text.member("token_length", request.token.count)
    text.name("token")
    text.hex(request.token)
    text.member("payload_length", request.payload.count)
    text.member("payload", TruthText.quoted(String(decoding: request.payload, as: UTF8.self)))
    text.name("payload_hex")
    text.null()
    text.name("items")
    if let items = request.items {
      text.verbatim(("[" + items.map { String($0) }.joined(separator: ",") + "]").utf8)
    } else {
      text.null()
    }
    text.name("outcome")
    text.quote(Self.word(outcome))
    text.member("outcome_status", status.map(Int.init))
    flags(tokenLength: request.token.count)
    try end()
  }

  private static func requestType(_ expectation: Expectation) -> StaticString {
    switch expectation {
    case .whole: "request"
    case .near: "request-near-damage"
    case .damaged: "request-damaged"
    }
  }

  private static func word(_ outcome: GeneratedResponse.RequestOutcome) -> StaticString {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .discarded: "discarded"
    case .unknown: "unknown"
    }
  }

  /// - Parameter requestOffset: stream offset of the named request.
  mutating func response(
    _ response: GeneratedResponse, to requestOffset: Int, of stream: Stream, _ location: CapturedLocation?
  ) throws {
    text.begin("response")
    begin(stream.number, "server")
    text.member("offset", 0)
    capture(location, fileOffset: location?.fileOffset ?? 0)
    text.member("status", Int(response.status))
    text.name("status_text")
    text.quote(response.statusText)
    text.member("identifier", Int(response.identifier))
    text.member("request_offset", requestOffset)
    text.name("token")
    text.hex(response.token)
    text.name("flags")
    text.verbatim("[]".utf8)
    try end()
  }
}
