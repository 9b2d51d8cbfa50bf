import GRDB
import GRDBSQLite
import Messages
import Platform
import TokenStores

/// A SQLite database file.
///
/// Reading opens the file read-only, writing takes SQLite's write lock first. The database's journal mode is not
/// changed.
package struct SQLiteDatabase: StoreDatabase {
  /// SQLite's page cache in bytes. A replay touches each page once, because tokens are sorted; the cache keeps a large
  /// transaction from writing its journal in many small, synchronised parts.
  package static let pageCacheBytes = 32 << 20

  package let name: String
  package let deviceTokens = TableMapping.deviceTokens(times: SQLiteSession.deviceTokens.time)
  private let path: String
  private let lockTimeout: Duration

  /// Describes it; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: the database file, relative to the working directory or absolute.
  ///   - lockTimeout: how long to wait for another program's lock, not negative.
  package init(path: String, lockTimeout: Duration = defaultLockTimeout) {
    name = "sqlite:\(path)"
    self.path = path
    self.lockTimeout = lockTimeout
  }

  package func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws {
    try reportingFaults {
      guard try isPresent(creates: creates) else { return try StorePath.checkDirectory(of: path) }
      // Reading detects a file that is not a database.
      _ = try openForWriting().read { try SQLiteSession($0).describe(table) }
    }
  }

  package func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result? {
    try reportingFaults {
      guard try isPresent(creates: creates) else { return nil }
      return try openForReading().read { try body(SQLiteSession($0)) }
    }
  }

  /// The database has one writer at a time, for all owners. The table is created in the same transaction: a file has
  /// either no table, or one with all rows of the first call.
  package func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool,
    _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    try reportingFaults {
      if try !isPresent(creates: creates) {
        try StorePath.create(path)
      }
      do {
        return try openForWriting().writeWithoutTransaction { database in
          var result: Result?
          // Immediate: rows cannot change between reading and writing.
          try database.inTransaction(.immediate) {
            result = try body(SQLiteSession(database))
            return .commit
          }
          guard let result else { throw StoreFault.failed(detail: .transactionNotRun) }
          return result
        }
      } catch let error as DatabaseError where [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode) {
        // SQLite leaves the rollback to the next program that opens the file; done now, it frees space.
        _ = try? open(readOnly: false)
        throw error
      }
    }
  }

  package func fault(of error: any Error) -> StoreFault? {
    (error as? DatabaseError).map { StoreFault($0, waited: lockTimeout) }
  }

  /// Whether the file exists; false if it is to be created.
  private func isPresent(creates: Bool) throws -> Bool {
    if try StorePath.isPresent(path) { return true }
    guard creates else { throw StoreFault.notFound }
    return false
  }

  // MARK: - Opening

  private func openForReading() throws -> DatabaseQueue {
    do {
      return try open(readOnly: true)
    } catch let error as DatabaseError where error.needsRecovery {
      // A killed program left an unfinished transaction, which only a writer can roll back.
      return try open(readOnly: false)
    }
  }

  /// SQLite opens a file without write permission read-only, and reports it only at the first change.
  private func openForWriting() throws -> DatabaseQueue {
    let connection = try open(readOnly: false)
    let isReadOnly = connection.writeWithoutTransaction {
      sqlite3_db_readonly($0.sqliteConnection, "main") == 1
    }
    if isReadOnly { throw StoreFault.readOnly(detail: .opensForReadingOnly) }
    return connection
  }

  private func open(readOnly: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(lockTimeout / .seconds(1))
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -\(Self.pageCacheBytes >> 10)")
    }
    return try DatabaseQueue(path: StorePath.literal(path), configuration: configuration)
  }
}

extension DatabaseError {
  /// Whether a journal must be rolled back, or a log recovered, before reading.
  fileprivate var needsRecovery: Bool {
    [.SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_CANTINIT].contains(
      extendedResultCode)
  }
}
