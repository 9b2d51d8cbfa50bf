import TokenStores

/// Connecting, and the one transaction that a call is.
extension PostgreSQLTokenStore {
  /// How often a replay is begun, where the server ends it for the sake of others.
  private static let attempts = 4

  /// Runs `body` on one moment of the table.
  ///
  /// - Returns: nil where the table is still to be made, and so is empty.
  func reading<Result>(_ body: (Connection, DeviceTable) throws -> Result) throws -> Result? {
    try reportingFaults {
      let connection = try Connection(uri: uri)
      try begin(connection, "ISOLATION LEVEL REPEATABLE READ READ ONLY")
      guard let table = try findTable(connection) else { return nil }
      return try body(connection, table)
    }
  }

  /// Runs `body` in a transaction that is committed only if it returns. Where the server gives way to others, all is
  /// done again.
  func writing<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try reportingFaults {
      for _ in 1..<Self.attempts {
        do {
          return try writeOnce(body)
        } catch let error as ServerError where error.isContention && !error.isLost {
          continue
        }
      }
      return try writeOnce(body)
    }
  }

  private func writeOnce<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try Connection(uri: uri)
    return try undoing(connection) {
      // What is read is locked or checked again before it is written: later snapshots only help.
      try begin(connection, "ISOLATION LEVEL READ COMMITTED")
      let result = try body(connection)
      try commit(connection)
      return result
    }
  }

  /// Stages `tokens` and runs `body` on them under the owner's lock, in one transaction, which also makes the table
  /// and, where something will be recorded, the journal.
  func writing<Result>(
    _ tokens: TimedTokens, _ judging: Judging, for owner: AppEnvironment, isRecorded: Bool,
    _ body: (TokenWriter) throws -> Result
  ) throws -> Result {
    try reportingFaults { try checkApp(owner) }
    return try writing { connection in
      let found = try findTable(connection)
      // Before a million tokens are sent for nothing.
      if isRecorded, let found { try Journal(connection, found).checkPrivileges() }
      let staged = try Staging.fill(connection, with: tokens, areNumbered: judging.needsOrder)
      let table = try found ?? DeviceTable.create(on: connection)
      if isRecorded { try Journal(connection, table).makeTables() }
      let rows = OwnedRows(connection: connection, table: table, owner: owner)
      try rows.lock()
      return try body(TokenWriter(rows: rows, judging: judging, staged: staged))
    }
  }

  /// Runs `body` on the staged tokens. They are all that is written, and are dropped.
  ///
  /// - Returns: nil where the table is still to be made.
  func previewing<Result>(
    _ tokens: TimedTokens, _ judging: Judging, for owner: AppEnvironment,
    _ body: (TokenWriter) throws -> Result
  ) throws -> Result? {
    try reportingFaults {
      try checkApp(owner)
      let connection = try Connection(uri: uri)
      return try undoing(connection) {
        // A role that reads only by default may count all the same: nothing is changed.
        try begin(connection, "ISOLATION LEVEL READ COMMITTED READ WRITE")
        guard let table = try findTable(connection) else { return nil }
        let staged = try Staging.fill(connection, with: tokens, areNumbered: judging.needsOrder)
        let rows = OwnedRows(connection: connection, table: table, owner: owner)
        let result = try body(TokenWriter(rows: rows, judging: judging, staged: staged))
        connection.rollBack()
        return result
      }
    }
  }

  /// Runs `body`; where it throws, the transaction has ended when this does.
  func undoing<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Texts of the server hold every character but one.
  private func checkApp(_ owner: AppEnvironment) throws {
    if owner.app.utf8.contains(0) {
      throw StoreFault.refused(detail: "PostgreSQL holds no text with a zero byte, as the app's name has")
    }
  }

  func begin(_ connection: Connection, _ mode: String) throws(ServerError) {
    try connection.run("BEGIN \(mode)")
    try setTimeouts(connection, isLocal: true)
  }

  /// - Parameter isLocal: whether only the transaction that is open has them.
  func setTimeouts(_ connection: Connection, isLocal: Bool) throws(ServerError) {
    // 0 would wait for ever. Compiling a statement takes longer than it saves.
    let milliseconds = max(Int64(lockTimeout / .milliseconds(1)), 1)
    try connection.run(
      "SELECT set_config('lock_timeout', '\(milliseconds)', \(isLocal)), set_config('jit', 'off', \(isLocal))"
    )
  }

  /// The table; nil where it is to be made.
  func findTable(_ connection: Connection) throws -> DeviceTable? {
    if let table = try DeviceTable.find(on: connection) { return table }
    guard creates else { throw StoreFault.noTable }
    return nil
  }

  /// Gives errors of the server and faults the store's name; those of the caller pass.
  func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let fault as StoreFault {
      throw StoreError(store: name, fault: fault)
    } catch let error as ServerError {
      throw StoreError(store: name, fault: StoreFault(error, waited: lockTimeout))
    }
  }
}
