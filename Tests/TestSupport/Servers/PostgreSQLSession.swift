import CLibpq

/// Another program that is connected to the server.
package final class PostgreSQLSession: ServerSession {
  private let connection: OpaquePointer

  package init(_ server: PrivatePostgreSQL, database: String, user: String = "postgres") throws {
    guard let connection = PQconnectdb("host=\(server.directory) dbname=\(database) user=\(user)") else {
      throw ServerError("no memory")
    }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    PQsetNoticeReceiver(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  private var failure: ServerError { ServerError(String(cString: PQerrorMessage(connection))) }

  /// Runs statements; the rows of the last one, their values as text, null as nil.
  @discardableResult
  package func run(_ sql: String) throws -> [[String?]] {
    let result = PQexec(connection, sql)
    defer { PQclear(result) }
    guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw failure }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        if PQgetisnull(result, row, column) != 0 { return nil }
        return String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  /// Sends statements without waiting for their end.
  package func send(_ sql: String) throws {
    guard PQsendQuery(connection, sql) == 1 else { throw failure }
  }
}
