import StoreTestSupport
import Testing
import TokenStores

/// Replays and registrations on a real server; what they must do is ReplayRuleTests' business.
@Suite struct PostgreSQLReplayTests {
  let database: TestDatabase
  let store: TokenStore

  init() throws {
    database = try TestDatabase()
    store = try database.store()
  }

  /// One token for each outcome, against rows that are written by SQL alone.
  @Test(arguments: [false, true]) func everyOutcome(knownOnly: Bool) throws {
    try store.register([])
    try database.session.run(
      """
      INSERT INTO device_tokens SELECT app, environment, token::bytea, to_timestamp(registered), to_timestamp(dead)
      FROM (VALUES ('', 'production', '\\x01', 100, NULL), ('', 'production', '\\x02', 99, NULL),
        ('', 'production', '\\x03', NULL, 100), ('', 'production', '\\x04', 50, 99),
        ('', 'sandbox', '\\x05', 100, NULL), ('other', 'production', '\\x05', 100, NULL))
        AS one (app, environment, token, registered, dead)
      """)
    let deaths = (1...5).map { Dated(token: [$0], time: 100) }
    var expected = ReplayCounts()
    (expected.kept, expected.invalidated, expected.unchanged, expected.updated) = (1, 1, 1, 1)
    if knownOnly { expected.unknown = 1 } else { expected.inserted = 1 }

    #expect(try store.replay(deaths, knownOnly: knownOnly, dryRun: true) == expected)
    #expect(try store.replay(deaths, knownOnly: knownOnly) == expected)
    #expect(
      try database.rows()
        == ["01 100 -", "02 99 100", "03 - 100", "04 50 100"] + (knownOnly ? [] : ["05 - 100"])
        + ["05 100 -", "05 100 -"])
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

  @Test func dryRunChangesNothing() throws {
    let deaths = [Dated(token: [1], time: 6), Dated(token: [2], time: 6)]
    #expect(try store.replay(deaths, dryRun: true).inserted == 2)
    #expect(try store.replay(deaths, knownOnly: true, dryRun: true).unknown == 2)
    #expect(try database.session.run("SELECT to_regclass('device_tokens')") == [[nil]])
    try store.replay([Dated(token: [1], time: 5)])
    let preview = try store.replay(deaths, dryRun: true)
    #expect(try database.rows() == ["01 - 5"])
    #expect(try store.replay(deaths) == preview)
  }

  @Test func aSourceThatFailsChangesNothing() throws {
    func fail(_ visit: (RawSpan, StoreTime) throws -> Void) throws {
      try visit([UInt8(1)].span.bytes, StoreTime(9))
      try visit([UInt8(2)].span.bytes, StoreTime(9))
      throw SourceError()
    }
    #expect(throws: SourceError()) { _ = try store.register(fail, for: AppEnvironment()) }
    #expect(try database.session.run("SELECT to_regclass('device_tokens')") == [[nil]])
    try store.register([Dated(token: [1], time: 5)])
    #expect(throws: SourceError()) {
      _ = try store.replay(fail, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
    }
    #expect(try database.rows() == ["01 5 -"])
  }

  @Test func registrationCounts() throws {
    try store.replay([Dated(token: [1], time: 10), Dated(token: [2], time: 10)])
    let counts = try store.register([
      Dated(token: [1], time: 10), Dated(token: [2], time: 9), Dated(token: [3], time: 1),
      Dated(token: [3], time: 1), Dated(token: [3], time: 2),
    ])
    #expect((counts.revived, counts.raised, counts.added, counts.unchanged) == (1, 2, 1, 1))
    #expect(try database.rows() == ["01 10 -", "02 9 10", "03 2 -"])
  }

