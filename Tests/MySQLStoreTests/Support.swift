import PrivateServers
import TokenStores

/// A database of one test, another program that is connected to it, and the connection that is tested.
struct TestDatabase: @unchecked Sendable {
  let server: PrivateMariaDB
  let name: String
  /// For the test's own thread alone.
  let session: MariaDBSession

  init(_ server: PrivateMariaDB? = nil) throws {
    self.server = try server ?? PrivateMariaDB.shared.get()
    name = try self.server.makeDatabase()
    session = try MariaDBSession(self.server, database: name)
  }

  func connect(user: String = "root", lockTimeout: Duration = .seconds(60)) throws -> MySQLConnection {
    try MySQLConnection(try uri(server.uri(name, user: user)), lockTimeout: lockTimeout)
  }
}

/// Reads a whole URI.
func uri(_ text: String) throws -> MySQLURI {
  try MySQLURI(afterScheme: String(text.drop { $0 != ":" }.dropFirst()))
}

extension MySQLConnection {
  /// The rows of a query, owned.
  func rows(_ sql: String) throws -> [[SQLValue]] {
    var rows: [[SQLValue]] = []
    try visit(sql) { rows.append($0.map(\.value)) }
    return rows
  }
}

/// The error of the server that `body` throws; nil where it throws none.
func failure(_ body: () throws -> Void) -> DatabaseError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DatabaseError
  }
}
