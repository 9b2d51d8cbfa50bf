import GRDB
import GRDBSQLite
import TokenStores

/// Runs the statements that are written for both databases, inside a transaction.
package class SQLiteSession: SQLSession {
  let database: Database

  init(_ database: Database) { self.database = database }

  package var words: SQLWords { Self.words }

  private static let words = SQLWords(
    bytes: "BLOB", integer: "INTEGER", text: "TEXT",
    // No type: a value stays what it is.
    value: "", temporary: "temp.", temporaryEnd: "", isSame: "IS", parameter: "?")

  @discardableResult
  package func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
    let statement = try PreparedStatement(database, sql)
    statement.bind(parameters)
    return try statement.run()
  }

  package func visit(
    _ sql: String, _ parameters: [SQLValue], _ body: ([SQLValue]) throws -> Void
  ) throws {
    let statement = try PreparedStatement(database, sql)
    statement.bind(parameters)
    while try statement.step() { try body(statement.values) }
  }

  package func fill(
    _ table: String, _ columns: [String], _ rows: (_ add: ([SQLValue]) throws -> Void) throws -> Void
  ) throws {
    let places = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
    let insert = try PreparedStatement(
      database, "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))")
    try rows { row in
      insert.bind(row)
      try insert.run()
    }
  }
}

extension PreparedStatement {
  /// Binds as many parameters as the statement has.
  func bind(_ values: [SQLValue]) {
    for (index, value) in values.prefix(Int(sqlite3_bind_parameter_count(handle))).enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: bind(nil, at: place)
      case .integer(let value): bind(value, at: place)
      case .real(let value): sqlite3_bind_double(handle, place, value)
      case .text(let value): bind(value, at: place)
      case .bytes(let value): bind(value.span.bytes, at: place)
      }
    }
  }

  /// The row that `step` reached.
  var values: [SQLValue] {
    (0..<sqlite3_column_count(handle)).map { column in
      switch type(ofColumn: column) {
      case SQLITE_NULL: return .null
      case SQLITE_INTEGER: return .integer(integer(ofColumn: column))
      case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
      case SQLITE_TEXT:
        // Text in other bytes than UTF-8 keeps them.
        return text(ofColumn: column).map(SQLValue.text) ?? bytes(ofColumn: column)
      default: return bytes(ofColumn: column)
      }
    }
  }

  private func bytes(ofColumn column: Int32) -> SQLValue {
    .bytes(withBytes(ofColumn: column) { $0.withUnsafeBytes { Array($0) } })
  }
}
