import Analysis

/// The columns of a stream (docs/spec/interface.md#export), in their order.
package enum StreamColumn: String, CaseIterable, Sendable {
  case source, stream
  case streamProtocol = "protocol"
  case client, server
  case firstPacket = "first_packet"
  case lastPacket = "last_packet"
  case startedAt = "started_at"
  case endedAt = "ended_at"
  case clientBytes = "client_bytes"
  case serverBytes = "server_bytes"
  case clientGapBytes = "client_gap_bytes"
  case serverGapBytes = "server_gap_bytes"
  case records, findings
}

/// The columns of a finding, in their order.
package enum FindingColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, length, packet
  case fileOffset = "file_offset"
  case code, severity, message
}

/// Writes streams and findings as rows.
struct EvidenceRowWriter: Sendable {
  private let streams: RowFrame<StreamColumn>
  private let findings: RowFrame<FindingColumn>

  init(_ style: RowStyle) {
    streams = RowFrame(style, type: "stream", StreamColumn.allCases)
    findings = RowFrame(style, type: "finding", FindingColumn.allCases)
  }

  var streamHeader: String { streams.header }
  var findingHeader: String { findings.header }

  func write(_ stream: StreamSummary, to output: OutputBuffer) throws {
    let texts =
      RowCursor.bound(stream.source) + RowCursor.bound(stream.client) + RowCursor.bound(stream.server)
    try streams.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(stream.source)
      case .stream: row.put(stream.number)
      case .streamProtocol: row.put(stream.streamProtocol.rawValue)
      case .client: row.put(stream.client)
      case .server: row.put(stream.server)
      case .firstPacket: row.put(stream.firstPacket)
      case .lastPacket: row.put(stream.lastPacket)
      case .startedAt: row.put(stream.startedAt)
      case .endedAt: row.put(stream.endedAt)
      case .clientBytes: row.put(stream.clientBytes)
      case .serverBytes: row.put(stream.serverBytes)
      case .clientGapBytes: row.put(stream.clientGapBytes)
      case .serverGapBytes: row.put(stream.serverGapBytes)
      case .records: row.put(stream.records)
      case .findings: row.put(stream.findings)
      }
    }
  }

  func write(_ finding: Finding, to output: OutputBuffer) throws {
    let texts = RowCursor.bound(finding.source) + RowCursor.bound(finding.message.text)
    try findings.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(finding.source)
      case .stream: row.put(finding.stream)
      case .direction: row.put(finding.direction?.rawValue)
      case .offset: row.put(finding.offset)
      case .length: row.put(finding.length)
      case .packet: row.put(finding.packet)
      case .fileOffset: row.put(finding.fileOffset)
      case .code: row.put(finding.code.rawValue)
      case .severity: row.put(finding.code.severity.rawValue)
      case .message: row.put(finding.message.text)
      }
    }
  }
}
