import Basics

/// A database of MariaDB (docs/stores.md, MariaDB).
///
/// Each call is one transaction. Readers and writers do not block each other.
package struct MySQLDatabase: StoreDatabase {
  /// The URI without its password.
  package let name: String
  package let dialect = MySQLSession.dialect
  private let uri: MySQLURI
  package let lockTimeout: Duration

  /// Connects to nothing yet.
  package init(uri: MySQLURI, lockTimeout: Duration = defaultLockTimeout) {
    (name, self.uri, self.lockTimeout) = (uri.shown, uri, lockTimeout)
  }

  package func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result? {
    try reportingErrors {
      // A table that is newer than the snapshot is an error when it is first read.
      try DatabaseError.retrying {
        let connection = try MySQLConnection(uri, lockTimeout: lockTimeout)
        try connection.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        return try body(MySQLSession(connection))
      }
    }
  }

  package func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    try reportingErrors { try DatabaseError.retrying { try writeOnce(table, owner, body) } }
  }

  /// A key that another program inserted since it was looked for is an error of the server (1062).
  private func writeOnce<Result>(
    _ table: TableMapping, _ owner: AppEnvironment, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    let connection = try MySQLConnection(uri, lockTimeout: lockTimeout)
    try lock(table, owner, connection)
    let session = MySQLSession(connection)
    do {
      try session.begin()
      let result = try body(session)
      try commit(session)
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Locks the owner's rows for other apnsift processes until the connection ends; other programs continue. The lock's
  /// name is global to the server, and has at most 64 characters.
  private func lock(_ table: TableMapping, _ owner: AppEnvironment, _ connection: MySQLConnection) throws {
    let name = MySQLLiteral.text(.text("\(table.name) \(owner.environment.rawValue) \(owner.app)"))
    let seconds = max(Int64((lockTimeout / .seconds(1)).rounded(.up)), 0)
    let mark = "CONCAT('apnsift ', LEFT(SHA2(CONCAT(DATABASE(), ' ', \(name)), 256), 56))"
    let isLocked = try connection.number("SELECT GET_LOCK(\(mark), \(seconds))")
    if isLocked != 1 { throw StoreError.locked(waited: lockTimeout) }
  }

  package func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws {
    try reportingErrors {
      let connection = try MySQLConnection(uri, lockTimeout: lockTimeout)
      try connection.run("START TRANSACTION")
      let session = MySQLSession(connection)
      try session.checkPrivileges(of: table, on: session.describe(table), isRecorded: isRecorded)
      connection.rollBack()
    }
  }

  /// Commits. Returns only if the changes are done, throws only if they are not, except for
  /// `StoreError.uncertain`: a connection that breaks during COMMIT does not report its result. The
  /// transaction's row in the journal does: it exists if the COMMIT was done. No other program adds or removes that
  /// row.
  private func commit(_ session: MySQLSession) throws {
    let mark = try session.lastReplay()
    do {
      try session.connection.run("COMMIT")
    } catch let error as DatabaseError where error.isLost || session.connection.isLost {
      guard let mark else { throw StoreError.uncertain(error.message) }
      try error.resolve {
        // The lock waits for a transaction that has not ended.
        (try? MySQLConnection(uri, lockTimeout: lockTimeout).number("\(mark) LOCK IN SHARE MODE")).map {
          $0 == 1
        }
      }
    }
  }
}
