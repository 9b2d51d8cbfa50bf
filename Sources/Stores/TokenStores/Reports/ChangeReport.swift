import Basics
import Reports

/// The rows that replays changed, or would change, as CSV or a JSON array (docs/spec/interface.md#journal-and-undo).
package struct ChangeReport {
  /// The token and its outcome; also the row's key, and the location of the record that decided; also the replay.
  package enum Columns {
    case short, traced, tracedByReplay

    fileprivate var range: Range<Int> {
      switch self {
      case .short: 2..<7
      case .traced: 1..<11
      case .tracedByReplay: 0..<11
      }
    }
  }

  private let columns: Columns
  private let rows: RowWriter
  package var count: Int { rows.count }

  package init(_ columns: Columns, asJSON isJSON: Bool, to output: OutputBuffer) throws {
    self.columns = columns
    rows = RowWriter(Array(Self.names[columns.range]), as: isJSON ? .json : .csv, to: output)
    try rows.begin()
  }

  private static let names = [
    "replay", "key", "token", "outcome", "registered_at", "invalidated_before", "invalidated_at", "source",
    "sha256", "stream", "offset",
  ]

  /// - Parameters:
  ///   - input: the input of the record that decided; nil if unknown.
  ///   - replay: the replay's number in the journal.
  package func add(_ change: JournalChange, from input: ReplayedInput?, replay: Int? = nil) throws {
    let all: [JSONValue] = [
      JSONValue(replay), JSONValue(change.key), .string(Hex.string(change.token)),
      .string(change.outcome.name), JSONValue(TokenRowWriter.time(change.after.registeredAt)),
      JSONValue(TokenRowWriter.time(change.before?.invalidatedAt)),
      JSONValue(TokenRowWriter.time(change.after.invalidatedAt, milliseconds: change.milliseconds)),
      JSONValue(input?.source),
      JSONValue(input.flatMap { $0.sha256.isEmpty ? nil : $0.sha256 }), JSONValue(change.origin?.stream),
      JSONValue(change.origin?.offset),
    ]
    try rows.write(Array(all[columns.range]))
  }

  package func end() throws { try rows.end() }
}
