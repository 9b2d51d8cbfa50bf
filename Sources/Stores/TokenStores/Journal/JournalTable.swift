import Basics

/// A table of a journal, the same in every database (docs/stores.md, "The journal").
enum JournalTable: String {
  case replays = "apnsift_replays"
  case inputs = "apnsift_inputs"
  /// Packed changes (docs/decisions/stores.md#39-one-engine); `part` numbers the rows of a replay from 0, or `id` those of all.
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

  private static func all(_ kind: SQLKind, _ names: [String]) -> [Column] {
    names.map { Column(name: $0, kind: kind) }
  }

  func columns(_ types: JournalTypes) -> [Column] {
    switch self {
    case .replays:
      Self.all(.integer, ["id"]) + Self.all(.moment, ["at"])
        + Self.all(.text, ["version", "app", "environment", "options"])
        + Self.all(.integer, ["tuples"] + ReplayCounts.paths.map(\.name)) + [
          Column(name: "mapping", kind: .text, constraint: ""),
          Column(name: "undoes", kind: .integer, constraint: " UNIQUE", isReplay: true),
          Column(name: "changed_rows", kind: .integer, constraint: ""),
        ] + Self.all(.integer, types.numbersChanges ? ["first_change"] : [])
    case .inputs:
      Self.all(.integer, types.numbersChanges ? [] : ["id"])
        + [Column(name: "replay", kind: .integer, isReplay: true)]
        + Self.all(.text, ["source", "sha256"]) + Self.all(.integer, ["bytes"])
    case .changes:
      Self.all(.integer, types.numbersChanges ? ["id"] : ["replay", "part"]) + Self.all(.bytes, ["packed"])
    case .outcomes:
      [Column(name: "replay", kind: .integer, constraint: " PRIMARY KEY", isReplay: true)]
        + Self.all(.text, ["store"]) + Self.all(.integer, ["is_done"])
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

  /// - Throws: `StoreError.journalMisfit` if a column has another type than apnsift gave it.
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
