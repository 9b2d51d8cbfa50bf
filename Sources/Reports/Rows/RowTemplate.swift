import Analysis

/// What a feedback record looks like in a format: text with columns in it.
package struct RowTemplate: Sendable {
  /// How values are spelled.
  enum Style: Sendable {
    case csv, json
  }

  enum Part: Sendable {
    case text(String)
    case column(FeedbackColumn)
  }

  var style: Style
  var parts: [Part]

  /// A line of CSV.
  package static func csv(_ columns: [FeedbackColumn]) -> RowTemplate {
    var parts: [Part] = []
    for (index, column) in columns.enumerated() {
      if index > 0 { parts.append(.text(",")) }
      parts.append(.column(column))
    }
    return RowTemplate(style: .csv, parts: parts + [.text("\n")])
  }

  /// A JSON object with all columns, behind `lead` and before `trail`.
  package static func json(lead: String, trail: String) -> RowTemplate {
    var parts: [Part] = [.text(lead + "{\"type\":\"feedback\"")]
    for column in FeedbackColumn.allCases {
      let isText = column == .token || column == .time
      parts.append(.text(",\"\(column.rawValue)\":" + (isText ? "\"" : "")))
      parts.append(.column(column))
      if isText { parts.append(.text("\"")) }
    }
    return RowTemplate(style: .json, parts: parts + [.text("}" + trail)])
  }

  /// The text of a column that is the same for all records of a run; nil for one that is not.
  func constant(_ column: FeedbackColumn, of records: FeedbackRecords) -> String? {
    switch column {
    case .offset, .fileOffset, .timestamp, .time, .token: nil
    case .source: text(records.source)
    case .stream: String(records.stream)
    case .direction: text(records.direction.rawValue)
    case .tokenLength: String(records.run.tokenLength)
    case .flags: flags(records.run.flags.codes)
    // A dump has no packets and no peers.
    case .client, .server, .packet, .originalPacket, .capturedAt: style == .json ? "null" : ""
    }
  }

  private func text(_ value: String) -> String {
    style == .json ? JSONValue.quoted(value) : CSVText.field(value)
  }

  private func flags(_ codes: [String]) -> String {
    switch style {
    case .csv: codes.joined(separator: ";")
    case .json: JSONValue.array(codes.map(JSONValue.string)).text
    }
  }
}
