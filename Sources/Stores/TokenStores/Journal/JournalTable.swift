import Basics

/// A table of a journal, the same in every database (docs/stores.md, "The journal").
enum JournalTable: String {
  case replays = "apnsift_replays"
  case inputs = "apnsift_inputs"
  /// Packed changes (docs/decisions/0021); `part` numbers the rows of a replay from 0, or `id` those of all.
  case changes = "apnsift_changes"
  /// In a journal file: the table of each replay, and whether the replay was done.
  case outcomes = "apnsift_outcomes"

  /// Those of a journal in the table's own database.
  static let ofDatabase: [JournalTable] = [.replays, .inputs, .changes]

  struct Column {
    var name: String
    /// Times are of the kind that the database has for them.
    var kind: SQLKind
    var constraint = " NOT NULL"
    /// Whether it is the number of a replay in `replays`.
    var isReplay = false

    var isOptional: Bool { !constraint.contains("NOT NULL") }
  }

  func columns(_ types: JournalTypes) -> [Column] {
    switch self {
    case .replays:
      [
        Column(name: "id", kind: .integer), Column(name: "at", kind: .moment),
        Column(name: "version", kind: .text), Column(name: "app", kind: .text),
        Column(name: "environment", kind: .text), Column(name: "options", kind: .text),
        Column(name: "tuples", kind: .integer),
      ] + ReplayCounts.names.map { Column(name: $0, kind: .integer) } + [
        Column(name: "mapping", kind: .text, constraint: ""),
        Column(name: "undoes", kind: .integer, constraint: " UNIQUE", isReplay: true),
        Column(name: "changed_rows", kind: .integer, constraint: ""),
      ] + (types.numbersChanges ? [Column(name: "first_change", kind: .integer)] : [])
    case .inputs:
      (types.numbersChanges ? [] : [Column(name: "id", kind: .integer)]) + [
        Column(name: "replay", kind: .integer, isReplay: true), Column(name: "source", kind: .text),
        Column(name: "sha256", kind: .text), Column(name: "bytes", kind: .integer),
      ]
    case .changes:
      (types.numbersChanges
        ? [Column(name: "id", kind: .integer)]
        : [Column(name: "replay", kind: .integer), Column(name: "part", kind: .integer)])
        + [Column(name: "packed", kind: .bytes)]
    case .outcomes:
      [
        Column(name: "replay", kind: .integer, constraint: " PRIMARY KEY", isReplay: true),
        Column(name: "store", kind: .text), Column(name: "is_done", kind: .integer),
      ]
    }
  }

  /// The statements that make the table.
  /// - Parameter prefix: the schema with a dot; empty without one.
  func definitions(_ prefix: String, _ types: JournalTypes) -> [String] {
    let replay = types.hasReferences ? " REFERENCES \(prefix)\(Self.replays.rawValue) (id)" : ""
    let lines =
      columns(types).map { column in
        switch column.name {
        case "id": "id \(types.id) PRIMARY KEY"
        // An index of MariaDB needs a length.
        case "sha256": "sha256 VARCHAR(64)\(column.constraint)"
        default:
          "\(column.name) \(types.name(column.kind))\(column.constraint)\(column.isReplay ? replay : "")"
        }
      } + (self == .changes && !types.numbersChanges ? ["PRIMARY KEY (replay, part)"] : [])
    let table =
      "CREATE TABLE IF NOT EXISTS \(prefix)\(rawValue) (\(lines.joined(separator: ", "))) \(types.rest)"
    switch self {
    case .inputs:
      return [table, "CREATE INDEX IF NOT EXISTS apnsift_inputs_by_digest ON \(prefix)\(rawValue) (sha256)"]
    case .changes: return [table] + (types.storage.map { ["ALTER TABLE \(prefix)\(rawValue) \($0)"] } ?? [])
    case .replays, .outcomes: return [table]
    }
  }

  /// - Throws: `StoreFault.journalMisfit` if a column has another type than apnsift gave it.
  func check(_ found: [TableColumn], _ types: JournalTypes) throws(StoreError) {
    for column in columns(types) {
      let kind = types.kind(column.kind)
      guard let found = found.first(where: { $0.name == column.name }), found.kind != .any, found.kind != kind
      else { continue }
      throw .journalMisfit(
        rawValue, column.name, expected: "type \(types.name(column.kind))", found: "type \(found.type)")
    }
  }
}
