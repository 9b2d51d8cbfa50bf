import Basics
import CLibpq
import Synchronization

/// A PostgreSQL database (docs/stores.md, PostgreSQL).
///
/// Each call is one transaction. Readers and writers do not block each other.
package final class PostgreSQLDatabase: StoreDatabase {
  /// The URI without its password.
  package let name: String
  package let dialect = PostgreSQLSession.dialect
  private let uri: String
  package let lockTimeout: Duration
  /// Reused by the next call: opening one takes longer than most calls.
  private let idle = Mutex<Connection?>(nil)

  /// Connects to nothing yet.
  /// - Throws: if libpq cannot read the URI.
  package init(uri: PostgreSQLURI, lockTimeout: Duration = defaultLockTimeout) throws(UsageError) {
    (name, self.uri, self.lockTimeout) = (uri.shown, uri.text, lockTimeout)
    try Self.checkSyntax(of: uri)
  }

  /// libpq's message quotes the invalid text, which may be a password, so the quote is removed. If libpq is missing,
  /// the connection reports it.
  private static func checkSyntax(of uri: PostgreSQLURI) throws(UsageError) {
    guard libpqLibrary.functions != nil else { return }
    var message: UnsafeMutablePointer<CChar>?
    if let options = libpq.PQconninfoParse(uri.text, &message) {
      libpq.PQconninfoFree(options)
      return
    }
    defer { libpq.PQfreemem(message) }
    let words = DatabaseError.line(message).text.prefix { $0 != "\"" }.split(whereSeparator: {
      $0 == " " || $0 == ":"
    })
    throw .uri(PostgreSQLURI.scheme, .verbatim(words.joined(separator: " ")))
  }

  // MARK: - Transactions

  package func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result? {
    try reportingErrors {
      let connection = try connect { try begin($0, "REPEATABLE READ READ ONLY") }
      let result = try body(PostgreSQLSession(connection))
      connection.rollBack()
      idle.withLock { $0 = connection }
      return result
    }
  }

  /// A connection for which `start` succeeded: the idle one, unless the server has ended it.
  private func connect(_ start: (Connection) throws -> Void) throws -> Connection {
    if let connection = idle.withLock({ $0.take() }) {
      do {
        try start(connection)
        return connection
      } catch  where connection.isLost {}
    }
    let connection = try Connection(uri: uri)
    try start(connection)
    return connection
  }

  package func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    try reportingErrors {
      if owner.app.utf8.contains(0) {
        throw StoreError.refused("the app's name has a zero byte, which PostgreSQL does not support")
      }
      return try DatabaseError.retrying { try writeOnce(table, owner, body) }
    }
  }

  /// Each statement sees what other programs committed before it; `OwnedRows.findToChange` locks rows before they change. A
  /// key that another program inserted since is an error of the server (23505).
  private func writeOnce<Result>(
    _ table: TableMapping, _ owner: AppEnvironment, _ body: (any SQLSession) throws -> Result
  ) throws -> Result {
    let connection = try connect { try setTimeouts($0, isLocal: false) }
    try lock(table, owner, connection)
    do {
      try begin(connection, "READ COMMITTED")
      let result = try body(PostgreSQLSession(connection))
      try commit(connection)
      if !connection.isLost, (try? connection.run("SELECT pg_advisory_unlock_all()")) != nil {
        idle.withLock { $0 = connection }
      }
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Locks the owner's rows, or the creation of a missing table, for other apnsift processes until the connection ends.
  /// Readers and other programs continue.
  private func lock(_ table: TableMapping, _ owner: AppEnvironment, _ connection: Connection) throws {
    let session = PostgreSQLSession(connection)
    var id = try session.id(of: table.table, in: table.schema)
    if id == nil {
      try connection.run("SELECT pg_advisory_lock(\(PostgreSQLSession.makingLock))")
      id = try session.id(of: table.table, in: table.schema)
      if id == nil { return }
      try connection.run("SELECT pg_advisory_unlock(\(PostgreSQLSession.makingLock))")
    }
    let name = "apnsift \(id ?? 0) \(owner.environment.rawValue) \(owner.app)"
    try connection.run("SELECT pg_advisory_lock(hashtextextended($1, 0))", .text(name))
  }

  private func begin(_ connection: Connection, _ mode: String) throws(DatabaseError) {
    try connection.run("BEGIN ISOLATION LEVEL \(mode)")
    try setTimeouts(connection, isLocal: true)
    // Values are read and stored as text, whose format must not depend on the role's settings.
    try connection.run(
      """
      SELECT set_config('datestyle', 'ISO, MDY', true), set_config('standard_conforming_strings', 'on', true),
        set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true),
        set_config('intervalstyle', 'postgres', true), set_config('timezone', 'UTC', true),
        set_config('quote_all_identifiers', 'off', true), set_config('array_nulls', 'on', true)
      """)
  }

  /// - Parameter isLocal: whether they apply to the open transaction only.
  private func setTimeouts(_ connection: Connection, isLocal: Bool) throws(DatabaseError) {
    // 0 would wait for ever. JIT compilation takes longer than it saves.
    let milliseconds = max(Int64(lockTimeout / .milliseconds(1)), 1)
    try connection.run(
      "SELECT set_config('lock_timeout', '\(milliseconds)', \(isLocal)), set_config('jit', 'off', \(isLocal))"
    )
  }

  package func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws {
    try reportingErrors {
      let connection = try Connection(uri: uri)
      try connection.run("BEGIN")
      let session = PostgreSQLSession(connection)
      try session.checkPrivileges(of: table, on: session.describe(table), isRecorded: isRecorded)
    }
  }

  // MARK: - The end of a transaction

  /// Commits. Returns only if the changes are done, throws only if they are not, except for
  /// `StoreError.uncertain`: a connection that breaks during COMMIT does not report its result. The server
  /// knows the transaction by its number.
  private func commit(_ connection: Connection) throws {
    let transaction = try connection.run("SELECT txid_current_if_assigned()").integer(0, 0)
    do throws(DatabaseError) {
      let command = try connection.run("COMMIT").command
      guard command == "COMMIT" else { throw DatabaseError(.failed, "the transaction ended with \(command)") }
    } catch {
      guard error.isLost || connection.isLost, let transaction else { throw error }
      try error.resolve {
        let query = "SELECT txid_status($1::text::bigint)"
        let found = try? Connection(uri: uri).run(query, .text(String(transaction)))
        return switch found?.text(0, 0) {
        case "committed": true
        case "aborted": false
        // In progress, or nil if the server does not answer.
        default: nil
        }
      }
    }
  }
}
