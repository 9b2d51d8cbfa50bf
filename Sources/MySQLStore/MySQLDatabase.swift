import Platform
import Synchronization
import TokenStores

/// A database of MariaDB or MySQL (docs/stores.md, MariaDB and MySQL).
///
/// Each call is one transaction. Readers and writers do not block each other.
package struct MySQLDatabase: StoreDatabase {
  /// How long another program's lock is waited for unless told otherwise.
  package static let defaultLockTimeout = Duration.seconds(5)
  /// How often a replay is begun, where the server ends it for the sake of others.
  private static let attempts = 4

  /// The URI without its password.
  package let name: String
  package let deviceTokens = TableMapping.deviceTokens(times: MySQLSession.deviceTokens.time)
  private let uri: MySQLURI
  private let lockTimeout: Duration

  /// Describes it; nothing is connected to yet.
  ///
  /// - Parameter lockTimeout: how long another program's lock is waited for; 0 to 1,000,000 seconds.
  package init(uri: MySQLURI, lockTimeout: Duration = defaultLockTimeout) {
    name = uri.shown
    self.uri = uri
    self.lockTimeout = min(max(lockTimeout, .zero), .seconds(1_000_000))
  }

  // MARK: - Transactions

  package func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result? {
    try reportingFaults {
      let connection = try connect()
      try connection.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
      return try body(MySQLSession(connection))
    }
  }

  private func connect() throws -> MySQLConnection {
    let connection = try MySQLConnection(uri, lockTimeout: lockTimeout)
    // Without it an UPDATE would act on rows that others changed since they were judged.
    guard connection.keepsSnapshot else {
      throw StoreFault.server(
        .cannotConnect(
          reason:
            "the server is \(connection.version), expected one with innodb_snapshot_isolation, as MariaDB has it "
            + "from 10.6.18, 10.11.8 and 11.4 on"))
    }
    return connection
  }

  package func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool,
    _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    try reportingFaults {
      for _ in 1..<Self.attempts {
        do {
          return try writeOnce(table, owner, body)
        } catch let error as MySQLError where (error.isContention || error.isUniqueViolation) && !error.isLost
        {
          continue
        }
      }
      return try writeOnce(table, owner, body)
    }
  }

  /// The lock comes before the transaction, whose one snapshot must see what its last holder did. That snapshot judges: a
  /// row that others changed since is an error of the server (1020), and so is a key that they inserted (1062).
  private func writeOnce<Result>(
    _ table: TableMapping, _ owner: AppEnvironment, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    let connection = try connect()
    try lock(table, owner, connection)
    let session = MySQLSession(connection)
    do {
      try session.begin()
      let result = try body(session)
      try commit(session)
      return result
    } catch {
      // The transaction has ended when this does.
      connection.rollBack()
      throw error
    }
  }

  /// Keeps other apnsifts away from the owner's rows until the connection ends; other programs go on. The name holds for
  /// the whole server, and has at most 64 characters.
  private func lock(_ table: TableMapping, _ owner: AppEnvironment, _ connection: MySQLConnection) throws {
    let name = MySQLLiteral.text(.text("\(table.name) \(owner.environment.rawValue) \(owner.app)"))
    let seconds = max(Int64((lockTimeout / .seconds(1)).rounded(.up)), 0)
    let isHeld = try connection.number(
      "SELECT GET_LOCK(CONCAT('apnsift ', LEFT(SHA2(CONCAT(DATABASE(), ' ', \(name)), 256), 56)), \(seconds))"
    )
    if isHeld != 1 { throw StoreFault.locked(waited: lockTimeout) }
  }

  package func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let fault as StoreFault {
      throw StoreError(store: name, fault: fault)
    } catch let error as MySQLError {
      throw StoreError(store: name, fault: StoreFault(error, waited: lockTimeout))
    }
  }

  package func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws {
    try reportingFaults {
      let connection = try connect()
      try connection.run("START TRANSACTION")
      let session = MySQLSession(connection)
      try session.checkPrivileges(of: table, on: session.describe(table), isRecorded: isRecorded)
      connection.rollBack()
    }
  }

  // MARK: - The end of a transaction

  /// How often a server that does not answer is asked what became of a transaction, and the pause between, in
  /// microseconds: together long enough for a server that starts again.
  private static let questions = 40
  private static let pause: UInt32 = 250_000

  /// Commits. Returns only where the changes are done, throws only where they are not, but for
  /// `StoreFault.server(.uncertain)`: a connection that breaks during a COMMIT does not report its result. The transaction's
  /// row in the journal does: it is there if the COMMIT was done. No other program adds or removes that row.
  private func commit(_ session: MySQLSession) throws {
    let mark = try session.lastReplay()
    do throws(MySQLError) {
      try session.connection.run("COMMIT")
    } catch {
      guard error.isLost || session.connection.isLost else { throw error }
      guard let mark else { throw StoreFault.server(.uncertain(detail: error.message)) }
      for question in 0..<Self.questions {
        if question > 0 { usleep(Self.pause) }
        // Waits for a transaction that has not ended.
        guard let connection = try? connect(),
          let count = try? connection.number("\(mark) LOCK IN SHARE MODE")
        else {
          continue
        }
        if count == 1 { return }
        throw StoreFault.server(.connectionLost(detail: error.message))
      }
      throw StoreFault.server(.uncertain(detail: error.message))
    }
  }
}
