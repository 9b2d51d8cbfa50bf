import Basics

extension Message {
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
