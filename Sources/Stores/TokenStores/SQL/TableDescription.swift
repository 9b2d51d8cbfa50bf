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

package struct TableColumn: Sendable {
  var name: String
  /// In parentheses, for an expression that is read like a column.
  var expression: String?
  /// For messages, with its length.
  var type = ""
  /// Without a length; of a domain, its base type.
  var baseType = ""
  var kind: SQLKind
  /// For casts, without a length: a cast would silently truncate a value, while storing it is an error.
  var castType = ""
  /// Of texts in MariaDB, for casts.
  var collation = ""
  var isNotNull = false
  var hasDefault = false
  var isGenerated = false
  /// Whether it has ON UPDATE, in MariaDB.
  var isSetByUpdates = false
  /// Its index in the primary key, from 1; 0 outside of it.
  var keyIndex = 0
  /// The expected and the found collation, if different texts may compare as equal.
  var folding: (expected: Message, found: Message)?

  /// Whether a row can be written without it.
  var isOptional: Bool { !isNotNull || hasDefault || isGenerated || keyIndex > 0 }

  /// Whether it stores a value unaltered, without triggers.
  func keeps(_ value: SQLValue) -> Bool {
    switch value {
    case .integer where kind == .any: ![Affinity.text.rawValue, Affinity.real.rawValue].contains(castType)
    case .integer: kind == .integer || kind.isTime
    case .text: ["text", "date", Affinity.text.rawValue].contains(baseType)
    case .null, .real, .bytes: false
    }
  }

  /// Whether it is a time with milliseconds: `timestamp(3)` has three digits of a second, PostgreSQL's `timestamp with
  /// time zone` six, and MariaDB's `timestamp` none.
  var hasMilliseconds: Bool {
    let digits = type.drop { $0 != "(" }.dropFirst().first?.wholeNumberValue
    return kind.isTime && digits ?? (type.hasPrefix("timestamp ") ? 6 : 0) >= 3
  }
}

package struct TableDescription: Sendable {
  /// The name in statements: quoted, with its schema if it has one.
  var name: String
  /// Not quoted; nil if the database has no schemas.
  var schema: String?
  var columns: [TableColumn]
  /// Expressions over a row `t` that identify it until it changes, with their kinds.
  var locator: [SQLExpression]
  /// Names of columns that are the first of a complete index.
  var indexed: Set<String>
  /// The estimated number of rows of all owners.
  var rowsGuessed: Int
  /// Columns that an UPDATE of others would change, but for their keeping.
  var kept: [String] = []
  /// A column of another table whose rows are deleted or changed with a row of this one.
  var dependent: Message?
  /// Whether something else may change a row that is written.
  var hasTriggers = true
  /// Whether rows of other tables count as rows of this one: the primary key does not cover them.
  var hasChildren = false
  /// Whether the session may see a part of the rows only.
  var hidesRows = false

  var key: [TableColumn] { Self.key(of: columns) }

  static func key(of columns: [TableColumn]) -> [TableColumn] {
    columns.filter { $0.keyIndex > 0 }.sorted { $0.keyIndex < $1.keyIndex }
  }

  func column(_ name: String) -> TableColumn? { columns.first { $0.name == name } }

  /// The columns of a removed row by their names; nil for those that the table has no more.
  /// - Throws: `StoreError.refused` if the row has no value for a part of the key.
  func columns(of removed: [String], _ mapping: TableMapping) throws -> [TableColumn?] {
    guard key.allSatisfy({ $0.isGenerated || removed.contains($0.name) }) else {
      throw StoreError.refused(.columnsDiffer(from: mapping.name))
    }
    return removed.map { name in columns.first { $0.name == name && !$0.isGenerated } }
  }
}
