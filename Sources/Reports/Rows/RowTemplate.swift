import Analysis
import TimeZones
import WireBytes

/// The columns of a feedback record (docs/spec/interface.md#export).
package enum FeedbackColumn: String, CaseIterable, Sendable {
  case source, stream, direction, client, server, offset, packet
  case originalPacket = "original_packet"
  case fileOffset = "file_offset"
  case capturedAt = "captured_at"
  case capturedAtLocal = "captured_at_local"
  case timestamp, time
  case timeLocal = "time_local"
  case tokenLength = "token_length"
  case token, flags
  case form, chain
  case chainLength = "chain_length"
  case confidence

  /// Whether it is only in JSON objects of carved records.
  var isOfCarving: Bool {
    switch self {
    case .form, .chain, .chainLength, .confidence: true
    default: false
    }
  }

  /// The default columns of CSV.
  package static let standard: [FeedbackColumn] = [
    .source, .stream, .offset, .packet, .capturedAt, .timestamp, .time, .tokenLength, .token, .flags,
  ]

  /// The default columns of `carve`.
  package static let carved: [FeedbackColumn] = [
    .source, .stream, .offset, .fileOffset, .form, .chain, .chainLength, .confidence, .time, .token, .flags,
  ]
}

/// The layout of a feedback record in a format: constant text with columns between.
package struct RowTemplate: Sendable {
  enum Part: Sendable {
    case text([UInt8])
    case column(FeedbackColumn)
  }

  var style: RowStyle
  var parts: [Part]
  /// For local times; nil without them.
  var clock: LocalClock?

  /// A line of CSV.
  package static func csv(_ columns: [FeedbackColumn], clock: LocalClock? = nil) -> RowTemplate {
    var parts: [Part] = []
    for (index, column) in columns.enumerated() {
      if index > 0 { parts.append(.text(Array(",".utf8))) }
      parts.append(.column(column))
    }
    return RowTemplate(style: .csv, parts: parts + [.text(Array("\n".utf8))], clock: clock)
  }

  /// A JSON object after `lead` and before `trail`, with all columns, or without those of carving. Without a clock, it
  /// has no local times.
  package static func json(
    lead: String, trail: String, isCarved: Bool = false, clock: LocalClock? = nil
  ) -> RowTemplate {
    var parts: [Part] = []
    var literal = lead + "{\"type\":\"feedback\""
    for column in FeedbackColumn.all(clock) where isCarved || !column.isOfCarving {
      let isText = column == .token || column == .time || column == .timeLocal
      literal += ",\"\(column.rawValue)\":" + (isText ? "\"" : "")
      parts += [.text(Array(literal.utf8)), .column(column)]
      literal = isText ? "\"" : ""
    }
    return RowTemplate(
      style: .json, parts: parts + [.text(Array((literal + "}" + trail).utf8))], clock: clock)
  }

  /// Whether rows contain columns that depend on the packet or stream.
  var dependsOnOrigin: Bool {
    parts.contains { part in
      guard case .column(let column) = part else { return false }
      return Self.originColumns.contains(column)
    }
  }

  private static let originColumns: Set<FeedbackColumn> = [
    .source, .stream, .direction, .client, .server, .packet, .originalPacket, .capturedAt,
    .capturedAtLocal, .form, .chain, .chainLength, .confidence,
  ]

  /// Appends the value of a column that is constant within a run; appends nothing for any other column.
  func append(_ column: FeedbackColumn, of records: FeedbackRecords, to texts: OutputBuffer) throws {
    let labels = records.labels
    let packet = records.origin.packet
    let bound =
      RowCursor.bound(labels.source) + RowCursor.bound(labels.client) + RowCursor.bound(labels.server)
      + RowCursor.flagsBound
    try texts.extend(bound) { start in
      var row = RowCursor(style, at: start)
      switch column {
      case .offset, .fileOffset, .timestamp, .time, .timeLocal, .token: break
      case .source: row.put(labels.source)
      case .stream: row.put(labels.stream)
      case .direction: row.put(records.direction.rawValue)
      case .client: row.put(labels.client)
      case .server: row.put(labels.server)
      case .packet: row.put(packet?.number)
      case .originalPacket: row.put(packet?.original)
      case .capturedAt: row.put(packet?.time)
      case .capturedAtLocal: row.put(packet?.time, in: clock)
      case .tokenLength: row.put(records.run.tokenLength)
      case .flags: row.put(records.run.flags)
      case .form: row.put(labels.carving?.form.rawValue)
      case .chain: row.put(labels.carving?.chain)
      case .chainLength: row.put(labels.carving?.chainLength)
      case .confidence: row.put(records.confidence?.rawValue)
      }
      return row.end - start
    }
  }
}
