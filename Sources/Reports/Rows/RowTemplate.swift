import Analysis
import WireBytes

/// What a feedback record looks like in a format: text with columns in it.
package struct RowTemplate: Sendable {
  enum Part: Sendable {
    case text([UInt8])
    case column(FeedbackColumn)
  }

  var style: FieldStyle
  var parts: [Part]

  /// A line of CSV.
  package static func csv(_ columns: [FeedbackColumn]) -> RowTemplate {
    var parts: [Part] = []
    for (index, column) in columns.enumerated() {
      if index > 0 { parts.append(.text(Array(",".utf8))) }
      parts.append(.column(column))
    }
    return RowTemplate(style: .csv, parts: parts + [.text(Array("\n".utf8))])
  }

  /// A JSON object with all columns, behind `lead` and before `trail`.
  package static func json(lead: String, trail: String) -> RowTemplate {
    var parts: [Part] = []
    var literal = lead + "{\"type\":\"feedback\""
    for column in FeedbackColumn.allCases {
      let isText = column == .token || column == .time
      literal += ",\"\(column.rawValue)\":" + (isText ? "\"" : "")
      parts += [.text(Array(literal.utf8)), .column(column)]
      literal = isText ? "\"" : ""
    }
    return RowTemplate(style: .json, parts: parts + [.text(Array((literal + "}" + trail).utf8))])
  }

  /// Whether rows look different for another packet or stream.
  var dependsOnOrigin: Bool {
    parts.contains { part in
      guard case .column(let column) = part else { return false }
      return Self.originColumns.contains(column)
    }
  }

  private static let originColumns: Set<FeedbackColumn> = [
    .source, .stream, .direction, .client, .server, .packet, .originalPacket, .capturedAt,
  ]

  /// Appends the text of a column that is the same for all records of a run; false for one that is not.
  func append(_ column: FeedbackColumn, of records: FeedbackRecords, to text: inout [UInt8]) -> Bool {
    let labels = records.labels
    let packet = records.origin.packet
    switch column {
    case .offset, .fileOffset, .timestamp, .time, .token: return false
    case .source: style.append(labels.source, to: &text)
    case .stream: style.append(labels.stream, to: &text)
    case .direction: style.append(records.direction.rawValue, to: &text)
    case .client: style.append(labels.client, to: &text)
    case .server: style.append(labels.server, to: &text)
    case .packet: style.append(packet?.number, to: &text)
    case .originalPacket: style.append(packet?.original, to: &text)
    case .capturedAt: style.append(packet?.time, to: &text)
    case .tokenLength: style.append(records.run.tokenLength, to: &text)
    case .flags: style.append(codes: records.run.flags.codes, to: &text)
    }
    return true
  }
}
