struct CapturedLocation: Equatable, Sendable {
  /// Number of the packet, from 1.
  var packet: Int
  /// Offset in the file, in bytes from 0.
  var fileOffset: Int
  var moment: Moment
}

/// Writes the truth: the objects that `apnsift export -t ndjson` must write (docs/spec/interface.md#export, export), with their members
/// in the same order, but without header and summary. Damage has additional objects.
struct TruthWriter {
  /// The stream of a record. A dump has the number 0, no peers and no packets.
  struct Stream {
    var number = 0
    /// JSON: a string or null.
    var client = Array("null".utf8)
    var server = Array("null".utf8)
    var first: CapturedLocation?
    var last: CapturedLocation?
  }

  private var buffer: BufferedOutput
  private let source: [UInt8]
  var text = TruthText()
  /// Digits after the decimal point in the capture's times.
  private let digits: Int
  /// Whether the input is damaged, so that its findings and totals are not known without a decoder.
  private let isOfDamaged: Bool

  /// - Parameter source: the name of the generated file as `export` will get it.
  init(_ output: any GeneratorOutput, source: String, digits: Int = 6, isOfDamaged: Bool) {
    self.isOfDamaged = isOfDamaged
    buffer = BufferedOutput(output)
    self.source = TruthText.quoted(source)
    self.digits = digits
  }

  mutating func finish() throws { try buffer.flush() }

  // MARK: - Records

  /// - Parameters:
  ///   - whole: the expectation for a record that is sent undamaged.
  ///   - offset: offset in the stream, in bytes from 0.
  ///   - location: nil in a dump, where stream and file offsets are equal.
  mutating func record(
    _ sent: SentRecord, _ whole: Expectation, of stream: Stream, at offset: Int, _ location: CapturedLocation?
  ) throws {
    let expectation = sent.expectation == .whole ? whole : sent.expectation
    let (bytes, fileOffset) = (sent.record.bytes, location?.fileOffset ?? offset)
    switch sent.record.content {
    case .tuple(let time):
      begin("feedback", expectation, stream.number, isFromServer: true)
      text.member("client", json: stream.client)
      text.member("server", json: stream.server)
      text.member("offset", offset)
      capture(location, fileOffset: fileOffset)
      text.member("timestamp", Int(time))
      text.member("time", Moment(seconds: time, nanoseconds: 0), digits: 0)
      text.token(bytes[RecordSource.header...])
    case .request(let request, let outcome, let status):
      begin("request", expectation, stream.number, isFromServer: false)
      text.member("offset", offset)
      text.member("length", bytes.count)
      capture(location, fileOffset: fileOffset)
      members(of: request)
      text.member("outcome", outcome.rawValue)
      text.member("outcome_status", status.map(Int.init))
    }
    flags(tokenLength: sent.record.tokenLength)
    try end()
  }

  private mutating func members(of request: GeneratedRequest) {
    text.member("command", Int(request.command))
    text.member("identifier", request.identifier.map(Int.init))
    text.member("expiry", request.expiry.map(Int.init))
    text.member("priority", request.priority.map(Int.init))
    text.token(request.token)
    text.member("payload_length", request.payload.count)
    text.member("payload", String(decoding: request.payload, as: UTF8.self))
    text.null("payload_hex")
    let items = request.items?.map { String($0) }.joined(separator: ",")
    text.member("items", json: (items.map { "[\($0)]" } ?? "null").utf8)
  }

  /// - Parameter requestOffset: stream offset of the named request.
  mutating func response(
    _ response: GeneratedResponse, to requestOffset: Int, of stream: Stream, _ location: CapturedLocation?
  ) throws {
    begin("response", .whole, stream.number, isFromServer: true)
    text.member("offset", 0)
    capture(location, fileOffset: location?.fileOffset ?? 0)
    text.member("status", Int(response.status))
    text.member("status_text", response.statusText)
    text.member("identifier", Int(response.identifier))
    text.member("request_offset", requestOffset)
    text.name("token")
    text.hex(response.token)
    flags([])
    try end()
  }

