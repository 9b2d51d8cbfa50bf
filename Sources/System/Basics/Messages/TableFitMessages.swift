/// Tables that a mapping, or apnsift itself, cannot use: `for SUBJECT, expected EXPECTED, found FOUND`.
extension Message {
  // MARK: - Subjects

  package static func column(_ name: String) -> Message { Message("column \(name)") }

  package static let primaryKey = Message("the primary key")
  package static let tableName = Message("the name")
  package static let deleteAction = Message("action delete")

  // MARK: - Tables

  package static let aTable = Message("a table")

  /// - Parameter kind: `view`, for example.
  package static func relation(_ kind: String) -> Message { Message("a \(kind)") }

  package static func relation(ofKind kind: String) -> Message { Message("a relation of kind \(kind)") }

  package static func engine(_ name: String) -> Message {
    Message("\(name) (ALTER TABLE … ENGINE = InnoDB changes it)")
  }

  package static let nothingFound = Message("none")
  package static let neither = Message("neither")
  package static func dependentColumn(_ column: String, of table: String, onDelete action: String) -> Message
  {
    Message("column \(column) of \(table) with ON DELETE \(action)")
  }

  package static func dependentConstraint(_ name: String, of table: String, onDelete action: String)
    -> Message
  {
    Message("constraint \(name) of \(table) with ON DELETE \(action)")
  }

  // MARK: - Columns

  package static func columnNames(_ names: [String]) -> Message { Message(names.joined(separator: ", ")) }

  package static let ordinaryColumn = Message("an ordinary column")
  package static let generatedColumn = Message("a generated one")
  package static let nullableColumn = Message("a column that may be null")
  package static let notNull = Message("NOT NULL")
  package static func columnType(_ name: String) -> Message { Message("type \(name)") }

  /// `type a, b or c`.
  package static func columnType(oneOf names: [String]) -> Message {
    guard let last = names.last, names.count > 1 else { return columnType(names.first ?? "") }
    return Message("type \(names.dropLast().joined(separator: ", ")) or \(last)")
  }

  /// `type a b, or c d`, for names of several words.
  package static func columnType(oneOfNames names: [String]) -> Message {
    Message("type \(names.joined(separator: ", or "))")
  }

  package static func collation(_ name: String) -> Message { Message("collation \(name)") }

  // MARK: - Values

  package static func tokens(inForm form: String) -> Message { Message("tokens as \(form)") }

  package static func times(inForm form: String) -> Message { Message("times as \(form)") }
}
