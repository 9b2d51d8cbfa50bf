import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// What replays and registrations on PostgreSQL have besides those on every store.
@Suite struct PostgreSQLReplayTests {
  let database: TestDatabase
  let store: TokenStore

  init() throws {
    database = try TestDatabase()
    store = try database.store()
  }

  /// A row that does not change is not written: its version in the server stays.
  @Test func secondReplayWritesNothing() throws {
    let deaths = (0..<200).map { Dated(token: [UInt8($0), 1], time: UInt32($0)) }
    try store.register((0..<100).map { Dated(token: [UInt8($0), 1], time: 50) })
    try store.replay(deaths)
    let versions = "SELECT token, ctid, xmin FROM device_tokens ORDER BY token"
    let before = try database.session.run(versions)
    let second = try store.replay(deaths)
    #expect((second.changes, second.tokens) == (0, 200))
    #expect(try store.register((0..<100).map { Dated(token: [UInt8($0), 1], time: 50) }).unchanged == 100)
    #expect(try database.session.run(versions) == before)
  }

  /// The server says why it refuses a token that is longer than an index entry.
  @Test func tooLongAToken() throws {
    var generator = SeededGenerator(seed: 1)
    let long = Dated(token: generator.bytes(300_000), time: 3)
    guard case .refused = try error({ try store.replay([long]) }) else { throw SourceError() }
    #expect(try store.replay([long], knownOnly: true).unknown == 1)
  }

  @Test func theExtremesOfTime() throws {
    try store.replay([Dated(token: [1], time: 0), Dated(token: [2], time: .max)])
    #expect(try database.rows() == ["01 - 0", "02 - 4294967295"])
    #expect(try store.rows().map(\.state.invalidatedAt) == [0, 0xffff_ffff])
  }

  /// A fraction of a second that another program wrote is dropped for every decision.
  @Test func fractionsOfASecond() throws {
    try store.register([])
    try database.session.run(
      """
      INSERT INTO device_tokens VALUES ('', 'production', '\\x01', '1970-01-01 00:01:40.9Z', NULL),
        ('', 'production', '\\x02', NULL, '1970-01-01 00:01:40.9Z'), ('', 'production', '\\x03', '1969-12-31 23:59:59.5Z', NULL)
      """)
    #expect(try store.rows().map(\.state.registeredAt) == [100, nil, -1])
    #expect(try store.replay([Dated(token: [1], time: 100), Dated(token: [1, 1], time: 1)]).kept == 1)
    #expect(try store.register([Dated(token: [1], time: 100)]).unchanged == 1)
    #expect(try store.register([Dated(token: [2], time: 100)]).revived == 1)
    #expect(try store.register([Dated(token: [3], time: 0)]).raised == 1)
  }

  /// An undo restores another program's time to the microsecond.
  @Test func undoOfFractions() throws {
    try store.register([])
    try database.session.run(
      """
      INSERT INTO device_tokens VALUES ('', 'production', '\\x01', '1970-01-01 00:01:40.9Z', '1970-01-01 00:01:41.7Z')
      """)
    let times = "SELECT registered_at, invalidated_at FROM device_tokens"
    let before = try database.session.run(times)
    try store.replay([Dated(token: [1], time: 200)], as: .sample)
    #expect(try database.rows() == ["01 101 200"])
    #expect(try store.undo(1, entry: .sample).restored == 1)
    #expect(try database.session.run(times) == before)
  }

  /// Few tokens are asked for, many are read with all between them; either way in several batches, and in an order
  /// that is none.
  @Test(arguments: [1, 7, 40, 5000]) func batches(_ size: Int) throws {
    let tokens = (0..<2000).map { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let whole = try database.store(batchSize: size == 1 ? 100 : size)
    #expect(try whole.register(tokens.reversed().map { Dated(token: $0, time: 5) }).added == 2000)
    // The server's own statistics estimate 2000 rows.
    try database.session.run("ANALYZE device_tokens")
    let some = stride(from: 0, to: 2100, by: 21).map {
      Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 6)
    }
    let store = try database.store(batchSize: size)
    let answer = try store.replay(some.shuffled(), as: .sample)
    #expect((answer.counts.invalidated, answer.counts.inserted) == (96, 4))
    let changed = try store.changes(of: 1).map(\.token)
    #expect(Set(changed) == Set(some.map(\.token)) && changed.count == 100)
    #expect(try store.replay(some).unchanged == 100)
    #expect(try store.undo(1, entry: .sample).restored == 100)
    #expect(try store.rows(.live).map(\.token) == tokens && store.rows().count == 2000)
  }

  /// Row-level security takes no COPY, and a rule would not see one.
  @Test(arguments: [
    "ALTER TABLE device_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; "
      + "CREATE POLICY p ON device_tokens USING (app = '') WITH CHECK (app = '')",
    "CREATE TABLE log (token bytea); "
      + "CREATE RULE r AS ON INSERT TO device_tokens DO ALSO INSERT INTO log VALUES (NEW.token)",
  ])
  func tablesThatTakeNoCopy(_ sql: String) throws {
    try store.register([Dated(token: [1], time: 1)])
    try database.session.run(sql)
    let grants = { (role: String) in
      "GRANT CREATE ON SCHEMA public TO \(role); "
        + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)"
    }
    try database.withRole(grants) { role in
      let limited = try database.store(user: role)
      let counts = try limited.replay((1...3).map { Dated(token: [$0], time: 9) }, as: .sample).counts
      #expect((counts.invalidated, counts.inserted) == (1, 2))
      #expect(try database.rows() == ["01 1 9", "02 - 9", "03 - 9"])
      #expect(try limited.undo(1, entry: .sample).restored == 3)
      #expect(try database.rows() == ["01 1 -"])
    }
  }

  /// More rows than are fetched at once, and than are looked at without statistics.
  @Test func manyRows() throws {
    let tokens = (0..<10_000).map { [UInt8($0 >> 8), UInt8($0 & 255)] }
    #expect(try store.register(tokens.reversed().map { Dated(token: $0, time: 5) }).added == 10_000)
    #expect(try store.rows().map(\.token) == tokens)
    let deaths = tokens.enumerated().map { Dated(token: $1, time: $0 % 100 == 0 ? 6 : 5) }
    let counts = try store.replay(deaths)
    #expect((counts.invalidated, counts.kept) == (100, 9900))
    #expect(try store.rows(.dead).map(\.token) == stride(from: 0, to: 10_000, by: 100).map { tokens[$0] })
  }

  /// A listing is in the order of bytes whatever the database sorts texts by.
  @Test func anotherOrderOfTexts() throws {
    let database = try TestDatabase("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
    try database.session.run(
      "CREATE TABLE device_tokens (app text, environment text, token bytea, registered_at timestamptz, "
        + "invalidated_at timestamptz, PRIMARY KEY (app, environment, token))")
    let store = try database.store()
    let owners = ["", "A", "B", "a", "b", "é"].map { AppEnvironment(app: $0) }
    for owner in owners.shuffled() { try store.replay([Dated(token: [1], time: 1)], for: owner) }
    #expect(try store.owners() == owners)
    #expect(try store.rows().map(\.owner) == owners)
    #expect(try store.rows(of: [[1]], in: .any).map(\.owner) == owners)
  }
}
