import Reports
import Basics

/// The rows that replays changed, or would change, as CSV or a JSON array (docs/spec/interface.md#journal-and-undo).
package struct ChangeReport {
  /// The columns of each row.
  package enum Columns {
    /// The token and its outcome.
    case short
    /// Also the row's key, and the location of the record that decided.
    case traced
    /// Also the replay.
    case tracedByReplay

    fileprivate var range: Range<Int> {
      switch self {
      case .short: 2..<7
      case .traced: 1..<11
      case .tracedByReplay: 0..<11
      }
    }
  }

  private let columns: Columns
  private let isJSON: Bool
  private let output: OutputBuffer
  /// Number of rows written.
  package private(set) var count = 0

  package init(_ columns: Columns, asJSON isJSON: Bool, to output: OutputBuffer) throws {
    (self.columns, self.isJSON, self.output) = (columns, isJSON, output)
    try output.append(isJSON ? "[\n" : CSVText.line(Array(names)))
  }

  private static let names = [
    "replay", "key", "token", "outcome", "registered_at", "invalidated_before", "invalidated_at", "source",
    "sha256", "stream", "offset",
  ]

  private var names: ArraySlice<String> { Self.names[columns.range] }

  /// - Parameters:
  ///   - input: the input of the record that decided; nil if unknown.
  ///   - replay: the replay's number in the journal.
  package mutating func add(_ change: JournalChange, from input: ReplayedInput?, replay: Int? = nil) throws {
    let all: [JSONValue] = [
      JSONValue(replay), JSONValue(change.key), .string(Hex.string(change.token)),
      .string(change.outcome.name),
      JSONValue(TokenRowWriter.time(change.after.registeredAt)),
      JSONValue(TokenRowWriter.time(change.before?.invalidatedAt)),
      JSONValue(TokenRowWriter.time(change.after.invalidatedAt)), JSONValue(input?.source),
      JSONValue(input.flatMap { $0.sha256.isEmpty ? nil : $0.sha256 }), JSONValue(change.origin?.stream),
      JSONValue(change.origin?.offset),
    ]
    let values = all[columns.range]
    if isJSON {
      try output.append((count > 0 ? ",\n" : "") + JSONValue.object(Array(zip(names, values))).text)
    } else {
      try output.append(CSVText.line(values.map(\.field)))
    }
    count += 1
  }

  package func end() throws {
    if isJSON { try output.append("\n]\n") }
    try output.flush()
  }
}

extension JSONValue {
  /// The value as a CSV field: a text without quotes, and an empty field for null.
  fileprivate var field: String {
    switch self {
    case .string(let text): text
    case .null: ""
    default: text
    }
  }
}