  /// An index entry of the server has up to 2704 bytes.
  @Test func tokensOfAnyLength() throws {
    let tokens: [[UInt8]] = [[], [0], [0, 0], [0, 1], Array(repeating: 0xff, count: 2000)]
    #expect(try store.replay(tokens.map { Dated(token: $0, time: 3) }).inserted == tokens.count)
    #expect(try store.rows().map(\.token) == tokens)
    #expect(try store.rows(of: tokens, in: .any).map(\.token) == tokens)
    var generator = SystemRandomNumberGenerator()
    let long = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let error = #expect(throws: NamedStoreError.self) { try store.replay([Dated(token: long, time: 3)]) }
    guard case .refused = error?.reason else { throw SourceError() }
    #expect(try store.replay([Dated(token: long, time: 3)], knownOnly: true).unknown == 1)
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
    try store.replay([Dated(token: [1], time: 200)], as: JournalTests.entry())
    #expect(try database.rows() == ["01 101 200"])
    #expect(try store.undo(1, entry: JournalTests.entry()).restored == 1)
    #expect(try database.session.run(times) == before)
  }

  /// More changes and inputs than are sent or fetched at once; names that must not be taken for SQL.
  @Test func aLargeEntry() throws {
    let deaths = (0..<9000).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 3) }
    var entry = JournalTests.entry()
    entry.inputs = (0..<2500).map {
      ReplayedInput(source: "it's \($0) $1\\", sha256: "\($0)", bytes: $0)
    }
    #expect(try store.replay(deaths, as: entry).counts.inserted == 9000)
    #expect(try store.history().map(\.entry) == [entry])
    var tokens: [[UInt8]] = []
    try store.changes(of: 1) { tokens.append($0.token) }
    #expect(tokens == deaths.map(\.token))
    #expect(
      try store.replays(ofInputs: ["0", "2499", "2500"], for: AppEnvironment()) == ["0": 1, "2499": 1])
    #expect(try store.undo(1, entry: entry).restored == 9000)
    #expect(try store.rows().isEmpty)
  }

  @Test func listAndLookUp() throws {
    let owners = [
      AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "B"),
      AppEnvironment(app: "a'b", environment: .sandbox), AppEnvironment(app: "é"),
    ]
    for owner in owners.shuffled() {
      try store.replay([Dated(token: [2], time: 9)], for: owner)
      try store.register([Dated(token: [1, 0], time: 8), Dated(token: [1], time: 7)], for: owner)
    }
    #expect(try store.owners() == owners)
    #expect(try store.rows().map(\.owner) == owners.flatMap { [$0, $0, $0] })
    #expect(try store.rows(.live).map(\.token) == owners.flatMap { _ in [[1], [1, 0]] })
    #expect(
      try store.rows(.dead, in: AppEnvironmentFilter(environment: .sandbox)).map(\.owner) == [
        owners[1], owners[3],
      ])
    #expect(try store.rows(of: [[2], [9]], in: .any).map(\.owner) == owners)
    #expect(try store.rows(in: AppEnvironmentFilter(app: "a\0b")).isEmpty)
    #expect(throws: NamedStoreError.self) { try store.register([], for: AppEnvironment(app: "a\0b")) }
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
    let answer = try store.replay(some.shuffled(), as: JournalTests.entry())
    #expect((answer.counts.invalidated, answer.counts.inserted) == (96, 4))
    var changed: [[UInt8]] = []
    try store.changes(of: 1) { changed.append($0.token) }
    #expect(Set(changed) == Set(some.map(\.token)) && changed.count == 100)
    #expect(try store.replay(some).unchanged == 100)
    #expect(try store.undo(1, entry: JournalTests.entry()).restored == 100)
    let rows = try store.rows(.live)
    #expect(rows.map(\.token) == tokens)
    #expect(try store.rows().count == 2000)
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
    let role = "secured_\(database.name)"
    try database.session.run(
      "CREATE ROLE \(role) LOGIN; GRANT CREATE ON SCHEMA public TO \(role); "
        + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
    defer { _ = try? database.session.run("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let limited = try database.store(user: role)
    let deaths = (1...3).map { Dated(token: [$0], time: 9) }
    let counts = try limited.replay(deaths, as: JournalTests.entry()).counts
    #expect((counts.invalidated, counts.inserted) == (1, 2))
    #expect(try database.rows() == ["01 1 9", "02 - 9", "03 - 9"])
    #expect(try limited.undo(1, entry: JournalTests.entry()).restored == 3)
    #expect(try database.rows() == ["01 1 -"])
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
}
