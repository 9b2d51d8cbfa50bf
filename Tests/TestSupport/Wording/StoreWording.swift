import Basics

/// Of stores and their tables.
extension Message {
  /// - Parameter id: the undo's own number.
  package static func undid(
    _ replay: Int, of store: String, as id: Int, restored: Int, skipped: Int, reasons: [String]
  ) -> Message {
    Message(
      "undid replay \(replay) of \(store), as \(id): \(Count.of(restored, "row")) restored"
        + rest(skipped, reasons))
  }

  private static func rest(_ skipped: Int, _ reasons: [String]) -> String {
    skipped > 0 ? "; \(Count.of(skipped, "row")) skipped (\(reasons.joined(separator: ", ")))" : ""
  }

  package static func registeredNow(_ path: String, without column: String) -> Message {
    Message(
      "\(path): no column \(column): all rows count as registered now; --registered-column names another column, "
        + "--at another time")
  }

  /// - Parameter key: an SQL literal.
  package static func rowKey(_ column: String, _ key: String) -> Message { Message("\(column) \(key)") }

  package static func lacks(_ privilege: String, on table: String) -> Message {
    Message("it lacks \(privilege) on \(table)")
  }

  package static func nullKey(of table: String) -> Message {
    Message(
      "the primary key of a row of \(table) is null, so that an undo could not find it; --no-journal needs no key"
    )
  }

  package static func column(_ name: String) -> Message { Message("column \(name)") }

  package static let primaryKey = Message("the primary key")

  package static let tableName = Message("the name")

  /// - Parameter kind: `view`, for example.
  package static func relation(_ kind: String) -> Message { Message("a \(kind)") }

  package static let nothingFound = Message("none")

  package static let neither = Message("neither")

  package static func columnNames(_ names: [String]) -> Message { Message(names.joined(separator: ", ")) }

  package static let generatedColumn = Message("a generated one")

  package static let notNull = Message("NOT NULL")

  package static func columnType(_ name: String) -> Message { Message("type \(name)") }

  package static func collation(_ name: String) -> Message { Message("collation \(name)") }
}
