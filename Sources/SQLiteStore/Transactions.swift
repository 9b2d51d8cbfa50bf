import GRDB
import GRDBSQLite
import TokenStores

/// Opening the database, and the one transaction that a call is.
extension SQLiteTokenStore {
  /// Runs `body` on one moment of the database, without taking the write lock.
  ///
  /// - Returns: nil where the store is still to be made, and so is empty.
  func reading<Result>(_ body: (Database) throws -> Result) throws -> Result? {
    try reportingFaults {
      guard try isPresent() else { return nil }
      return try openForReading().read { database in
        try hasTable(database) ? try body(database) : nil
      }
    }
  }

  /// Runs `body` in a transaction that is committed only if it returns. The table is made in the same one:
  /// a file has either no table, or one with all that the first call wrote.
  func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try reportingFaults {
      if try !isPresent() { try StorePath.checkDirectory(of: path) }
      do {
        return try openForWriting().writeWithoutTransaction { try inTransaction($0, body) }
      } catch let error as DatabaseError where [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode) {
        // SQLite then leaves the undoing to whoever opens the file next; done now, it gives space back.
        _ = try? open(readOnly: false)
        throw error
      }
    }
  }

  private func inTransaction<Result>(
    _ database: Database, _ body: (Database) throws -> Result
  ) throws -> Result {
    var result: Result?
    // Immediate: what is read in it cannot change before it is written.
    try database.inTransaction(.immediate) {
      if try !hasTable(database) { try TableShape.create(in: database) }
      result = try body(database)
      return .commit
    }
    guard let result else { throw StoreFault.failed(detail: "the transaction was not run") }
    return result
  }

  /// Gives errors of SQLite and faults the store's name; those of the caller pass.
  func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let fault as StoreFault {
      throw StoreError(store: name, fault: fault)
    } catch let error as DatabaseError {
      throw StoreError(store: name, fault: StoreFault(error, waited: lockTimeout))
    }
  }

  /// Whether the file is there; where it is to be made, false.
  func isPresent() throws -> Bool {
    if try StorePath.isPresent(path) { return true }
    guard creates else { throw StoreFault.notFound }
    return false
  }

  /// Whether the table is there; where it is to be made, false.
  func hasTable(_ database: Database) throws -> Bool {
    if try TableShape.isPresent(in: database) { return true }
    guard creates else { throw StoreFault.noTable }
    return false
  }

  func openForReading() throws -> DatabaseQueue {
    do {
      return try open(readOnly: true)
    } catch let error as DatabaseError where error.needsRecovery {
      // A killed program left half a transaction, and only a writer can undo it.
      return try open(readOnly: false)
    }
  }

  /// SQLite opens a file that it may not write read-only, and would say so at the first change alone.
  func openForWriting() throws -> DatabaseQueue {
    let connection = try open(readOnly: false)
    let isReadOnly = connection.writeWithoutTransaction {
      sqlite3_db_readonly($0.sqliteConnection, "main") == 1
    }
    if isReadOnly { throw StoreFault.readOnly(detail: "it opens for reading only") }
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
  /// Whether a reader found a journal that must be rolled back, or a log that must be recovered, first.
  fileprivate var needsRecovery: Bool {
    [.SQLITE_READONLY_ROLLBACK, .SQLITE_READONLY_RECOVERY, .SQLITE_READONLY_CANTINIT].contains(
      extendedResultCode)
  }
}
