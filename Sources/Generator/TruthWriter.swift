/// Where the first byte of something lies in a capture.
struct CapturedPlace: Equatable, Sendable {
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

/// Writes what was generated, as `apnsift export -t ndjson` writes what it reads (docs/spec/interface.md#export): the same
/// objects with their members in the same order, but for header and summary. Damage has objects of its own.
struct TruthWriter {
  /// A stream of a capture; a dump has the number 0 and no peers.
  struct Stream {
    var number = 0
    /// JSON: a text, or null.
    var client = Array("null".utf8)
    var server = Array("null".utf8)
  }

  private var pieces: OutputPieces
  private let source: [UInt8]
  var text = TruthText()
  /// Digits of a second that the capture has.
  private let digits: Int
  /// Whether it is of something damaged: nobody but a decoder knows what findings and totals that has.
  private let isOfDamaged: Bool

  /// - Parameter source: the generated file, as `export` will be told its name.
  init(_ output: any GeneratorOutput, source: String, digits: Int = 6, isOfDamaged: Bool) {
    self.isOfDamaged = isOfDamaged
    pieces = OutputPieces(output)
    self.source = TruthText.quoted(source)
    self.digits = digits
  }

  mutating func finish() throws { try pieces.flush() }

  /// - Parameters:
  ///   - whole: what to expect of it if it was sent as it is.
  ///   - place: nil in a dump.
  mutating func record(
    _ sent: SentRecord, _ whole: Expectation, of stream: Stream, at offset: Int, _ place: CapturedPlace?
  ) throws {
    let expectation = sent.expectation == .whole ? whole : sent.expectation
    let bytes = sent.record.bytes
    switch sent.record.content {
    case .tuple(let time):
      try tuple(
        expectation, of: stream, at: offset, place, time: time, token: bytes[RecordSource.header...])
    case .request(let request, let outcome, let status):
      try self.request(
        expectation, request, length: bytes.count, outcome, status: status, of: stream, at: offset, place)
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
  ///   - offset: in the stream, in bytes from 0.
  ///   - place: nil in a dump, where the offset in the stream is that in the file.
  private mutating func tuple(
    _ expectation: Expectation, of stream: Stream, at offset: Int, _ place: CapturedPlace?,
    time: UInt32, token: some Collection<UInt8>
  ) throws {
    text.begin(Self.tupleType(expectation))
    begin(stream.number, "server")
    text.member("client", stream.client)
    text.member("server", stream.server)
    text.member("offset", offset)
    capture(place, fileOffset: place?.fileOffset ?? offset)
    text.member("timestamp", Int(time))
    text.name("time")
    text.time(time)
    text.member("token_length", token.count)
    text.name("token")
    text.hex(token)
    flags(tokenLength: token.count)
    try end()
  }

  /// Bytes of a stream that are not what was said there, or are missing.
  /// - Parameters:
  ///   - range: offsets in the stream; empty where bytes are missing.
  ///   - lost: how many are missing.
  mutating func damage(
    _ kind: StaticString, of stream: Stream, isFromServer: Bool, _ range: Range<Int>, lost: Int
  ) throws {
    text.begin("damage")
    begin(stream.number, isFromServer ? "server" : "client")
    try finishDamage(kind, range, lost: lost)
  }

  /// The same of a capture file.
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

  /// What is wrong with bytes of a stream. The message is a place holder: in what words a decoder says it is its own
  /// affair.
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

  /// What was said of a stream once it has ended.
  struct StreamTotals {
    var protocolName: StaticString = "feedback"
    var first: CapturedPlace?
    var last: CapturedPlace?
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

  // MARK: - What objects share

  /// docs/spec/decoding-rules.md#flags-of-tuples: what has a length that is not normal says so.
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

  mutating func capture(_ place: CapturedPlace?, fileOffset: Int) {
    text.member("packet", place?.packet)
    text.name("original_packet")
    text.null()
    text.member("file_offset", fileOffset)
    moment("captured_at", place?.moment)
  }

  private mutating func moment(_ name: StaticString, _ moment: Moment?) {
    text.name(name)
    guard let moment else { return text.null() }
    text.time(moment.seconds, nanoseconds: moment.nanoseconds, digits: digits)
  }

  mutating func end() throws {
    text.end()
    try pieces.append(text.bytes)
    text.clear()
  }
}
