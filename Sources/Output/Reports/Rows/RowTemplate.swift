import Analysis
import Basics

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
  case streamOffset = "stream_offset"

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
    json(
      lead: lead + "{\"type\":\"feedback\",",
      FeedbackColumn.all(clock).filter { isCarved || !$0.isOfCarving },
      trail: trail, clock: clock)
  }

  /// A line with a JSON object of these columns.
  package static func ndjson(_ columns: [FeedbackColumn], clock: LocalClock? = nil) -> RowTemplate {
    json(lead: "{", columns, trail: "\n", clock: clock)
  }

  private static func json(
    lead: String, _ columns: [FeedbackColumn], trail: String, clock: LocalClock?
  ) -> RowTemplate {
    var parts: [Part] = []
    var literal = lead
    for (index, column) in columns.enumerated() {
      let isText = column == .token || column == .time || column == .timeLocal
      literal += (index == 0 ? "" : ",") + "\"\(column.rawValue)\":" + (isText ? "\"" : "")
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
    try texts.extend(records.bound) { start in
      var row = RowCursor(style, at: start)
      row.put(column, of: records, in: clock)
      return row.end - start
    }
  }
}

extension FeedbackRecords {
  /// Upper bound of a column that is constant within a run, in bytes.
  var bound: Int {
    RowCursor.bound(labels.source) + RowCursor.bound(labels.client) + RowCursor.bound(labels.server)
      + RowCursor.flagsBound
  }
}

extension RowCursor {
  /// Writes the value of a column that is constant within a run; nothing for any other column.
  mutating func put(_ column: FeedbackColumn, of records: FeedbackRecords, in clock: LocalClock?) {
    let labels = records.labels
    let packet = records.origin.packet
    switch column {
    case .offset, .streamOffset, .fileOffset, .timestamp, .time, .timeLocal, .token: break
    case .source: put(labels.source)
    case .stream: put(labels.stream)
    case .direction: put(records.direction.rawValue)
    case .client: put(labels.client)
    case .server: put(labels.server)
    case .packet: put(packet?.number)
    case .originalPacket: put(packet?.original)
    case .capturedAt: put(packet?.time)
    case .capturedAtLocal: put(packet?.time, in: clock)
    case .tokenLength: put(records.run.tokenLength)
    case .flags: put(records.run.flags)
    case .form: put(labels.carving?.form.rawValue)
    case .chain: put(labels.carving?.chain)
    case .chainLength: put(labels.carving?.chainLength)
    case .confidence: put(records.confidence?.rawValue)
    }
  }
}
