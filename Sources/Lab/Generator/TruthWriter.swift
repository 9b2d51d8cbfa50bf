/// A location in a capture.
struct CapturedLocation: Equatable, Sendable {
  /// Number of the packet, from 1.
  var packet: Int
  /// Offset in the file, in bytes from 0.
  var fileOffset: Int
  var moment: Moment
}

/// A time since 1970.
struct Moment: Equatable, Sendable {
  var seconds: UInt32
  var nanoseconds: UInt32
}

/// Writes the truth: the objects that `apnsift export -t ndjson` must write (docs/spec/interface.md#export, export), with their members
/// in the same order, but without header and summary. Damage has additional objects.
struct TruthWriter {
  /// The stream of a record. A dump has the number 0 and no peers.
  struct Stream {
    var number = 0
    /// JSON: a string or null.
    var client = Array("null".utf8)
    var server = Array("null".utf8)
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

  /// - Parameters:
  ///   - whole: the expectation for a record that is sent undamaged.
  ///   - location: nil in a dump.
  mutating func record(
    _ sent: SentRecord, _ whole: Expectation, of stream: Stream, at offset: Int, _ location: CapturedLocation?
  ) throws {
    let expectation = sent.expectation == .whole ? whole : sent.expectation
    let bytes = sent.record.bytes
    switch sent.record.content {
    case .tuple(let time):
      try tuple(
        expectation, of: stream, at: offset, location, time: time, token: bytes[RecordSource.header...])
    case .request(let request, let outcome, let status):
      try self.request(
        expectation, request, length: bytes.count, outcome, status: status, of: stream, at: offset, location)
    }
  }

  private static func tupleType(_ expectation: Expectation) -> StaticString {
    switch expectation {
    case .whole: "feedback"
    case .near: "feedback-near-damage"
    case .damaged: "feedback-damaged"
    }
  }

  /// - Parameters:
  ///   - offset: offset in the stream, in bytes from 0.
  ///   - location: nil in a dump, where stream and file offsets are equal.
  private mutating func tuple(
    _ expectation: Expectation, of stream: Stream, at offset: Int, _ location: CapturedLocation?,
    time: UInt32, token: some Collection<UInt8>
  ) throws {
    text.begin(Self.tupleType(expectation))
    begin(stream.number, "server")
    text.member("client", stream.client)
    text.member("server", stream.server)
    text.member("offset", offset)
    capture(location, fileOffset: location?.fileOffset ?? offset)
    text.member("timestamp", Int(time))
    text.name("time")
    text.time(time)
    text.member("token_length", token.count)
    text.name("token")
    text.hex(token)
    flags(tokenLength: token.count)
    try end()
  }

  /// Writes damage of a stream.
  /// - Parameters:
  ///   - range: offsets of changed bytes in the stream; empty if bytes are missing.
  ///   - lost: the number of missing bytes.
  mutating func damage(
    _ kind: StaticString, of stream: Stream, isFromServer: Bool, _ range: Range<Int>, lost: Int
  ) throws {
    text.begin("damage")
    begin(stream.number, isFromServer ? "server" : "client")
    try finishDamage(kind, range, lost: lost)
  }

  /// Writes damage of the capture file.
  mutating func fileDamage(_ kind: StaticString, _ range: Range<Int>, lost: Int) throws {
    text.begin("damage")
    text.member("source", source)
    text.member("stream", nil)
    text.name("direction")
    text.null()
    try finishDamage(kind, range, lost: lost)
  }

  private mutating func finishDamage(_ kind: StaticString, _ range: Range<Int>, lost: Int) throws {
    text.member("offset", range.lowerBound)
    text.member("length", range.count)
    text.member("lost", lost)
    text.name("kind")
    text.quote(kind)
    try end()
  }

  /// Writes a finding. The message is a placeholder: the truth does not prescribe its wording.
  mutating func finding(
    _ code: StaticString, of stream: Stream, isFromServer: Bool, _ range: Range<Int>, packet: Int?,
    fileOffset: Int?, isError: Bool
  ) throws {
    if isOfDamaged { return }
    text.begin("finding")
    begin(stream.number, isFromServer ? "server" : "client")
    text.member("offset", range.lowerBound)
    text.member("length", range.count)
    text.member("packet", packet)
    text.member("file_offset", fileOffset)
    text.name("code")
    text.quote(code)
    text.name("severity")
    text.quote(isError ? "error" : "warning")
    text.name("message")
    text.quote("generated")
    try end()
  }

  /// The totals of an ended stream.
  struct StreamTotals {
    var protocolName: StaticString = "feedback"
    var first: CapturedLocation?
    var last: CapturedLocation?
    var clientBytes = 0
    var serverBytes = 0
    var clientGapBytes = 0
    var serverGapBytes = 0
    var records = 0
    var findings = 0
  }

  mutating func stream(_ stream: Stream, _ totals: StreamTotals) throws {
    if isOfDamaged { return }
    text.begin("stream")
    text.member("source", source)
    text.member("stream", stream.number)
    text.name("protocol")
    text.quote(totals.protocolName)
    text.member("client", stream.client)
    text.member("server", stream.server)
    text.member("first_packet", totals.first?.packet)
    text.member("last_packet", totals.last?.packet)
    moment("started_at", totals.first?.moment)
    moment("ended_at", totals.last?.moment)
    text.member("client_bytes", totals.clientBytes)
    text.member("server_bytes", totals.serverBytes)
    text.member("client_gap_bytes", totals.clientGapBytes)
    text.member("server_gap_bytes", totals.serverGapBytes)
    text.member("records", totals.records)
    text.member("findings", totals.findings)
    try end()
  }

  // MARK: - Common members

  /// docs/spec/decoding-rules.md#flags-of-tuples: the only flag of generated records is that of an unusual token length.
  mutating func flags(tokenLength: Int) {
    text.name("flags")
    text.verbatim((tokenLength == Scenario.normalLength ? "[]" : "[\"unexpected-token-length\"]").utf8)
  }

  mutating func begin(_ stream: Int, _ direction: StaticString) {
    text.member("source", source)
    text.member("stream", stream)
    text.name("direction")
    text.quote(direction)
  }

  mutating func capture(_ location: CapturedLocation?, fileOffset: Int?) {
    text.member("packet", location?.packet)
    text.name("original_packet")
    text.null()
    text.member("file_offset", fileOffset)
    moment("captured_at", location?.moment)
  }

  private mutating func moment(_ name: StaticString, _ moment: Moment?) {
    text.name(name)
    guard let moment else { return text.null() }
    text.time(moment.seconds, nanoseconds: moment.nanoseconds, digits: digits)
  }

  mutating func end() throws {
    text.end()
    try buffer.append(text.bytes)
    text.clear()
  }
}
