import Basics
import Foundation
import PrivateServers
import TestSupport
import TokenStores

/// The databases whose stores must do the same.
package enum StoreKind: CaseIterable, Sendable {
  case sqlite
  case postgreSQL
  case mySQL

  /// A literal of bytes.
  package func literal(_ bytes: [UInt8]) -> String {
    self == .postgreSQL ? "'\\x\(Hex.string(bytes))'" : "x'\(Hex.string(bytes))'"
  }

  /// A literal of a time of `device_tokens`.
  package func time(_ seconds: Int64?) -> String {
    seconds.map { self == .postgreSQL ? "to_timestamp(\($0))" : "\($0)" } ?? "NULL"
  }
}

/// A database of one test, of any kind: files that are removed with the value, or a database of a private server.
package final class StoreFixture {
  package let kind: StoreKind
  package let database: TestDatabase?
  private let mariaDB: MariaDBDatabase?
  private let directory: URL
  private var files = 0
  /// Of the database, if it is a file.
  package private(set) var path = ""

  /// With definitions, as of `begin`.
  package init(_ kind: StoreKind, _ definitions: String...) throws {
    self.kind = kind
    database = kind == .postgreSQL ? try TestDatabase() : nil
    mariaDB = kind == .mySQL ? try MariaDBDatabase() : nil
    try database?.session.run("SET timezone = 'UTC'")
    // In memory if possible: thousands of tests would wait for a disk.
    let memory = URL(fileURLWithPath: "/dev/shm")
    let parent =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    directory = parent.appendingPathComponent("store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    if !definitions.isEmpty { try begin(definitions) }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  package func file(_ name: String) -> String { directory.appendingPathComponent(name).path }

  /// Empties the database, and runs statements.
  package func begin(_ definitions: String...) throws { try begin(definitions) }

  private func begin(_ definitions: [String]) throws {
    files += 1
    path = file("\(files).sqlite")
    if database != nil { try run("DROP SCHEMA public CASCADE; CREATE SCHEMA public") }
    try mariaDB?.clear()
    for definition in definitions { try run(definition) }
  }

  package func run(_ sql: String) throws {
    if let database {
      try database.session.run(sql)
    } else if let mariaDB {
      try mariaDB.run(sql)
    } else {
      try SQLiteClient(path).run(sql)
    }
  }

  /// Rows of texts.
  package func texts(_ sql: String) throws -> [[String?]] {
    if let session = database?.session { return try session.run(sql) }
    if let session = mariaDB?.session { return try session.run(sql) }
    return try SQLiteClient(path).run(sql)
  }

  /// Connects another program.
  package var connect: @Sendable () throws -> any ServerSession {
    if let database {
      let (server, name) = (database.server, database.name)
      return {
        let session = try PostgreSQLSession(server, database: name)
        try session.run("SET timezone = 'UTC'")
        return session
      }
    }
    if let mariaDB {
      let (server, name) = (mariaDB.server, mariaDB.name)
      return { try MariaDBDatabase.connect(server, name) }
    }
    let path = path
    return {
      let client = try SQLiteClient(path)
      try client.run("PRAGMA busy_timeout = 60000")
      return client
    }
  }

  /// The command of the database's client, which reads statements from its input.
  package var clientCommand: [String] {
    if let database {
      let uri = database.server.uri(database.name)
      return ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", uri, "-f", "-"]
    }
    if let mariaDB {
      let user = ["-S", mariaDB.server.socket, "-u", "root"]
      return ["mariadb", "--no-defaults", "--binary-mode"] + user + [mariaDB.name]
    }
    return ["sqlite3", "-batch", "-bail", path]
  }

  // MARK: - Stores

  private func location(user: String? = nil) throws -> any StoreDatabase {
    if let database { return try database.location(user: user ?? "postgres") }
    return try mariaDB?.location(user: user ?? "root") ?? SQLiteDatabase(path: path)
  }

  /// The store in the table `device_tokens`.
  package func ownStore(creates: Bool = true, batchSize: Int = TokenStore.defaultBatchSize) throws
    -> TokenStore
  {
    TokenStore(try location(), creates: creates, batchSize: batchSize)
  }

  /// The same in an empty database.
  package func emptyStore() throws -> TokenStore {
    try begin()
    return try ownStore()
  }

  /// The store in a table of others.
  package func store(
    _ mapping: TableMapping, inserts: Bool = false, owner: AppEnvironment = AppEnvironment(),
    file: JournalFile? = nil, text: String = "{}", user: String? = nil
  ) throws -> TokenStore {
    let database = try location(user: user)
    var store = TokenStore(database, mapping: mapping, text: text, owner: owner, inserts: inserts)
    store.file = file
    return store
  }
}

extension SQLiteClient: ServerSession {}

/// A database of one test on the private MariaDB, and another program that is connected to it.
private struct MariaDBDatabase {
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

  func location(user: String) throws -> MySQLDatabase {
    guard case .mySQL(let uri) = try StoreURL(server.uri(name, user: user)) else { throw SourceError() }
    return MySQLDatabase(uri: uri, lockTimeout: .seconds(60))
  }

  /// Drops all tables.
  func clear() throws { try run("DROP DATABASE \(name); CREATE DATABASE \(name); USE \(name)") }

  /// Runs statements that end in `; `.
  func run(_ sql: String) throws {
    for statement in sql.split(separator: "; ") { try session.run(String(statement)) }
  }
}
