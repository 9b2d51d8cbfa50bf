import Basics
import CSQLite

/// A SQLite database file.
///
/// Reading opens the file read-only, writing takes SQLite's write lock first. The database's journal mode is not
/// changed.
package struct SQLiteDatabase: StoreDatabase {
  package let name: String
  package let dialect = SQLiteSession.dialect
  private let path: String
  package let lockTimeout: Duration
  package var fullName: String { "sqlite:\(StorePath.absolute(path))" }

  /// Opens nothing yet.
  /// - Parameter path: relative to the working directory, or absolute.
  package init(path: String, lockTimeout: Duration = defaultLockTimeout) {
    (name, self.path, self.lockTimeout) = ("sqlite:\(path)", path, lockTimeout)
  }

  package func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws {
    try reportingErrors {
      guard try isPresent(creates: creates) else { return try StorePath.checkDirectory(of: path) }
      // Reading detects a file that is not a database.
      let connection = try openForWriting()
      _ = try connection.transaction(immediate: false) { try SQLiteSession(connection).describe(table) }
    }
  }

  package func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result? {
    try reportingErrors {
      guard try isPresent(creates: creates) else { return nil }
      let connection = try openForReading()
      return try connection.transaction(immediate: false) { try body(SQLiteSession(connection)) }
    }
  }

  /// The database has one writer at a time, for all owners. The table is created in the same transaction: a file has
  /// either no table, or one with all rows of the first call.
  package func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    try reportingErrors {
      let isNew = try !isPresent(creates: creates)
      if isNew { try StorePath.create(path) }
      defer { if isNew { StorePath.removeIfEmpty(path) } }
      do {
        let connection = try openForWriting()
        // Immediate: rows cannot change between reading and writing.
        return try connection.transaction(immediate: true) { try body(SQLiteSession(connection)) }
      } catch let error as DatabaseError where [SQLITE_FULL, SQLITE_IOERR].contains(Int32(error.code & 0xff))
      {
        // SQLite leaves the rollback to the next program that opens the file; done now, it frees space.
        _ = try? open(readOnly: false)
        throw error
      }
    }
  }

  /// Whether the file exists; false if it is to be created.
  private func isPresent(creates: Bool) throws -> Bool {
    // Before a file is created.
    try sqliteLibrary.check(package: "libsqlite3-0", elsewhere: "sqlite")
    if try StorePath.isPresent(path) { return true }
    guard creates else { throw StoreError.notFound }
    return false
  }

  private func openForReading() throws -> SQLiteConnection {
    do {
      return try open(readOnly: true)
    } catch let error as DatabaseError where Self.recoveries.contains(error.code) {
      return try open(readOnly: false)
    }
  }

  /// SQLITE_READONLY_ROLLBACK, _RECOVERY and _CANTINIT, macros that Swift does not import: a killed program left an
  /// unfinished transaction, which only a writer can roll back.
  private static let recoveries = [3, 1, 5].map { Int(SQLITE_READONLY) | $0 << 8 }

  private func openForWriting() throws -> SQLiteConnection {
    let connection = try open(readOnly: false)
    // SQLite opens a file without write permission read-only, and reports it only at the first change.
    if sqlite.sqlite3_db_readonly(connection.handle, "main") == 1 {
      throw StoreError.readOnly("it opens for reading only")
    }
    return connection
  }

  private func open(readOnly: Bool) throws -> SQLiteConnection {
    if !readOnly { try ReadFiles.check(path, besides: ReadFiles.store) }
    ReadFiles.add(Array(path.utf8CString), as: ReadFiles.store)
    try ReadFiles.check()
    return try SQLiteConnection(path: StorePath.literal(path), readOnly: readOnly, lockTimeout: lockTimeout)
  }
}
