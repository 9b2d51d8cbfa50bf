import APNsWire
import Analysis
import Reports
import TimeZones
import WireBytes

/// The table of streams in the page.
struct StreamsView {
  struct Row {
    let number: String
    let of: String
    let peers: String?
    /// Of a TLS connection.
    let encryption: String?
    let streamProtocol: String
    let bytes: String
    let records: String
    let missing: String
    let packets: String
    let captured: String
    let capturedLocal: String?
  }

  let rows: [Row]
  let hasRows: Bool
  let hasStreams: Bool
  let more: String
  let hasMore: Bool
  let command: String
  let hasPackets: Bool

  init(_ page: ReportPage) {
    rows = page.streams.map { Self.row($0, page.head.clock) }
    hasRows = !rows.isEmpty
    hasStreams = page.summary.streams > 0
    more = Figures.part(rows.count, of: page.summary.streams, "listed", noun: "stream")
    hasMore = page.streamsLeftOut > 0
    command = page.commands.streams
    hasPackets = page.streams.contains { $0.firstPacket != nil }
  }

  private static func row(_ stream: StreamSummary, _ clock: LocalClock?) -> Row {
    let packets = [stream.firstPacket, stream.lastPacket].compactMap { $0 }.map(Figures.grouped)
    let captured = [stream.startedAt, stream.endedAt].compactMap { $0 }
    let times = captured.compactMap { $0.text.map(time) }
    let locals = captured.compactMap { clock?.text(CaptureTime(seconds: $0.seconds)) }
    let peers = [stream.client, stream.server].compactMap { $0 }
    return Row(
      number: String(stream.number), of: stream.source,
      peers: peers.isEmpty ? nil : peers.joined(separator: " → "),
      encryption: stream.encryption.map(EncryptionText.of),
      streamProtocol: stream.isUnrecognised ? "not recognised" : stream.streamProtocol.rawValue,
      bytes: bytes(stream),
      records: Figures.grouped(stream.records),
      missing: Figures.grouped(stream.serverGapBytes &+ stream.clientGapBytes),
      packets: packets.joined(separator: " to "), captured: times.joined(separator: " to "),
      capturedLocal: locals.isEmpty ? nil : locals.joined(separator: " to "))
  }

  private static func bytes(_ stream: StreamSummary) -> String {
    let sent = [(stream.serverBytes, "server"), (stream.clientBytes, "client")].filter { $0.0 > 0 }
    return sent.isEmpty
      ? "0" : sent.map { "\(Figures.grouped($0.0)) from the \($0.1)" }.joined(separator: ", ")
  }

  /// Formats an RFC 3339 time for the page, without fractions of a second.
  private static func time(_ text: String) -> String {
    text.prefix(10) + " " + text.dropFirst(11).prefix(8)
  }
}

/// Gateway connections in the page.
struct GatewayView {
  struct OutcomeRow {
    let outcome: String
    let count: String
    let share: String
    let means: String
  }

  struct ResponseRow {
    let location: String
    let status: String
    let says: String
    let identifier: String
    let named: String
    let token: String
    let hasToken: Bool
    let flags: String?
  }

  let outcomes: [OutcomeRow]
  let hasRequests: Bool
  let commands: String
  let responses: [ResponseRow]
  let hasResponses: Bool
  let shown: String
  let isCut: Bool
  let responsesCommand: String
  let requestsCommand: String
  let resendCommand: String
  let hasDiscarded: Bool

  init?(_ page: ReportPage) {
    let counts = page.summary.gateway
    guard counts.requests + counts.responses > 0 else { return nil }
    outcomes = RequestOutcome.allCases.map { outcome in
      OutcomeRow(
        outcome: outcome.rawValue, count: Figures.grouped(counts[outcome]),
        share: Figures.percent(counts[outcome], of: counts.requests), means: Self.meaning(outcome))
    }
    hasRequests = counts.requests > 0
    let commands = page.gateway.commands.enumerated().filter { $0.element > 0 }
    self.commands = commands.map { "\(Figures.grouped($0.element)) with command \($0.offset)" }
      .joined(separator: ", ")
    responses = page.gateway.responses.map(Self.row)
    hasResponses = counts.responses > 0
    shown = Figures.part(responses.count, of: counts.responses, "shown")
    isCut = responses.count < counts.responses
    responsesCommand = page.commands.responses
    requestsCommand = page.commands.requests
    resendCommand = page.commands.resend
    hasDiscarded = counts.discarded > 0
  }

  private static func meaning(_ outcome: RequestOutcome) -> String {
    switch outcome {
    case .accepted:
      "Sent before the request that an error refers to: the gateway accepted it. Its delivery is not confirmed."
    case .rejected: "The request that an error refers to: it failed, for the reason below."
    case .discarded:
      "Sent after the one that failed: the gateway discarded it, and it had to be sent again."
    case .unknown:
      "No error response covers it. The gateway sends nothing on success, so silence proves nothing."
    }
  }

  private static func row(_ response: GatewayRows.Response) -> ResponseRow {
    let status = response.status.map { code in
      ErrorStatus(rawValue: code)?.text ?? "not in Apple’s table"
    }
    let packet = response.packet.map { ", packet \(Figures.grouped($0))" } ?? ""
    let captured = response.capturedAt.map { ", \($0.prefix(10)) \($0.dropFirst(11).dropLast()) UTC" } ?? ""
    return ResponseRow(
      location:
        "\(response.source), stream \(response.stream), offset \(Figures.grouped(response.offset))\(packet)\(captured)",
      status: response.status.map { String($0) } ?? "··", says: status ?? "left out",
      identifier: response.identifier.map { String($0) } ?? "··",
      named: response.requestOffset.map { "the request at offset \(Figures.grouped($0))" }
        ?? "no request in the inputs",
      token: response.token ?? "", hasToken: response.token != nil,
      flags: response.flags.isEmpty ? nil : response.flags.joined(separator: ", "))
  }
}
