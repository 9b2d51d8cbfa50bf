import Analysis

/// The columns of an input (docs/spec/interface.md#inventory), in their order.
package enum InputColumn: String, CaseIterable, Sendable {
  case source
  case fileKind = "kind"
  case linkTarget = "link_target"
  case size
  case modifiedAt = "modified_at"
  case sha256, md5, verdict, format, compression, content, reason, records, findings
  case sameAs = "same_as"
  case archiveOffset = "archive_offset"

  /// Those in CSV unless others are named.
  package static let standard = allCases.filter { $0 != .md5 }
}

/// Writes the rows of the inventory.
struct InputRowWriter {
  let frame: RowFrame<InputColumn>

  func write(_ input: InputRecord, to output: OutputBuffer) throws {
    let texts = [
      input.source, input.linkTarget, input.digests.sha256, input.digests.md5, input.content, input.reason,
      input.sameBytesAs,
    ].reduce(0) { $0 + RowCursor.bound($1) }
    try frame.write(to: output, texts: texts) { column, row in
      switch column {
      case .source: row.put(input.source)
      case .fileKind: row.put(input.status?.kind.rawValue)
      case .linkTarget: row.put(input.linkTarget)
      case .size: row.put(input.size)
      case .modifiedAt: row.put(input.modifiedAt)
      case .sha256: row.put(input.digests.sha256)
      case .md5: row.put(input.digests.md5)
      case .verdict: row.put(input.verdict.rawValue)
      case .format: row.put(input.format)
      case .compression: row.put(input.compression)
      case .content: row.put(input.content)
      case .reason: row.put(input.reason)
      case .records: row.put(input.records)
      case .findings: row.put(input.findings)
      case .sameAs: row.put(input.sameBytesAs)
      case .archiveOffset: row.put(input.member?.offset)
      }
    }
  }
}
