import StoreTestSupport
import Testing
import TokenStores

/// Replays and registrations in real tables; what they must do is ReplayRuleTests' business. The rows are written and
/// read by another program.
@Suite("Replays and registrations in each store") struct ReplayTests {
  /// The rows as the database's own text, in the order of their keys: token, then both times.
  private func rows(_ fixture: StoreFixture) throws -> [String] {
    if let database = fixture.database { return try database.rows() }
    return try fixture.texts(
      "SELECT lower(hex(token)), coalesce(registered_at, '-'), coalesce(invalidated_at, '-') FROM device_tokens "
        + "ORDER BY app, environment, token"
    ).map { $0.map { $0 ?? "" }.joined(separator: " ") }
  }

  @Test("a dry run makes no table, changes no row, and counts the same", arguments: StoreKind.allCases)
  func dryRun(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let deaths = [Dated(token: [1], time: 6), Dated(token: [2], time: 6)]
    #expect(try store.replay(deaths, dryRun: true).inserted == 2)
    #expect(try store.replay(deaths, knownOnly: true, dryRun: true).unknown == 2)
    #expect(try fixture.ownStore(creates: false).isMissing)
    try store.replay([Dated(token: [1], time: 5)])
    let preview = try store.replay(deaths, dryRun: true)
    #expect(try rows(fixture) == ["01 - 5"])
    #expect(try store.replay(deaths) == preview)
  }

  @Test("a source that throws changes nothing", arguments: StoreKind.allCases)
  func source(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    func fail(_ visit: (RawSpan, StoreTime) throws -> Void) throws {
      for token in [1, 2] as [UInt8] { try visit([token].span.bytes, StoreTime(9)) }
      throw SourceError()
    }
    #expect(throws: SourceError()) { _ = try store.register(fail, for: AppEnvironment()) }
    // MariaDB makes tables outside of transactions.
    #expect(try fixture.ownStore(creates: false).isMissing == (kind != .mySQL))
    try store.register([Dated(token: [1], time: 5)])
    #expect(throws: SourceError()) {
      _ = try store.replay(fail, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
    }
    #expect(try rows(fixture) == ["01 5 -"])
  }

  /// A token on the wire has up to 65,535 bytes; an index entry of PostgreSQL up to 2704, a key of MariaDB up to 2048.
  @Test("tokens of any length are keys", arguments: StoreKind.allCases)
  func lengths(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let longest = [UInt8](repeating: 0xff, count: kind == .sqlite ? 65_535 : 2000)
    let tokens: [[UInt8]] = [[], [0], [0, 0], [0, 1], longest]
    let deaths = tokens.map { Dated(token: $0, time: 3) }
    #expect(try store.replay(deaths).inserted == tokens.count)
    #expect(try store.rows().map(\.token) == tokens)
    #expect(try store.rows(of: tokens, in: .any).map(\.token) == tokens)
    #expect(try store.replay(deaths).unchanged == tokens.count)
  }

  @Test("rows are listed and looked up by owner, state and token", arguments: StoreKind.allCases)
  func listAndLookUp(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let zero = AppEnvironment(app: "b\0c")
    let owners =
      [
        AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "B"),
        AppEnvironment(app: "a'b", environment: .sandbox),
      ] + (kind == .sqlite ? [zero] : []) + [AppEnvironment(app: "é")]
    for owner in owners.shuffled() {
      try store.replay([Dated(token: [2], time: 9)], for: owner)
      try store.register([Dated(token: [1, 0], time: 8), Dated(token: [1], time: 7)], for: owner)
    }
    #expect(try store.owners() == owners)
    #expect(try store.rows().map(\.owner) == owners.flatMap { [$0, $0, $0] })
    #expect(try store.rows(.live).map(\.token) == owners.flatMap { _ in [[1], [1, 0]] })
    let dead = try store.rows(.dead, in: AppEnvironmentFilter(environment: .sandbox))
    #expect(dead.map(\.owner) == [owners[1], owners[3]])
    #expect(try store.rows(of: [[2], [9]], in: .any).map(\.owner) == owners)
    let found = try store.rows(of: [[1], [2]], in: AppEnvironmentFilter(app: "B"))
    #expect(found.map(\.state) == [TokenState(registeredAt: 7), TokenState(invalidatedAt: 9)])
    #expect(try store.rows(in: AppEnvironmentFilter(app: zero.app)).count == (kind == .sqlite ? 3 : 0))
    if kind == .postgreSQL { #expect(throws: NamedStoreError.self) { try store.register([], for: zero) } }
  }

  /// Another program's constraint must refuse a row aloud, and the whole replay with it.
  static let constraints: [(kind: StoreKind, sql: [String])] = {
    let function = "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
    let fails = function + "'BEGIN RAISE EXCEPTION ''no''; END'"
    let insertion = "CREATE TRIGGER t BEFORE INSERT ON device_tokens "
    let each = "FOR EACH ROW WHEN (NEW.token = '\\x02') EXECUTE FUNCTION f()"
    return StoreKind.allCases.map { ($0, ["CREATE UNIQUE INDEX one ON device_tokens (token)"]) } + [
      (.sqlite, [insertion + "WHEN new.token = x'02' BEGIN SELECT RAISE(IGNORE); END"]),
      (.sqlite, [insertion + "WHEN new.token = x'02' BEGIN SELECT RAISE(ABORT, 'no'); END"]),
      (.postgreSQL, ["ALTER TABLE device_tokens ADD CHECK (token <> '\\x02' OR app = 'other')"]),
      (.postgreSQL, [fails, insertion + each]),
      (.postgreSQL, [function + "'BEGIN RETURN NULL; END'", insertion + each]),
      (
        .postgreSQL,
        [
          fails,
          "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON device_tokens DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            + "EXECUTE FUNCTION f()",
        ]
      ),
    ]
  }()

  @Test("what a constraint of others refuses ends the replay, and nothing is changed", arguments: constraints)
  func constraint(_ kind: StoreKind, _ sql: [String]) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.replay([Dated(token: [2], time: 1)], for: AppEnvironment(app: "other"))
    for statement in sql { try fixture.run(statement) }
    let found = try error { try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 1)]) }
    guard case .refused = found else { throw SourceError() }
    #expect(try rows(fixture) == ["02 - 1"])
  }
}

extension TokenStore {
  /// Whether there is no table.
  fileprivate var isMissing: Bool {
    get throws { try [.noTable, .notFound].contains(error { try check(for: .reading) }) }
  }
}
