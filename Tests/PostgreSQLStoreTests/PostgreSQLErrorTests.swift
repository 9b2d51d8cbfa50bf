import Basics
import PrivateServers
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// Everything that can be wrong with a store on a server, each on a real one.
@Suite struct PostgreSQLErrorTests {
  static let deaths = [Dated(token: [1], time: 9)]
  let database: TestDatabase
  let store: TokenStore

  init() throws {
    database = try TestDatabase()
    store = try database.store()
  }

  private func error(_ body: () throws -> Void) throws -> StoreError {
    let error = #expect(throws: NamedStoreError.self) { try body() }
    let message = error?.message.text ?? ""
    #expect(!message.contains("secret") && !message.contains("\n") && !message.hasSuffix("."))
    guard let error else { throw SourceError() }
    return error.reason
  }

  @Test func connecting() throws {
    try database.session.run(
      "DO $$ BEGIN CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    let (server, name) = (database.server, database.name)
    for (text, reason) in [
      (server.uri("nothing"), #""nothing" does not exist"#),
      ("postgres://me:secret@/db?host=/nowhere", "/nowhere"),
      (server.uri(name, user: "guarded:secret"), "password authentication failed"),
      (server.uri(name, user: "guarded", options: "passfile=/dev/null"), "no password supplied"),
    ] {
      guard case .postgreSQL(let uri) = try StoreURL(text) else { throw SourceError() }
      let store = try TokenStore(PostgreSQLDatabase(uri: uri), creates: true)
      #expect(!store.name.contains("secret"))
      for use in [{ try store.check(for: .reading) }, { _ = try store.replay(Self.deaths) }] {
        guard case .cannotConnect(let found) = try error(use) else { throw SourceError() }
        #expect(found.text.contains(reason))
      }
    }
    #expect(try database.store(user: "guarded:right").replay(Self.deaths).inserted == 1)
  }

  /// Only libpq can detect that.
  @Test(arguments: ["postgres://h/db?no=secret", "postgres://me:secret%@h/db", "postgres://[::1/secret"])
  func anUnreadableURI(_ text: String) throws {
    guard case .postgreSQL(let uri) = try? StoreURL(text) else { return }
    let error = #expect(throws: UsageError.self) { try TokenStore(PostgreSQLDatabase(uri: uri)) }
    #expect(error?.message.text.contains("secret") == false)
  }

  @Test func noTable() throws {
    let store = try database.store(creates: false)
    for use in [
      { try store.check(for: .reading) }, { try store.check(for: .writing) }, { _ = try store.rows() },
      { _ = try store.replay(Self.deaths) }, { _ = try store.replay(Self.deaths, dryRun: true) },
    ] {
      #expect(try error(use) == .noTable)
    }
    #expect(try self.store.rows().isEmpty)
  }

  @Test func privileges() throws {
    try store.replay(Self.deaths)
    let table = "public.device_tokens"
    try database.withRole({ _ in
      "REVOKE TEMPORARY, CREATE ON DATABASE \(database.name) FROM PUBLIC; "
        + "REVOKE CREATE ON SCHEMA public FROM PUBLIC"
    }) { role in
      let store = try database.store(user: role)
      for (missing, grant) in [
        (Message.lacks("SELECT", on: table), "GRANT SELECT ON device_tokens TO \(role)"),
        (.lacks("INSERT", on: table), "GRANT INSERT ON device_tokens TO \(role)"),
        (.lacks("UPDATE", on: table), "GRANT UPDATE ON device_tokens TO \(role)"),
      ] {
        #expect(try error { try store.check(for: .writing) } == .notPermitted(missing))
        guard case .notPermitted = try error({ try store.replay(Self.deaths) }) else { throw SourceError() }
        try database.session.run(grant)
        #expect(try store.rows().count == 1)
      }
      try store.check(for: .writing)
      #expect(try store.replay(Self.deaths).unchanged == 1)
      #expect(try store.replay(Self.deaths, dryRun: true).unchanged == 1)
      try database.session.run("DROP TABLE device_tokens")
      let missing = Message("it lacks CREATE on schema public")
      #expect(try error { try store.check(for: .writing) } == .notPermitted(missing))
    }
  }

  /// The table alone is granted: what is missing is said before the input is read, and how to go without.
  @Test func privilegesForTheJournal() throws {
    try store.replay(Self.deaths)
    let grants = { (role: String) in
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC; "
        + "GRANT SELECT, INSERT, UPDATE, DELETE ON device_tokens TO \(role)"
    }
    try database.withRole(grants) { role in
      let store = try database.store(user: role)
      func expectRefused(lacks: String) throws {
        let found = try error {
          _ = try store.replay(
            { _ in throw SourceError() }, for: AppEnvironment(), options: ReplayOptions(), entry: { .sample })
        }
        guard case .notPermitted(let missing) = found else { throw SourceError() }
        #expect(missing.text.hasPrefix("it lacks \(lacks), ") && missing.text.contains("--no-journal"))
        #expect(try store.replay(Self.deaths).unchanged == 1)
      }
      try expectRefused(lacks: "CREATE on schema public")
      #expect(try store.history().isEmpty)
      try self.store.replay(Self.deaths, as: .sample)
      try database.session.run(
        "GRANT SELECT, UPDATE ON apnsift_replays TO \(role); "
          + "GRANT SELECT, INSERT ON apnsift_inputs, apnsift_changes TO \(role)")
      try expectRefused(lacks: "INSERT on public.apnsift_replays")
      try database.session.run("GRANT INSERT ON apnsift_replays TO \(role)")
      let later = try store.replay([Dated(token: [2], time: 9)], as: .sample)
      #expect(try store.undo(try #require(later.replay), entry: .sample).restored == 1)
      #expect(try database.rows() == ["01 - 9"])
    }
  }

  @Test func readOnly() throws {
    try self.store.replay(Self.deaths)
    let store = try database.store(options: "options=-cdefault_transaction_read_only%3Don")
    let setting = StoreError.readOnlyServer("default_transaction_read_only is on")
    #expect(try error { try store.check(for: .writing) } == setting)
    guard case .readOnlyServer = try error({ try store.replay(Self.deaths) }) else { throw SourceError() }
    #expect(try store.replay(Self.deaths, dryRun: true).unchanged == 1)
    #expect(try store.rows().count == 1)
  }

  @Test func locks() throws {
    try self.store.register([Dated(token: [1], time: 1)])
    let store = try database.store(lockTimeout: .milliseconds(1))
    for lock in ["LOCK TABLE device_tokens IN EXCLUSIVE MODE", "SELECT * FROM device_tokens FOR UPDATE"] {
      try database.session.run("BEGIN; \(lock)")
      #expect(try error { try store.replay(Self.deaths) } == .locked(waited: .milliseconds(1)))
      #expect(try store.replay(Self.deaths, dryRun: true).invalidated == 1)
      #expect(try store.rows().count == 1)
      try store.check(for: .writing)
      try database.session.run("ROLLBACK")
    }
    #expect(try store.replay(Self.deaths).invalidated == 1)
  }

  /// A trigger of others that ignores an update ends the replay.
  @Test func aTriggerThatIgnoresUpdates() throws {
    try store.register([Dated(token: [1], time: 1), Dated(token: [2], time: 1)])
    try database.session.run(
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
        + "CREATE TRIGGER t BEFORE UPDATE ON device_tokens FOR EACH ROW WHEN (NEW.token = '\\x02') EXECUTE FUNCTION f()"
    )
    let both = [Dated(token: [1], time: 5), Dated(token: [2], time: 5)]
    for body in [{ _ = try store.replay(both) }, { _ = try store.register(both) }] {
      guard case .refused = try error(body) else { throw SourceError() }
      #expect(try database.rows() == ["01 1 -", "02 1 -"])
    }
    #expect(try store.replay([Dated(token: [1], time: 5)]).invalidated == 1)
  }

  /// Records a replay, and changes its record as another program might.
  private func record(changedBy sql: String) throws {
    try store.replay(Self.deaths, as: .sample)
    try database.session.run(sql)
  }

  /// The journal has bytes that are not a packed change.
  @Test func aDamagedJournal() throws {
    try record(changedBy: "UPDATE apnsift_changes SET packed = '\\x0909'")
    let damage = StoreError.unreadableRows(
      1, first: .inRow(.rowKey("part", "0"), of: "apnsift_changes", .changeIsNotPacked))
    #expect(try error { _ = try store.undo(1, entry: .sample) } == damage)
    #expect(try error { try store.changes(of: 1) { _ in } } == damage)
    #expect(try database.rows() == ["01 - 9"])
    #expect(try store.history().count == 1)
  }

  /// Another program altered the type of a column, whose bytes have another meaning then.
  @Test(arguments: [
    ("apnsift_replays", "tuples", "text", "BIGINT"),
    ("apnsift_replays", "tuples", "double precision", "BIGINT"),
    ("apnsift_replays", "at", "text", "timestamptz"), ("apnsift_inputs", "source", "bytea", "text"),
    ("apnsift_changes", "packed", "text", "bytea"),
  ])
  func aJournalOfOtherTypes(_ table: String, _ column: String, _ type: String, _ expected: String) throws {
    try record(changedBy: "ALTER TABLE \(table) ALTER \(column) TYPE \(type) USING \(column)::text::\(type)")
    let misfit = StoreError.journalMisfit(
      table, column, expected: .columnType(expected), found: .columnType(type))
    #expect(try error { _ = try store.undo(1, entry: .sample) } == misfit)
    #expect(try database.rows() == ["01 - 9"])
  }

  @Test(arguments: ["smallint", "integer"]) func aJournalOfSmallerIntegers(_ type: String) throws {
    try record(changedBy: "ALTER TABLE apnsift_replays ALTER tuples TYPE \(type)")
    #expect(try store.history().map(\.entry) == [.sample])
  }

  @Test(arguments: ["infinity", "-infinity", "4714-11-24 00:00:00+00 BC", "294276-12-31 00:00:00+00"])
  func aReplayAtNoTime(_ time: String) throws {
    try record(changedBy: "UPDATE apnsift_replays SET at = '\(time)'")
    guard case .unreadableRows = try error({ _ = try store.history() }) else { throw SourceError() }
  }

  /// Its microseconds since 1970 do not fit in 64 bits: once it wrapped to the distant past, and its token was
  /// invalidated.
  @Test func aRegistrationInTheLastYears() throws {
    try store.register([Dated(token: [1], time: 1)])
    try database.session.run("UPDATE device_tokens SET registered_at = '294276-12-31 00:00:00+00'")
    guard case .unreadableRows = try error({ try store.replay(Self.deaths) }) else { throw SourceError() }
    #expect(try database.session.run("SELECT invalidated_at IS NULL FROM device_tokens") == [["t"]])
  }

  /// What the server says where a tablespace is full, and for contention, which is retried with the input from its
  /// beginning up to the limit of attempts. Making a full one needs root; a trigger says it here.
  @Test(arguments: [
    ("disk_full", StoreError.full(.verbatim("raised")), 1),
    ("serialization_failure", .contended(.verbatim("raised")), 4),
    ("deadlock_detected", .contended(.verbatim("raised")), 4),
  ])
  func conditions(_ condition: String, _ expected: StoreError, _ attempts: Int) throws {
    try store.register([])
    try database.session.run(
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
        + "'BEGIN RAISE EXCEPTION USING ERRCODE = ''\(condition)'', MESSAGE = ''raised''; END'; "
        + "CREATE TRIGGER t BEFORE INSERT ON device_tokens FOR EACH ROW EXECUTE FUNCTION f()")
    var calls = 0
    let found = try error {
      _ = try store.replay(
        { visit in
          calls += 1
          try visit([UInt8(1)].span.bytes, StoreTime(9))
        }, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
    }
    #expect(found == expected && calls == attempts)
    #expect(try database.rows() == [])
  }

  /// `deaths`, and during them the server ends the connection.
  private func interrupted(_ visit: (RawSpan, StoreTime) throws -> Void) throws {
    try visit([UInt8(1)].span.bytes, StoreTime(9))
    try database.endOthers()
    for number in 0..<100_000 as Range<UInt32> {
      try visit([2, UInt8(number & 255)].span.bytes, StoreTime(number))
    }
  }

  @Test func theConnectionIsLostDuringTheInput() throws {
    for _ in 0..<2 {
      let found = try error {
        _ = try store.replay(interrupted, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
      }
      guard case .connectionLost = found else { throw SourceError() }
    }
    #expect(try store.replay(Self.deaths).inserted == 1)
  }

  private static let endItself =
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
    + "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'; "

  /// While rows are written, and during the COMMIT before it is done.
  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON device_tokens FOR EACH ROW EXECUTE FUNCTION f()",
    "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON device_tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f()",
  ])
  func theConnectionIsLostBeforeTheEnd(_ trigger: String) throws {
    try store.register([])
    try database.session.run(Self.endItself + trigger)
    guard case .connectionLost = try error({ try store.replay(Self.deaths) }) else { throw SourceError() }
    #expect(try database.rows() == [])
  }

  /// A COMMIT that waits for a standby is done already; the connection ends before the server says so.
  @Test func theConnectionIsLostBehindTheCommit() throws {
    try self.store.register([])
    let store = try database.store(options: "options=-csynchronous_commit%3Don")
    let replay = Later { try store.replay(Self.deaths) }
    try database.waitUntilWaiting(for: "SyncRep")
    try database.endOthers()
    #expect(try replay.get().inserted == 1)
    #expect(try database.rows() == ["01 - 9"])
  }
}
