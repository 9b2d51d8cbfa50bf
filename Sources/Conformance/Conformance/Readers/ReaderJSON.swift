import Basics
import Reports

/// Writes the rows of an audit as JSON, in one pass (docs/spec/interface.md#audit; docs/schemas/audit.schema.json).
package final class ReaderJSON: ReaderReport {
  private let output: OutputBuffer
  private var isFirst = true

  /// Writes the text before the rows.
  package init(_ output: OutputBuffer) throws {
    self.output = output
    try output.append("{\"schema\":\(JSONValue.quoted(EvidenceObjects.schema)),\"readers\":[\n")
  }

  package func add(_ rows: [ReaderRow]) throws {
    for row in rows {
      try output.append((isFirst ? "" : ",\n") + Self.object(row).text)
      isFirst = false
    }
  }

  package func end() throws { try output.append("\n]}\n") }

  package static func object(_ row: ReaderRow) -> JSONValue {
    let reading = row.judgement
    var members: [(String, JSONValue)] = [
      ("name", .string(row.name)), ("source", .string(row.source)), ("stream", .int(row.stream)),
    ]
    if let size = row.chunkSize { members.append(("chunk_size", .int(size))) }
    return .object(
      members + [
        ("records", JSONValue(reading?.records)), ("correct", JSONValue(reading?.correct)),
        ("wrong", JSONValue(reading?.wrong)), ("missed", JSONValue(reading?.missed)),
        ("outcome", .string(row.outcome)),
        ("first_difference", reading?.firstDifference.map(object) ?? .null),
      ])
  }

  private static func object(_ difference: FirstDifference) -> JSONValue {
    .object([
      ("record", .int(difference.record)), ("expected", JSONValue(difference.expected)),
      ("emitted", JSONValue(difference.emitted)), ("reason", .string(difference.reason.text)),
    ])
  }
}
