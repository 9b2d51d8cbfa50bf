import PrivateServers
import TokenStores

/// A database of one test on the private PostgreSQL, and another program that is connected to it.
package struct TestDatabase {
  package let server: PrivatePostgreSQL
  package let name: String
  package let session: PostgreSQLSession

  package init(_ options: String = "") throws {
    server = try PrivatePostgreSQL.shared.get()
    name = try server.makeDatabase(options)
    session = try PostgreSQLSession(server, database: name)
  }

  func location(
    user: String, options: String = "", lockTimeout: Duration = .seconds(60)
  ) throws -> PostgreSQLDatabase {
    let uri = server.uri(name, user: user, options: options)
    guard case .postgreSQL(let read) = try StoreURL(uri) else { throw SourceError() }
    return try PostgreSQLDatabase(uri: read, lockTimeout: lockTimeout)
  }

  package func store(
    creates: Bool = true, user: String = "postgres", options: String = "",
    lockTimeout: Duration = .seconds(60), batchSize: Int = TokenStore.defaultBatchSize
  ) throws -> TokenStore {
    let location = try location(user: user, options: options, lockTimeout: lockTimeout)
    return TokenStore(location, creates: creates, batchSize: batchSize)
  }

  /// Makes a role that may log in, runs `body` with its name, and drops it.
  package func withRole(_ grants: (String) -> String, _ body: (String) throws -> Void) throws {
    let role = "role_\(name)"
    try session.run("CREATE ROLE \(role) LOGIN; \(grants(role))")
    defer { _ = try? session.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try body(role)
  }

  /// The rows as the server's own text, in the order of their tokens: token, then both times.
  package func rows() throws -> [String] {
    try session.run(
      """
      SELECT concat_ws(' ', encode(token, 'hex'), coalesce(extract(epoch FROM registered_at)::bigint::text, '-'),
        coalesce(extract(epoch FROM invalidated_at)::bigint::text, '-')) FROM device_tokens ORDER BY app, environment, token
      """
    ).map { $0[0] ?? "" }
  }

  /// Ends the connection of every apnsift to this database.
  package func endOthers() throws {
    try session.run(
      """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'apnsift'
      """)
  }

  /// Waits until an apnsift waits for the server: `Lock` for locks of others, `SyncRep` for a standby.
  package func waitUntilWaiting(for event: String = "Lock") throws {
    // Within a transaction a session sees the same activity for ever.
    try PostgreSQLSession(server, database: name).wait(
      until: """
        SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'apnsift' AND '\(event)' IN (wait_event_type, wait_event)
        """)
  }
}
