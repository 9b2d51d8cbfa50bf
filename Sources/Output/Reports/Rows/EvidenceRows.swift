import Analysis
import Basics

/// The columns of a stream (docs/spec/interface.md#export), in their order.
package enum StreamColumn: String, CaseIterable, Sendable {
  case source, stream
  case streamProtocol = "protocol"
  case client, server
  case firstPacket = "first_packet"
  case lastPacket = "last_packet"
  case startedAt = "started_at"
  case startedAtLocal = "started_at_local"
  case endedAt = "ended_at"
  case endedAtLocal = "ended_at_local"
  case clientBytes = "client_bytes"
  case serverBytes = "server_bytes"
  case clientGapBytes = "client_gap_bytes"
  case serverGapBytes = "server_gap_bytes"
  case records, findings
  case tlsVersion = "tls_version"
  case tlsCipher = "tls_cipher"
  case tlsServerName = "tls_server_name"
  case tlsProtocol = "tls_protocol"
  case tlsServerSubject = "tls_server_subject"
  case tlsClientSubject = "tls_client_subject"
  case tlsClientUserID = "tls_client_user_id"
  case tlsKeyFile = "tls_key_file"
  case tlsKeyLine = "tls_key_line"

  /// Whether it is only in JSON objects of streams whose TLS was tried to decrypt.
  var isOfTLS: Bool { rawValue.hasPrefix("tls_") }
}

/// The columns of a finding, in their order.
package enum FindingColumn: String, CaseIterable, Sendable {
  case source, stream, direction, offset, length, packet
  case fileOffset = "file_offset"
  case code, severity, message
  case streamOffset = "stream_offset"
}

/// Writes streams as rows.
struct StreamRowWriter {
  let frame: RowFrame<StreamColumn>
  /// For local times; nil without them.
  let clock: LocalClock?

  func write(_ stream: StreamSummary, to output: OutputBuffer) throws {
    let tls = stream.encryption
    let texts = [
      stream.source, stream.client, stream.server, tls?.version, tls?.cipher, tls?.serverName,
      tls?.applicationProtocol, tls?.serverSubject, tls?.clientSubject, tls?.clientUserID, tls?.keyFile,
    ].reduce(0) { $0 + RowCursor.bound($1) }
    try frame.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(stream.source)
      case .stream: row.put(stream.number)
      case .streamProtocol: row.put(stream.streamProtocol.rawValue)
      case .client: row.put(stream.client)
      case .server: row.put(stream.server)
      case .firstPacket: row.put(stream.firstPacket)
      case .lastPacket: row.put(stream.lastPacket)
      case .startedAt: row.put(stream.startedAt)
      case .startedAtLocal: row.put(stream.startedAt, in: clock)
      case .endedAt: row.put(stream.endedAt)
      case .endedAtLocal: row.put(stream.endedAt, in: clock)
      case .clientBytes: row.put(stream.clientBytes)
      case .serverBytes: row.put(stream.serverBytes)
      case .clientGapBytes: row.put(stream.clientGapBytes)
      case .serverGapBytes: row.put(stream.serverGapBytes)
      case .records: row.put(stream.records)
      case .findings: row.put(stream.findings)
      case .tlsVersion: row.put(tls?.version)
      case .tlsCipher: row.put(tls?.cipher)
      case .tlsServerName: row.put(tls?.serverName)
      case .tlsProtocol: row.put(tls?.applicationProtocol)
      case .tlsServerSubject: row.put(tls?.serverSubject)
      case .tlsClientSubject: row.put(tls?.clientSubject)
      case .tlsClientUserID: row.put(tls?.clientUserID)
      case .tlsKeyFile: row.put(tls?.keyFile)
      case .tlsKeyLine: row.put(tls?.keyLine)
      }
    }
  }
}

/// Writes findings as rows.
struct FindingRowWriter {
  let frame: RowFrame<FindingColumn>

  func write(_ finding: Finding, to output: OutputBuffer) throws {
    let texts = RowCursor.bound(finding.source) + RowCursor.bound(finding.message.text)
    try frame.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(finding.source)
      case .stream: row.put(finding.stream)
      case .direction: row.put(finding.direction?.rawValue)
      case .offset, .streamOffset: row.put(finding.offset)
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