  // MARK: - Damage, findings and totals

  /// - Parameters:
  ///   - stream: nil for damage of the file.
  ///   - range: offsets of changed bytes in the stream or file; empty if bytes are missing.
  ///   - lost: the number of missing bytes.
  mutating func damage(
    _ kind: String, of stream: Stream? = nil, isFromServer: Bool? = nil, _ range: Range<Int>, lost: Int
  ) throws {
    begin("damage", .whole, stream?.number, isFromServer: isFromServer)
    text.member("offset", range.lowerBound)
    text.member("length", range.count)
    text.member("lost", lost)
    text.member("kind", kind)
    try end()
  }

  /// Findings that are no errors.
  private static let warnings: Set = ["conflicting-overlap", "midstream-start", "truncated-packet"]

  /// Writes a finding. The message is a placeholder: the truth does not prescribe its wording.
  mutating func finding(
    _ code: String, of stream: Stream, isFromServer: Bool, _ range: Range<Int>,
    at location: (packet: Int?, fileOffset: Int?)
  ) throws {
    if isOfDamaged { return }
    begin("finding", .whole, stream.number, isFromServer: isFromServer)
    text.member("offset", range.lowerBound)
    text.member("length", range.count)
    text.member("packet", location.packet)
    text.member("file_offset", location.fileOffset)
    text.member("code", code)
    text.member("severity", Self.warnings.contains(code) ? "warning" : "error")
    text.member("message", "generated")
    try end()
  }

  struct StreamTotals {
    var protocolName: String
    var bytes = BothSides(client: 0, server: 0)
    var gapBytes = BothSides(client: 0, server: 0)
    var records = 0
    var findings = 0
  }

  mutating func stream(_ stream: Stream, _ totals: StreamTotals) throws {
    if isOfDamaged { return }
    text.begin("stream")
    text.member("source", json: source)
    text.member("stream", stream.number)
    text.member("protocol", totals.protocolName)
    text.member("client", json: stream.client)
    text.member("server", json: stream.server)
    text.member("first_packet", stream.first?.packet)
    text.member("last_packet", stream.last?.packet)
    text.member("started_at", stream.first?.moment, digits: digits)
    text.member("ended_at", stream.last?.moment, digits: digits)
    text.member("client_bytes", totals.bytes.client)
    text.member("server_bytes", totals.bytes.server)
    text.member("client_gap_bytes", totals.gapBytes.client)
    text.member("server_gap_bytes", totals.gapBytes.server)
    text.member("records", totals.records)
    text.member("findings", totals.findings)
    try end()
  }

  // MARK: - Common members

  mutating func begin(_ type: String, _ expectation: Expectation, _ stream: Int?, isFromServer: Bool?) {
    text.begin(type + expectation.rawValue)
    text.member("source", json: source)
    text.member("stream", stream)
    text.member("direction", isFromServer.map { $0 ? "server" : "client" })
  }

  mutating func capture(_ location: CapturedLocation?, fileOffset: Int?) {
    text.member("packet", location?.packet)
    text.null("original_packet")
    text.member("file_offset", fileOffset)
    text.member("captured_at", location?.moment, digits: digits)
  }

  /// docs/spec/decoding-rules.md#flags-of-tuples: tuples and requests have only the flag of an unusual token length.
  /// - Parameter others: flags of pushes; all are sorted by code.
  mutating func flags(_ others: [String] = [], tokenLength: Int = Scenario.normalLength) {
    let all = others + (tokenLength == Scenario.normalLength ? [] : ["unexpected-token-length"])
    text.member("flags", json: "[\(all.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
  }

  mutating func end() throws {
    text.end()
    try buffer.append(text.bytes)
    text.clear()
  }
}
