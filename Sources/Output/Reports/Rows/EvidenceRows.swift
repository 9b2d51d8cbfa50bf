import Analysis
import Basics

extension StreamSummary: TableRow {
  var textBound: Int {
    [
      source, client, server, encryption?.version, encryption?.cipher, encryption?.serverName,
      encryption?.applicationProtocol, encryption?.serverSubject, encryption?.clientSubject,
      encryption?.clientUserID, encryption?.keyFile,
    ].reduce(0) { $0 + RowCursor.bound($1) }
  }

  static let columns: [Column<StreamSummary>] = [
    Column("source") { $0.put($1.source) },
    Column("stream") { $0.put($1.number) },
    Column("protocol") { $0.put($1.streamProtocol.rawValue) },
    Column("client") { $0.put($1.client) },
    Column("server") { $0.put($1.server) },
    Column("first_packet") { $0.put($1.firstPacket) },
    Column("last_packet") { $0.put($1.lastPacket) },
    Column("started_at") { $0.put($1.startedAt) },
    Column("started_at_local") { $0.put(local: $1.startedAt) },
    Column("ended_at") { $0.put($1.endedAt) },
    Column("ended_at_local") { $0.put(local: $1.endedAt) },
    Column("client_bytes") { $0.put($1.clientBytes) },
    Column("server_bytes") { $0.put($1.serverBytes) },
    Column("client_gap_bytes") { $0.put($1.clientGapBytes) },
    Column("server_gap_bytes") { $0.put($1.serverGapBytes) },
    Column("records") { $0.put($1.records) },
    Column("findings") { $0.put($1.findings) },
    Column("tls_version") { $0.put($1.encryption?.version) },
    Column("tls_cipher") { $0.put($1.encryption?.cipher) },
    Column("tls_server_name") { $0.put($1.encryption?.serverName) },
    Column("tls_protocol") { $0.put($1.encryption?.applicationProtocol) },
    Column("tls_server_subject") { $0.put($1.encryption?.serverSubject) },
    Column("tls_client_subject") { $0.put($1.encryption?.clientSubject) },
    Column("tls_client_user_id") { $0.put($1.encryption?.clientUserID) },
    Column("tls_key_file") { $0.put($1.encryption?.keyFile) },
    Column("tls_key_line") { $0.put($1.encryption?.keyLine) },
  ]
}

extension Finding: TableRow {
  var textBound: Int { RowCursor.bound(source) + RowCursor.bound(message.text) }

  static let columns: [Column<Finding>] = [
    Column("source") { $0.put($1.source) },
    Column("stream") { $0.put($1.stream) },
    Column("direction") { $0.put($1.direction?.rawValue) },
    Column("offset") { $0.put($1.offset) },
    Column("length") { $0.put($1.length) },
    Column("packet") { $0.put($1.packet) },
    Column("file_offset") { $0.put($1.fileOffset) },
    Column("code") { $0.put($1.code.rawValue) },
    Column("severity") { $0.put($1.code.severity.rawValue) },
    Column("message") { $0.put($1.message.text) },
    Column("stream_offset") { $0.put($1.offset) },
  ]
}

/// A row of the inventory (docs/spec/interface.md#inventory).
extension InputRecord: TableRow {
  var textBound: Int {
    [source, linkTarget, digests.sha256, digests.md5, content, reason, sameBytesAs]
      .reduce(0) { $0 + RowCursor.bound($1) }
  }

  static let columns: [Column<InputRecord>] = [
    Column("source") { $0.put($1.source) },
    Column("kind") { $0.put($1.status?.kind.rawValue) },
    Column("link_target") { $0.put($1.linkTarget) },
    Column("size") { $0.put($1.size) },
    Column("modified_at") { $0.put($1.modifiedAt) },
    Column("sha256") { $0.put($1.digests.sha256) },
    Column("md5") { $0.put($1.digests.md5) },
    Column("verdict") { $0.put($1.verdict.rawValue) },
    Column("format") { $0.put($1.format) },
    Column("compression") { $0.put($1.compression) },
    Column("content") { $0.put($1.content) },
    Column("reason") { $0.put($1.reason) },
    Column("records") { $0.put($1.records) },
    Column("findings") { $0.put($1.findings) },
    Column("same_as") { $0.put($1.sameBytesAs) },
    Column("archive_offset") { $0.put($1.member?.offset) },
  ]
}
