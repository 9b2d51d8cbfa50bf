import Basics

/// The kind of a column's fields when a session has read them.
package enum SQLKind: Sendable {
  case text
  case bytes
  case integer
  /// A point in time: an integer of microseconds since 1970 in UTC.
  case moment
  /// A date and a time of day without a zone: an integer of microseconds since a clock showed 1970-01-01 00:00:00.
  case clock
  /// The text of any other type.
  case other
  /// Any kind, row by row, as in SQLite.
  case any

  package var isTime: Bool { self == .moment || self == .clock }
}

/// A column in the database's catalogue.
package struct TableColumn: Sendable {
  package var name: String
  /// For messages, with its length.
  package var type: String
  /// Without a length; of a domain, its base type.
  package var baseType: String
  package var kind: SQLKind
  /// For casts, without a length: a cast would silently truncate a value, while storing it is an error.
  package var castType: String
  package var isNotNull: Bool
  package var hasDefault: Bool
  package var isGenerated: Bool
  /// Its index in the primary key, from 1; 0 outside of it.
  package var keyIndex: Int
  /// The expected and the found collation, if different texts may compare as equal.
  package var folding: (expected: Message, found: Message)?

  package init(
    _ name: String, type: String = "", baseType: String = "", kind: SQLKind, castType: String = "",
    isNotNull: Bool = false,
    hasDefault: Bool = false, isGenerated: Bool = false, keyIndex: Int = 0,
    folding: (expected: Message, found: Message)? = nil
  ) {
    (self.name, self.type, self.baseType, self.kind) = (name, type, baseType, kind)
    self.castType = castType
    (self.isNotNull, self.hasDefault, self.isGenerated) = (isNotNull, hasDefault, isGenerated)
    (self.keyIndex, self.folding) = (keyIndex, folding)
  }

  /// Whether a row can be written without it.
  package var isOptional: Bool { !isNotNull || hasDefault || isGenerated || keyIndex > 0 }
}

/// A table in the database's catalogue.
package struct TableDescription: Sendable {
  /// The name in statements: quoted, with its schema if it has one.
  package var name: String
  /// Not quoted; nil if the database has no schemas.
  package var schema: String?
  package var columns: [TableColumn]
  /// Expressions over a row `t` that identify it until it changes, with their kinds.
  package var locator: [(expression: String, kind: SQLKind)]
  /// Names of columns that are the first of a complete index.
  package var indexed: Set<String>
  /// The estimated number of rows of all owners.
  package var rowsGuessed: Int
  /// A column of another table whose rows are deleted or changed with a row of this one.
  package var dependent: Message?
  /// Whether something else may change a row that is written.
  package var hasTriggers = true
  /// Whether rows of other tables count as rows of this one: the primary key does not cover them.
  package var hasChildren = false

  package var key: [TableColumn] {
    columns.filter { $0.keyIndex > 0 }.sorted { $0.keyIndex < $1.keyIndex }
  }

  package func column(_ name: String) -> TableColumn? { columns.first { $0.name == name } }
}
