import CSQLite

/// Another program that has opened a SQLite database: it shares no code with ours.
package final class SQLiteClient {
  package struct CommandError: Error {
    package var message: String
  }

  private var connection: OpaquePointer?

  /// - Parameter path: is created if it is missing.
  package init(_ path: String) throws {
    guard sqlite3_open(path, &connection) == SQLITE_OK else { throw failure }
  }

  deinit { sqlite3_close(connection) }

  private var failure: CommandError { CommandError(message: String(cString: sqlite3_errmsg(connection))) }

  /// Runs statements; the rows of all, their values as text, null as nil, and bytes in hex.
  @discardableResult
  package func run(_ sql: String) throws -> [[String?]] {
    try sql.withCString { text in
      var rows: [[String?]] = []
      var rest: UnsafePointer<CChar>? = text
      while let start = rest, start.pointee != 0 {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, start, -1, &statement, &rest) == SQLITE_OK else { throw failure }
        defer { sqlite3_finalize(statement) }
        if statement != nil { try visit(statement) { rows.append($0) } }
      }
      return rows
    }
  }

  private func visit(_ statement: OpaquePointer?, _ body: ([String?]) -> Void) throws {
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      body((0..<sqlite3_column_count(statement)).map { text(statement, $0) })
      code = sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw failure }
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String? {
    guard sqlite3_column_type(statement, column) == SQLITE_BLOB else {
      return sqlite3_column_text(statement, column).map { String(cString: $0) }
    }
    let bytes = UnsafeRawBufferPointer(
      start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
