import Analysis
import WireBytes

/// What a feedback record looks like in a format: text with columns in it.
package struct RowTemplate: Sendable {
  /// How values are spelled.
  enum Style: Sendable {
    case csv, json
  }

  enum Part: Sendable {
    case text([UInt8])
    case column(FeedbackColumn)
  }

  var style: Style
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
    case .source: append(labels.source, to: &text)
    case .stream: Self.append(labels.stream, to: &text)
    case .direction: append(records.direction.rawValue, to: &text)
    case .client: append(labels.client, to: &text)
    case .server: append(labels.server, to: &text)
    case .packet: append(packet?.number, to: &text)
    case .originalPacket: append(packet?.original, to: &text)
    case .capturedAt: append(packet?.time, to: &text)
    case .tokenLength: Self.append(records.run.tokenLength, to: &text)
    case .flags: append(records.run.flags.codes, to: &text)
    }
    return true
  }

  private func append(_ value: String?, to text: inout [UInt8]) {
    guard let value else { return appendNothing(to: &text) }
    text += (style == .json ? JSONValue.quoted(value) : CSVText.field(value)).utf8
  }

  private func append(_ number: Int?, to text: inout [UInt8]) {
    guard let number else { return appendNothing(to: &text) }
    Self.append(number, to: &text)
  }

  private func append(_ time: CaptureTime?, to text: inout [UInt8]) {
    let start = text.count
    if style == .json { text.append(UInt8(ascii: "\"")) }
    let before = text.count
    time?.append(to: &text)
    if text.count == before {
      text.removeLast(before - start)
      appendNothing(to: &text)
    } else if style == .json {
      text.append(UInt8(ascii: "\""))
    }
  }

  private func append(_ codes: [String], to text: inout [UInt8]) {
    switch style {
    case .csv: text += codes.joined(separator: ";").utf8
    case .json: text += JSONValue.array(codes.map(JSONValue.string)).text.utf8
    }
  }

  private func appendNothing(to text: inout [UInt8]) {
    if style == .json { text += "null".utf8 }
  }

  private static func append(_ number: Int, to text: inout [UInt8]) {
    var number = UInt64(clamping: number)
    let start = text.count
    repeat {
      text.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
      number /= 10
    } while number > 0
    text[start...].reverse()
  }
}
