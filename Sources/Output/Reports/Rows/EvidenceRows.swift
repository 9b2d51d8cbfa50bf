import Analysis
import Basics

/// The columns of a stream (docs/spec/interface.md#export), in their order.
enum StreamColumn: String, RecordColumn {
  case source, stream, `protocol`, client, server, firstPacket, lastPacket, startedAt
  case startedAtLocal, endedAt, endedAtLocal, clientBytes, serverBytes, clientGapBytes
  case serverGapBytes, records, findings, tlsVersion, tlsCipher, tlsServerName, tlsProtocol
  case tlsServerSubject, tlsClientSubject, tlsClientUserID, tlsKeyFile, tlsKeyLine
}

enum FindingColumn: String, RecordColumn {
  case source, stream, direction, offset, length, packet, fileOffset, code, severity, message
  case streamOffset
}

/// The columns of an input (docs/spec/interface.md#inventory), in their order.
enum InputColumn: String, RecordColumn {
  case source, kind, linkTarget, size, modifiedAt, sha256, md5, verdict, format, compression
  case content, reason, records, findings, sameAs, archiveOffset, forms, mediumMD5, acquisition
}

extension StreamSummary: TableRow {
  var textBound: Int {
    [
      source, client, server, encryption?.version, encryption?.cipher, encryption?.serverName,
      encryption?.applicationProtocol, encryption?.serverSubject, encryption?.clientSubject,
      encryption?.clientUserID, encryption?.keyFile,
    ].reduce(0) { $0 + RowCursor.bound($1) }
  }

  @inline(__always)
  func put(_ column: StreamColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(source)
    case .stream: row.put(number)
    case .protocol: row.put(streamProtocol.rawValue)
    case .client: row.put(client)
    case .server: row.put(server)
    case .firstPacket: row.put(firstPacket)
    case .lastPacket: row.put(lastPacket)
    case .startedAt: row.put(startedAt)
    case .startedAtLocal: row.put(local: startedAt)
    case .endedAt: row.put(endedAt)
    case .endedAtLocal: row.put(local: endedAt)
    case .clientBytes: row.put(clientBytes)
    case .serverBytes: row.put(serverBytes)
    case .clientGapBytes: row.put(clientGapBytes)
    case .serverGapBytes: row.put(serverGapBytes)
    case .records: row.put(records)
    case .findings: row.put(findings)
    case .tlsVersion: row.put(encryption?.version)
    case .tlsCipher: row.put(encryption?.cipher)
    case .tlsServerName: row.put(encryption?.serverName)
    case .tlsProtocol: row.put(encryption?.applicationProtocol)
    case .tlsServerSubject: row.put(encryption?.serverSubject)
    case .tlsClientSubject: row.put(encryption?.clientSubject)
    case .tlsClientUserID: row.put(encryption?.clientUserID)
    case .tlsKeyFile: row.put(encryption?.keyFile)
    case .tlsKeyLine: row.put(encryption?.keyLine)
    }
  }
}

extension Finding: TableRow {
  var textBound: Int { RowCursor.bound(source) + RowCursor.bound(message.text) }

  @inline(__always)
  func put(_ column: FindingColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(source)
    case .stream: row.put(stream)
    case .direction: row.put(direction?.rawValue)
    case .offset, .streamOffset: row.put(offset)
    case .length: row.put(length)
    case .packet: row.put(packet)
    case .fileOffset: row.put(fileOffset)
    case .code: row.put(code.rawValue)
    case .severity: row.put(code.severity.rawValue)
    case .message: row.put(message.text)
    }
  }
}

extension InputRecord: TableRow {
  var textBound: Int {
    let texts = [
      source, linkTarget, digests[.sha256], digests[.md5], content, reason, sameBytesAs, forms, mediumMD5,
    ]
    return (texts + acquisition).reduce(0) { $0 + RowCursor.bound($1) }
  }

  @inline(__always)
  func put(_ column: InputColumn, to row: inout RowCursor) {
    switch column {
    case .source: row.put(source)
    case .kind: row.put(status?.kind.rawValue)
    case .linkTarget: row.put(linkTarget)
    case .size: row.put(size)
    case .modifiedAt: row.put(modifiedAt)
    case .sha256: row.put(digests[.sha256])
    case .md5: row.put(digests[.md5])
    case .verdict: row.put(verdict.rawValue)
    case .format: row.put(format)
    case .compression: row.put(compression)
    case .content: row.put(content)
    case .reason: row.put(reason)
    case .records: row.put(records)
    case .findings: row.put(findings)
    case .sameAs: row.put(sameBytesAs)
    case .archiveOffset: row.put(member?.offset)
    case .forms: row.put(forms)
    case .mediumMD5: row.put(mediumMD5)
    case .acquisition: row.put(acquisition)
    }
  }
}
