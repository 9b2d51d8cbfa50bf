/// What the fields of a column are, once a session has read them.
package enum SQLKind: Sendable {
  case text
  case bytes
  case integer
  /// A point in time: an integer of microseconds since 1970 in UTC.
  case moment
  /// A date and a time of day without a zone: an integer of microseconds since a clock showed 1970-01-01 00:00:00.
  case clock
  /// Text of any other type, as the type writes it.
  case other
  /// Whatever stands in the row: SQLite's columns hold values of any kind.
  case any

  package var isTime: Bool { self == .moment || self == .clock }
}

/// A column, as the database's catalogue tells of it.
package struct TableColumn: Sendable {
  package var name: String
  /// As messages name it, with its length.
  package var type: String
  /// The same without a length, of a domain what it is of.
  package var baseType: String
  package var kind: SQLKind
  /// The type as a cast takes it, without a length: a cast would cut a value short in silence, where storing it is an error.
  package var castType: String
  package var isNotNull: Bool
  package var hasDefault: Bool
  package var isGenerated: Bool
  /// Its index in the primary key, from 1; 0 outside of it.
  package var keyIndex: Int
  /// Where texts that differ may compare as equal: the comparison that is expected, and the one found.
  package var folding: (expected: String, found: String)?

  package init(
    _ name: String, type: String = "", baseType: String = "", kind: SQLKind, castType: String = "",
    isNotNull: Bool = false,
    hasDefault: Bool = false, isGenerated: Bool = false, keyIndex: Int = 0,
    folding: (expected: String, found: String)? = nil
  ) {
    (self.name, self.type, self.baseType, self.kind) = (name, type, baseType, kind)
    self.castType = castType
    (self.isNotNull, self.hasDefault, self.isGenerated) = (isNotNull, hasDefault, isGenerated)
    (self.keyIndex, self.folding) = (keyIndex, folding)
  }

  /// Whether a row can be written without it.
  package var isOptional: Bool { !isNotNull || hasDefault || isGenerated || keyIndex > 0 }
}

/// What a database says of a table.
package struct TableDescription: Sendable {
  /// Quoted, with its schema where it has one: what statements call it.
  package var name: String
  /// Not quoted; nil where the database has none.
  package var schema: String?
  package var columns: [TableColumn]
  /// Expressions over a row `t` that tell rows apart while they stay as they are, with their kinds.
  package var place: [(expression: String, kind: SQLKind)]
  /// Names of columns with which a whole index begins.
  package var indexed: Set<String>
  /// About how many rows there are, of all owners.
  package var rowsGuessed: Int
  /// A column of another table whose rows go or change with a row of this one; nil where there is none.
  package var dependent: String?
  /// Whether something may change a row besides what is written to it.
  package var hasTriggers = true
  /// Whether rows of other tables count as rows of this one: then no primary key holds for all.
  package var hasChildren = false

  package init(
    name: String, schema: String?, columns: [TableColumn], place: [(expression: String, kind: SQLKind)],
    indexed: Set<String>,
    rowsGuessed: Int, dependent: String?
  ) {
    (self.name, self.schema, self.columns) = (name, schema, columns)
    (self.place, self.indexed) = (place, indexed)
    (self.rowsGuessed, self.dependent) = (rowsGuessed, dependent)
  }

  package var key: [TableColumn] {
    columns.filter { $0.keyIndex > 0 }.sorted { $0.keyIndex < $1.keyIndex }
  }

  package func column(_ name: String) -> TableColumn? { columns.first { $0.name == name } }
}
