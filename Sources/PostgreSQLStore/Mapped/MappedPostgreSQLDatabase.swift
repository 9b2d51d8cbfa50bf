import TokenStores

/// A table of others in a PostgreSQL database (docs/stores.md, "Your own table").
package struct MappedPostgreSQLDatabase: MappedDatabase {
  package let name: String
  private let store: PostgreSQLTokenStore
  private let mapping: TableMapping

  /// How often a transaction is begun, where the server ends it for the sake of others.
  private static let attempts = 4

  /// Describes it; nothing is connected to yet. Parameters and errors as of `PostgreSQLTokenStore`.
  package init(
    uri: PostgreSQLURI, mapping: TableMapping, lockTimeout: Duration = PostgreSQLTokenStore.defaultLockTimeout
  ) throws(StoreURLError) {
    store = try PostgreSQLTokenStore(uri: uri, lockTimeout: lockTimeout)
    name = store.name
    self.mapping = mapping
  }

  package func check(for use: StoreUse, isRecordedHere: Bool) throws {
    try reportingFaults {
      let connection = try Connection(uri: store.uri)
      try store.begin(connection, "ISOLATION LEVEL REPEATABLE READ")
      let session = try MappedPostgreSQLSession(connection, mapping)
      guard use != .reading else { return }
      try store.checkWritable(connection)
      try session.checkPrivileges()
      guard use == .recording else { return }
      try session.checkKey()
      if isRecordedHere { try session.checkJournal() }
    }
  }

  package func reading<Result>(_ body: (MappedPostgreSQLSession) throws -> Result) throws -> Result {
    try reportingFaults {
      let connection = try Connection(uri: store.uri)
      try store.begin(connection, "ISOLATION LEVEL REPEATABLE READ")
      let result = try body(MappedPostgreSQLSession(connection, mapping))
      connection.rollBack()
      return result
    }
  }

  package func writing<Result>(
    for owner: AppEnvironment, _ body: (MappedPostgreSQLSession) throws -> Result
  ) throws -> Result {
    try reportingFaults {
      for _ in 1..<Self.attempts {
        do {
          return try writeOnce(owner, body)
        } catch let error as ServerError where error.isContention && !error.isLost {
          continue
        }
      }
      return try writeOnce(owner, body)
    }
  }

  /// The lock comes before the transaction, whose one snapshot must see what its last holder did. That snapshot judges;
  /// a row that others changed since is an error of the server (40001), and all is done again.
  private func writeOnce<Result>(
    _ owner: AppEnvironment, _ body: (MappedPostgreSQLSession) throws -> Result
  ) throws -> Result {
    let connection = try Connection(uri: store.uri)
    try store.setTimeouts(connection, isLocal: false)
    let id = try MappedTableReading.id(of: mapping, on: connection)
    try connection.run(
      "SELECT pg_advisory_lock(hashtextextended($1, 0))", .text(OwnedRows.lockName(table: id, of: owner)))
    return try store.undoing(connection) {
      try store.begin(connection, "ISOLATION LEVEL REPEATABLE READ READ WRITE")
      let result = try body(MappedPostgreSQLSession(connection, mapping))
      try store.commit(connection)
      return result
    }
  }

  package func reportingFaults<Result>(_ body: () throws -> Result) throws -> Result {
    try store.reportingFaults(body)
  }
}
