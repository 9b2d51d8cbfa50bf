import Analysis
import PacketCapture
import WireBytes

/// Writes one kind of what an analysis finds as CSV (interface.md, "export").
package final class CSVWriter: EvidenceSink {
  /// The kind, with the feedback columns in the order wanted.
  package enum Kind: Sendable {
    case feedback([FeedbackColumn])
    case requests([RequestColumn])
    case responses([ResponseColumn])
    /// The requests that had to be sent again.
    case resend([RequestColumn])
    case streams
    case findings
  }

  private static let findingColumns = [
    "source", "stream", "direction", "offset", "length", "packet", "file_offset", "code", "severity",
    "message",
  ]
  private static let streamColumns = [
    "source", "stream", "protocol", "client", "server", "first_packet", "last_packet", "started_at",
    "ended_at", "client_bytes", "server_bytes", "client_gap_bytes", "server_gap_bytes", "records",
    "findings",
  ]

  private let kind: Kind
  private let output: OutputBuffer
  private var rows: FeedbackRowWriter?
  private var gatewayRows: GatewayRowWriter?

  package init(_ kind: Kind, letterCase: Hex.LetterCase, output: OutputBuffer) {
    self.kind = kind
    self.output = output
    switch kind {
    case .feedback(let columns):
      rows = FeedbackRowWriter(.csv(columns), letterCase: letterCase, output: output)
    case .requests(let columns), .resend(let columns):
      gatewayRows = GatewayRowWriter(.csv, letterCase: letterCase, requests: columns)
    case .responses(let columns):
      gatewayRows = GatewayRowWriter(.csv, letterCase: letterCase, responses: columns)
    case .streams, .findings: break
    }
  }

  /// Writes the header line.
  package func begin() throws {
    switch kind {
    case .feedback(let columns): try output.append(CSVText.line(columns.map(\.rawValue)))
    case .requests(let columns), .resend(let columns):
      try output.append(CSVText.line(columns.map(\.rawValue)))
    case .responses(let columns): try output.append(CSVText.line(columns.map(\.rawValue)))
    case .streams: try output.append(CSVText.line(Self.streamColumns))
    case .findings: try output.append(CSVText.line(Self.findingColumns))
    }
  }

  package func records(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    try rows?.write(records, in: bytes)
  }

  package var needs: EvidenceNeeds { gatewayRows != nil ? .gatewayRecords : [] }

  package func requests(_ requests: RequestRecords, in bytes: RawSpan) throws {
    let isResend: Bool
    switch kind {
    case .requests: isResend = false
    case .resend: isResend = true
    default: return
    }
    for request in requests.records where !isResend || request.outcome == .discarded {
      gatewayRows?.make(request, labels: requests.labels, in: bytes)
      if let row = gatewayRows?.row { try output.append(row) }
    }
  }

  package func response(_ response: ResponseRecord) throws {
    guard case .responses = kind else { return }
    gatewayRows?.make(response)
    if let row = gatewayRows?.row { try output.append(row) }
  }

  package func finding(_ finding: Finding) throws {
    guard case .findings = kind else { return }
    try output.append(
      CSVText.line([
        finding.source, Self.text(finding.stream), finding.direction?.rawValue ?? "",
        Self.text(finding.offset), Self.text(finding.length), Self.text(finding.packet),
        Self.text(finding.fileOffset),
        finding.code.rawValue, finding.code.severity.rawValue, finding.message,
      ]))
  }

  package func stream(_ stream: StreamSummary, report: StreamReport) throws {
    guard case .streams = kind else { return }
    try output.append(
      CSVText.line([
        stream.source, String(stream.number), stream.speaks.rawValue, stream.client ?? "",
        stream.server ?? "",
        Self.text(stream.firstPacket), Self.text(stream.lastPacket), stream.startedAt?.text ?? "",
        stream.endedAt?.text ?? "",
        String(stream.clientBytes), String(stream.serverBytes), String(stream.clientGapBytes),
        String(stream.serverGapBytes), String(stream.records), String(stream.findings),
      ]))
  }

  private static func text(_ number: Int?) -> String {
    number.map(String.init) ?? ""
  }
}
