/// A changed row, as journals of mapped tables keep it.
enum RowChange {
  /// Columns of the journal's table.
  static let columns = [
    "replay", "row_key", "token", "outcome", "registered_at", "invalidated_before", "invalidated_at",
    "registered_value", "value_before", "value_after", "whole_row",
  ]

  /// The same with their types, for the table's definition.
  static func definitions(_ words: SQLWords) -> String {
    let types = [
      "\(words.integer) NOT NULL", "\(words.text) NOT NULL", "\(words.bytes) NOT NULL",
      "\(words.text) NOT NULL",
      words.integer, words.integer, words.integer, words.value, words.value, words.value,
      words.value,
    ]
    return zip(columns, types).map { "\($0) \($1)" }.joined(separator: ", ")
  }

  /// What a row of the table, without `replay` and the values, says to people.
  static func change(_ row: [SQLValue]) throws -> JournalChange {
    guard row.count == 5, let token = row[0].bytes, let name = row[1].text,
      let outcome = ReplayOutcome(name: name)
    else {
      throw StoreFault.foreignRows(count: 1, first: "apnsift_row_changes holds what is no change of a row")
    }
    let before = TokenState(registeredAt: row[2].integer, invalidatedAt: row[3].integer)
    return JournalChange(
      token: token, outcome: outcome, before: outcome == .inserted ? nil : before,
      after: TokenState(registeredAt: row[2].integer, invalidatedAt: row[4].integer))
  }
}

extension SQLWords {
  /// The definition of the table of changed rows under `name`.
  package func rowChangesDefinition(_ name: String) -> String {
    "CREATE TABLE IF NOT EXISTS \(name) (\(RowChange.definitions(self)))"
  }
}
