import CLibmariadb

/// Another program that is connected to the server.
package final class MariaDBSession: ServerSession {
  private let connection: UnsafeMutablePointer<MYSQL>

  package init(
    _ server: PrivateMariaDB, database: String, user: String = "root", password: String? = nil
  ) throws {
    guard let connection = mysql_init(nil) else { throw ServerError("no memory") }
    self.connection = connection
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4")
    guard
      mysql_real_connect(connection, "localhost", user, password, database, 0, server.socket, 0) != nil
    else { throw failure }
  }

  deinit { mysql_close(connection) }

  private var failure: ServerError { ServerError(String(cString: mysql_error(connection))) }

  /// Runs one statement; its rows, their values as text, null as nil. Bytes that are no UTF-8 are replaced: ask for HEX.
  @discardableResult
  package func run(_ sql: String) throws -> [[String?]] {
    try send(sql)
    return try receive()
  }

  /// Sends a statement without waiting for its end.
  package func send(_ sql: String) throws {
    guard mysql_send_query(connection, sql, UInt(sql.utf8.count)) == 0 else { throw failure }
  }

  /// Waits for the end of the statement that was sent; its rows.
  @discardableResult
  package func receive() throws -> [[String?]] {
    guard mysql_read_query_result(connection) == 0 else { throw failure }
    guard let result = mysql_store_result(connection) else {
      guard mysql_field_count(connection) == 0 else { throw failure }
      return []
    }
    defer { mysql_free_result(result) }
    var rows: [[String?]] = []
    while let row = mysql_fetch_row(result), let lengths = mysql_fetch_lengths(result) {
      rows.append(
        (0..<Int(mysql_num_fields(result))).map { column in
          row[column].map {
            String(
              decoding: UnsafeRawBufferPointer(start: $0, count: Int(lengths[column])), as: UTF8.self)
          }
        })
    }
    return rows
  }
}
