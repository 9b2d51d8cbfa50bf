import Basics

/// A database with token stores.
package protocol StoreDatabase: Sendable {
  /// The name in messages: `sqlite:tokens.sqlite`.
  var name: String { get }
  /// The mapping of the table `device_tokens` in this database.
  var deviceTokens: TableMapping { get }

  /// Whether several programs may write at once: all but SQLite.
  var isShared: Bool { get }

  /// Runs `body` on a snapshot of the database.
  /// - Returns: nil if the database is still to be created.
  func reading<Result>(creates: Bool, _ body: (any SQLSession) throws -> Result) throws -> Result?

  /// Runs `body` in a transaction that is committed only if it returns, while no other apnsift writes rows of `owner`
  /// in the table. After a collision with other programs, all is done again.
  func writing<Result>(
    _ table: TableMapping, for owner: AppEnvironment, creates: Bool,
    _ body: (any SQLSession) throws -> Result
  ) throws -> Result

  /// Throws if this process may not write, as `SQLSession.checkPrivileges`, or because of the file. Changes nothing.
  func checkWritable(_ table: TableMapping, creates: Bool, isRecorded: Bool) throws

  /// The fault that an error of the database means; nil for an error of the caller.
  func fault(of error: any Error) -> StoreFault?
}

extension StoreDatabase {
  package var isShared: Bool { true }

  /// How long to wait for another program's lock unless `--lock-timeout` says otherwise.
  package static var defaultLockTimeout: Duration { .seconds(5) }

  /// Adds the store's name to errors of the database. Errors of the caller pass.
  package func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard let fault = error as? StoreFault ?? fault(of: error) else { throw error }
      throw StoreError(store: name, fault: fault)
    }
  }
}

/// An error of a database.
package protocol DatabaseError: Error {
  /// A key that another program inserted in the meantime, or a unique index of the user's.
  var isUniqueViolation: Bool { get }
}

/// An error of a database server, or of the library that talks to it.
package protocol TransactionError: DatabaseError {
  /// One line.
  var message: Message { get }
  /// Whether the connection is lost with it.
  var isLost: Bool { get }
  /// Whether the same transaction may succeed if it is run again: a deadlock, or a row that another program changed
  /// since it was read.
  var isContention: Bool { get }
}

extension TransactionError {
  /// Runs a transaction, up to four times where it collides with other programs.
  package static func retrying<Result>(_ transaction: () throws -> Result) throws -> Result {
    for _ in 1..<4 {
      do {
        return try transaction()
      } catch let error as Self where (error.isContention || error.isUniqueViolation) && !error.isLost {
        continue
      }
    }
    return try transaction()
  }

  /// Finds out whether a transaction was committed whose connection broke during COMMIT. Asks for 10 seconds, which is
  /// enough for a server that restarts.
  ///
  /// - Parameter isCommitted: asks the server over a new connection; nil if it does not know yet, or does not answer.
  /// - Throws: `StoreFault.connectionLost` if it was not committed, or `.uncertain`.
  package func resolve(_ isCommitted: () -> Bool?) throws(StoreFault) {
    for question in 0..<40 {
      if question > 0 { usleep(250_000) }
      guard let isCommitted = isCommitted() else { continue }
      if isCommitted { return }
      throw .connectionLost(message)
    }
    throw .uncertain(message)
  }

  /// The fault of a lost connection or a collision; nil for other errors.
  package var transactionFault: StoreFault? {
    isLost
      ? .connectionLost(message)
      : isContention ? .contended(message) : nil
  }

  /// A message of C with its lines, which libpq indents, joined: libraries write one for each address that they tried.
  package static func line(_ text: UnsafePointer<CChar>?) -> Message {
    let lines = text.map { String(cString: $0) }?.split { $0.isNewline || $0 == "\t" } ?? []
    return lines.isEmpty ? "no message" : .verbatim(lines.joined(separator: "; "))
  }
}
