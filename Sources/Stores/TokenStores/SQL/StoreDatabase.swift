import Basics

package protocol StoreDatabase: Sendable {
  /// The name in messages: `sqlite:tokens.sqlite`.
  var name: String { get }
  /// The name in a journal file, the same from any working directory.
  var fullName: String { get }
  var dialect: SQLDialect { get }

  /// Runs `body` on a snapshot of the database.
  /// - Returns: nil if the database is still to be created.
  func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result?

  /// Runs `body` in a transaction that is committed only if it returns, while no other apnsift writes rows of `owner`
  /// in the table. After a collision with other programs, all is done again.
  func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool, _ body: (any SQLSession) throws -> Result
  ) throws -> Result

  /// Throws if this process may not write, as `SQLSession.checkPrivileges`, or because of the file. Changes nothing.
  func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws

  /// How long to wait for another program's lock, not negative.
  var lockTimeout: Duration { get }
}

extension StoreDatabase {
  package var fullName: String { name }

  /// How long to wait for another program's lock unless `--lock-timeout` says otherwise.
  package static var defaultLockTimeout: Duration { .seconds(5) }

  /// Adds the store's name to errors of the database. Errors of the caller pass.
  package func reportingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      let found = (error as? DatabaseError).map { StoreError($0, waited: lockTimeout) }
      guard let error = error as? StoreError ?? found else { throw error }
      throw NamedStoreError(store: name, reason: error)
    }
  }
}
