import GRDB
import TokenStores

/// A table of others in a SQLite database file (docs/stores.md, "Your own table").
package struct MappedSQLiteDatabase: MappedDatabase {
  package let name: String
  private let store: SQLiteTokenStore
  private let mapping: TableMapping

  /// Describes it; nothing is opened yet. Parameters as of `SQLiteTokenStore`.
  package init(
    path: String, mapping: TableMapping, lockTimeout: Duration = SQLiteTokenStore.defaultLockTimeout
  ) {
    store = SQLiteTokenStore(path: path, lockTimeout: lockTimeout)
    name = store.name
    self.mapping = mapping
  }

  package func check(for use: StoreUse, isRecordedHere: Bool) throws {
    try reportingFaults {
      _ = try store.isPresent()
      let connection = try use == .reading ? store.openForReading() : store.openForWriting()
      try connection.writeWithoutTransaction { database in
        let session = try MappedSQLiteSession(database, mapping)
        if use == .recording { try session.table.checkKey(of: mapping) }
      }
    }
  }

  package func reading<Result>(_ body: (MappedSQLiteSession) throws -> Result) throws -> Result {
    try reportingFaults {
      _ = try store.isPresent()
      // `read` would forbid temporary tables, too.
      return try store.openForReading().writeWithoutTransaction { database in
        try Self.inTransaction(.deferred, .rollback, database) { try body(MappedSQLiteSession($0, mapping)) }
      }
    }
  }

  package func writing<Result>(
    for owner: AppEnvironment, _ body: (MappedSQLiteSession) throws -> Result
  ) throws -> Result {
    try reportingFaults {
      _ = try store.isPresent()
      // The database has one writer at a time, whoever's rows it writes.
      return try store.openForWriting().writeWithoutTransaction { database in
        try Self.inTransaction(.immediate, .commit, database) { try body(MappedSQLiteSession($0, mapping)) }
      }
    }
  }

  private static func inTransaction<Result>(
    _ kind: Database.TransactionKind, _ end: Database.TransactionCompletion, _ database: Database,
    _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    try database.inTransaction(kind) {
      result = try body(database)
      return end
    }
    guard let result else { throw StoreFault.failed(detail: "the transaction was not run") }
    return result
  }

  package func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    try store.reportingFaults(body)
  }
}
