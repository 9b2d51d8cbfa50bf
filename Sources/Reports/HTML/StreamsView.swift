import Analysis

/// The table of streams in the page.
struct StreamsView {
  struct Row {
    let number: String
    let of: String
    let peers: String?
    let speaks: String
    let bytes: String
    let records: String
    let missing: String
    let packets: String
    let captured: String
  }

  let rows: [Row]
  let hasRows: Bool
  let hasStreams: Bool
  let more: String
  let hasMore: Bool
  let command: String
  let hasPackets: Bool

  init(_ page: ReportPage) {
    rows = page.streams.map(Self.row)
    hasRows = !rows.isEmpty
    hasStreams = page.summary.streams > 0
    more = Figures.part(rows.count, of: page.summary.streams, "listed", noun: "stream")
    hasMore = page.streamsLeftOut > 0
    command = page.commands.streams
    hasPackets = page.streams.contains { $0.firstPacket != nil }
  }

  private static func row(_ stream: StreamSummary) -> Row {
    let packets = [stream.firstPacket, stream.lastPacket].compactMap { $0 }.map(Figures.grouped)
    let times = [stream.startedAt, stream.endedAt].compactMap { $0?.text.map(time) }
    let peers = [stream.client, stream.server].compactMap { $0 }
    return Row(
      number: String(stream.number), of: stream.source,
      peers: peers.isEmpty ? nil : peers.joined(separator: " → "),
      speaks: stream.isUnrecognised ? "not recognised" : stream.speaks.rawValue, bytes: bytes(stream),
      records: Figures.grouped(stream.records),
      missing: Figures.grouped(stream.serverGapBytes &+ stream.clientGapBytes),
      packets: packets.joined(separator: " to "), captured: times.joined(separator: " to "))
  }

  private static func bytes(_ stream: StreamSummary) -> String {
    let sent = [(stream.serverBytes, "server"), (stream.clientBytes, "client")].filter { $0.0 > 0 }
    return sent.isEmpty
      ? "0" : sent.map { "\(Figures.grouped($0.0)) from the \($0.1)" }.joined(separator: ", ")
  }

  /// RFC 3339 as people read it, without fractions of a second.
  private static func time(_ text: String) -> String {
    text.prefix(10) + " " + text.dropFirst(11).prefix(8)
  }
}
