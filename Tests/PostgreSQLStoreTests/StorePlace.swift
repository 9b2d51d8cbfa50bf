import PrivateServers
import StoreTestSupport
import TestSupport
import TokenStores

/// The stores that must do the same.
enum StoreKind: CaseIterable, Sendable {
  case sqlite
  case postgreSQL
  case mySQL
}

/// Where stores of a kind are made: a directory that is removed with the value, or a database of the private server.
final class StoreFixture {
  private let directory: TemporaryFiles
  private let database: TestDatabase?
  private let mariaDB: MariaDBDatabase?
  private var files = 0

  init(_ kind: StoreKind) throws {
    database = kind == .postgreSQL ? try TestDatabase() : nil
    mariaDB = kind == .mySQL ? try MariaDBDatabase() : nil
    directory = try TemporaryFiles()
  }

  /// A store without a table. In a database it replaces the previous one.
  func emptyStore() throws -> TokenStore {
    if let database {
      try database.session.run(
        "DROP TABLE IF EXISTS device_tokens, apnsift_changes, apnsift_inputs, apnsift_replays")
      return try database.store()
    }
    if let mariaDB {
      try mariaDB.clear()
      return TokenStore(try mariaDB.database(), creates: true)
    }
    files += 1
    return TokenStore(SQLiteDatabase(path: "\(directory.path)/\(files).sqlite"), creates: true)
  }
}

/// A database of one test on the private MariaDB, and another program that is connected to it.
struct MariaDBDatabase {
  let server: PrivateMariaDB
  let name: String
  let session: MariaDBSession

  init() throws {
    server = try PrivateMariaDB.shared.get()
    name = try server.makeDatabase()
    session = try Self.connect(server, name)
  }

  static func connect(_ server: PrivateMariaDB, _ name: String) throws -> MariaDBSession {
    let session = try MariaDBSession(server, database: name)
    // Statements of the tests are those for the other databases.
    try session.run("SET sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES', time_zone = '+00:00'")
    return session
  }

  func database(user: String = "root") throws -> MySQLDatabase {
    guard case .mySQL(let uri) = try StoreURL(server.uri(name, user: user)) else { throw SourceError() }
    return MySQLDatabase(uri: uri, lockTimeout: .seconds(60))
  }

  /// Drops all tables.
  func clear() throws {
    try session.run("DROP DATABASE \(name)")
    try session.run("CREATE DATABASE \(name)")
    try session.run("USE \(name)")
  }

  /// Runs statements that end in `; `.
  func run(_ sql: String) throws {
    for statement in sql.split(separator: "; ") { try session.run(String(statement)) }
  }
}
