import Foundation
import PostgreSQLStore
import PrivatePostgreSQL
import Stores
import TokenStores

/// A database of one test, and another program that is connected to it.
struct TestDatabase {
  let server: PrivateServer
  let name: String
  let session: Session

  init(_ options: String = "") throws {
    server = try PrivateServer.shared.get()
    name = try server.makeDatabase(options)
    session = try Session(server, database: name)
  }

  func store(
    creates: Bool = true, user: String = "postgres", options: String = "",
    lockTimeout: Duration = .seconds(60), batchSize: Int = TokenStore.defaultBatchSize
  ) throws -> TokenStore {
    let uri = server.uri(name, user: user, options: options)
    guard case .postgreSQL(let read) = try StoreURL(uri) else { throw SourceFailure() }
    return TokenStore(
      try PostgreSQLDatabase(uri: read, lockTimeout: lockTimeout), creates: creates, batchSize: batchSize)
  }

  /// The rows as the server's own text, in the order of their tokens: token, then both times.
  func rows() throws -> [String] {
    try session.run(
      """
      SELECT concat_ws(' ', encode(token, 'hex'), coalesce(extract(epoch FROM registered_at)::bigint::text, '-'),
        coalesce(extract(epoch FROM invalidated_at)::bigint::text, '-')) FROM device_tokens ORDER BY app, environment, token
      """
    ).map { $0[0] ?? "" }
  }

  /// Ends the connection of every apnsift to this database.
  func endOthers() throws {
    try session.run(
      """
      SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'apnsift'
      """)
  }

  /// Waits until an apnsift waits for the server: `Lock` for locks of others, `SyncRep` for a standby.
  func waitUntilWaiting(for event: String = "Lock") throws {
    // Within a transaction a session sees the same activity for ever.
    try Session(server, database: name).wait(
      until: """
        SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'apnsift' AND '\(event)' IN (wait_event_type, wait_event)
        """)
  }
}

/// A dated token of a test.
struct Dated: Hashable, Sendable {
  var token: [UInt8]
  var time: UInt32
}

/// An error of a source, and none of a store.
struct SourceFailure: Error, Equatable {}

/// What a call gave on another thread.
final class Later<Value: Sendable>: @unchecked Sendable {
  private var result: Result<Value, any Error>?
  private let group = DispatchGroup()

  init(_ body: @escaping @Sendable () throws -> Value) {
    group.enter()
    // Not a queue's: those may all be taken by tests that wait.
    Thread {
      self.result = Result { try body() }
      self.group.leave()
    }.start()
  }

  func get() throws -> Value {
    group.wait()
    guard let result else { throw SourceFailure() }
    return try result.get()
  }
}

extension TokenStore {
  @discardableResult
  func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), knownOnly: Bool = false,
    dryRun: Bool = false
  ) throws -> ReplayCounts {
    var options = ReplayOptions(knownOnly: knownOnly, dryRun: dryRun)
    options.brake = .percent(100)
    return try replay(deaths, for: owner, options: options).counts
  }

  /// Replays without a brake, and records it.
  @discardableResult
  func replay(_ deaths: [Dated], as entry: JournalEntry?) throws -> ReplayAnswer {
    var options = ReplayOptions()
    options.brake = .percent(100)
    return try replay(deaths, options: options, entry: entry)
  }

  func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), options: ReplayOptions,
    entry: JournalEntry? = nil
  ) throws -> ReplayAnswer {
    try replay(
      { visit in for death in deaths { try visit(death.token.span.bytes, death.time) } }, for: owner,
      options: options, entry: entry.map { entry in { entry } })
  }

  @discardableResult
  func register(
    _ registrations: [Dated], for owner: AppEnvironment = AppEnvironment()
  ) throws -> RegistrationCounts {
    try register(
      { visit in for one in registrations { try visit(one.token.span.bytes, one.time) } }, for: owner)
  }

  func rows(_ selection: TokenSelection = .all, in filter: AppEnvironmentFilter = .any) throws -> [TokenRow] {
    var rows: [TokenRow] = []
    try list(selection, in: filter) { owner, token, state in
      rows.append(TokenRow(owner: owner, token: token.withUnsafeBytes(Array.init), state: state))
    }
    return rows
  }
}
