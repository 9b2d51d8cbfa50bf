import Analysis
import Basics
import Reports

extension ReportHTML {
  static func streams(_ page: ReportPage) -> HTML {
    let hasPackets = page.streams.contains { $0.firstPacket != nil }
    let columns: [Column] = [
      .text("Stream", style: "name"), .text("Protocol"), .text("Bytes"), .number("Records"),
      .number("Missing"),
    ]
    let captured: [Column] = [.text("Packets"), .text("Captured (UTC)", label: "Captured")]
    let table = HTML.table(
      columns + (hasPackets ? captured : []), style: "cards wide",
      rows: page.streams.map { row($0) + packets($0, page.head.clock) })
    let part = Figures.part(page.streams.count, of: page.summary.streams, "listed", noun: "stream")
    return """
      \(if: !page.streams.isEmpty, table)\
      \(if: page.streamsLeftOut > 0, .command("\(part). All of them:", page.commands[.streams]))\
      \(if: page.summary.streams == 0, .empty("There are no streams."))
      """
  }

  private static func row(_ stream: StreamSummary) -> [HTML] {
    let peers = [stream.client, stream.server].compactMap { $0 }
    let name = stream.isUnrecognised ? "not recognised" : stream.streamProtocol.rawValue
    let sent = [(stream.serverBytes, "server"), (stream.clientBytes, "client")].filter { $0.0 > 0 }
      .map { "\(Figures.grouped($0)) from the \($1)" }
    return [
      "<strong>\(stream.number)</strong> of \(stream.source)\(HTML.small(peers, separator: " → "))",
      "\(name)\(HTML.small(stream.encryption.map(EncryptionText.of)))",
      "\(sent.isEmpty ? "0" : sent.joined(separator: ", "))", "\(Figures.grouped(stream.records))",
      "\(Figures.grouped(stream.serverGapBytes &+ stream.clientGapBytes))",
    ]
  }

  /// The first and the last packet, and their times.
  private static func packets(_ stream: StreamSummary, _ clock: LocalClock?) -> [HTML] {
    let packets = [stream.firstPacket, stream.lastPacket].compactMap { $0 }.map(Figures.grouped)
    let captured = [stream.startedAt, stream.endedAt].compactMap { $0 }
    // RFC 3339, without fractions of a second.
    let times = captured.compactMap { $0.text.map { $0.prefix(10) + " " + $0.dropFirst(11).prefix(8) } }
    let locals = captured.compactMap { clock?.text(CaptureTime(seconds: $0.seconds)) }
    return [
      "\(packets.joined(separator: " to "))",
      "\(times.joined(separator: " to "))\(HTML.small(locals, separator: " to "))",
    ]
  }
}
