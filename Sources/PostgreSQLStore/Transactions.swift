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

  /// As `writing(for:)`, for a replay or registration: checks what it needs before the input is read, and makes the
  /// journal where something will be recorded.
  func writing<Result>(
    for owner: AppEnvironment, isRecorded: Bool, _ body: (OwnedRows) throws -> Result
  ) throws -> Result {
    try writing(for: owner) { rows in
      try checkWritable(rows.connection)
      try rows.table.checkPrivileges(on: rows.connection)
      if isRecorded {
        let journal = Journal(rows.connection, rows.table)
        try journal.checkPrivileges()
        try journal.makeTables()
      }
      return try body(rows)
    }
  }

  /// Runs `body` in a transaction that is committed only if it returns. Where the server gives way to others, or
  /// others insert the same keys, all is done again.
  func writing<Result>(for owner: AppEnvironment, _ body: (OwnedRows) throws -> Result) throws -> Result {
    try reportingFaults {
      try checkApp(owner)
      for _ in 1..<Self.attempts {
        do {
          return try writeOnce(owner, body)
        } catch let error as ServerError
          where (error.isContention || error.isUniqueViolation) && !error.isLost
        {
          continue
        }
      }
      return try writeOnce(owner, body)
    }
  }

  /// The lock comes before the transaction, whose one snapshot must see what its last holder did. That snapshot judges:
  /// a row that others changed since is an error of the server (40001), and so is a key that they inserted (23505).
  private func writeOnce<Result>(
    _ owner: AppEnvironment, _ body: (OwnedRows) throws -> Result
  ) throws -> Result {
    let connection = try Connection(uri: uri)
    try setTimeouts(connection, isLocal: false)
    try lock(owner, connection)
    return try undoing(connection) {
      try begin(connection, "ISOLATION LEVEL REPEATABLE READ")
      let table = try findTable(connection) ?? DeviceTable.create(on: connection)
      let result = try body(
        OwnedRows(connection: connection, table: table, owner: owner, batchSize: batchSize))
      try commit(connection)
      return result
    }
  }

  /// Keeps other apnsifts away from the owner's rows, or where there is no table from making it, until the connection
  /// ends; readers and programs of other kinds go on.
  private func lock(_ owner: AppEnvironment, _ connection: Connection) throws {
    var table = try findTable(connection)
    if table == nil { table = try DeviceTable.findWhenMade(on: connection) }
    guard let table else { return }
    try connection.run(
      "SELECT pg_advisory_lock(hashtextextended($1, 0))",
      .text(OwnedRows.lockName(table: table.id, of: owner)))
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
  func checkApp(_ owner: AppEnvironment) throws {
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
