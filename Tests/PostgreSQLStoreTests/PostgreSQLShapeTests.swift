import Basics
import Foundation
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// Which tables of others serve as `device_tokens`.
@Suite struct PostgreSQLShapeTests {
  static let key = "PRIMARY KEY (app, environment, token)"
  static let times = "registered_at timestamptz, invalidated_at timestamptz"
  static let names = "app text, environment text, token bytea"

  @Test(arguments: [
    "CREATE TABLE device_tokens (\(names), \(times), \(key))",
    "CREATE TABLE device_tokens (\(times), token bytea, app varchar(9), environment varchar, PRIMARY KEY (token, environment, app))",
    "CREATE TABLE device_tokens (\(names), \(times), device text, n integer NOT NULL DEFAULT 1, id bigint GENERATED ALWAYS AS IDENTITY, \(key))",
    "CREATE TABLE device_tokens (\(names), \(times), hex text NOT NULL GENERATED ALWAYS AS (encode(token, 'hex')) STORED, \(key))",
    "CREATE TABLE device_tokens (\(names), registered_at timestamptz(0), invalidated_at timestamptz(3), \(key))",
    "CREATE TABLE device_tokens (\(names), \(times), x text, PRIMARY KEY (app, environment, token) INCLUDE (x))",
    "CREATE TABLE device_tokens (\(names), \(times), \(key)) PARTITION BY HASH (token); "
      + "CREATE TABLE p0 PARTITION OF device_tokens FOR VALUES WITH (MODULUS 2, REMAINDER 0); "
      + "CREATE TABLE p1 PARTITION OF device_tokens FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    "CREATE SCHEMA \"o'd D\"; CREATE TABLE \"o'd D\".device_tokens (\(names), \(times), \(key)); "
      + "ALTER ROLE postgres IN DATABASE :database SET search_path = \"o'd D\"",
  ])
  func serves(_ sql: String) throws {
    let database = try TestDatabase()
    try database.session.run(sql.replacing(":database", with: database.name))
    let store = try database.store(creates: false)
    try store.check(for: .writing)
    #expect(try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 2)]).inserted == 2)
    #expect(try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 3)]).updated == 1)
    #expect(try store.register([Dated(token: [2], time: 3)]).revived == 1)
    #expect(try store.rows().map(\.token) == [[1], [2]])
    #expect(try store.rows(of: [[2]], in: .any).map(\.state) == [TokenState(registeredAt: 3)])
    #expect(try store.owners() == [AppEnvironment()])
  }

  static let unsuitable: [(sql: String, subject: Message, expected: Message, found: Message)] = [
    ("CREATE VIEW device_tokens AS SELECT 1", .tableName, .aTable, .relation("view")),
    (
      "CREATE TABLE device_tokens (token bytea PRIMARY KEY)", .column("app"), "a column of that name",
      .onlyColumns(["token"])
    ),
    (
      "CREATE TABLE device_tokens (app text, environment text, token text, \(times), \(key))",
      .column("token"),
      .columnType("bytea"), .columnType("text")
    ),
    (
      "CREATE TABLE device_tokens (app character(9), environment text, token bytea, \(times), \(key))",
      .column("app"), .columnType("text, or character varying"), .columnType("character(9)")
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at timestamp, invalidated_at timestamptz, \(key))",
      .column("registered_at"), .columnType("timestamp with time zone"),
      .columnType("timestamp without time zone")
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at timestamptz NOT NULL, invalidated_at timestamptz, \(key))",
      .column("registered_at"), .nullableColumn, .notNull
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at timestamptz, "
        + "invalidated_at timestamptz GENERATED ALWAYS AS (registered_at) STORED, \(key))",
      .column("invalidated_at"), .ordinaryColumn, .generatedColumn
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times), device text NOT NULL, \(key))",
      .column("device"), .nullableColumn, .notNull
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times), PRIMARY KEY (app, token))", .primaryKey,
      .columnNames(["app", "environment", "token"]), .columnNames(["app", "token"])
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times))", .primaryKey,
      .columnNames(["app", "environment", "token"]), .nothingFound
    ),
    (
      "CREATE TABLE device_tokens (id bigint PRIMARY KEY, \(names), \(times), UNIQUE (app, environment, token))",
      .primaryKey, .columnNames(["app", "environment", "token"]), .columnNames(["id"])
    ),
    (
      "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
        + "CREATE TABLE device_tokens (app text COLLATE folded, environment text, token bytea, \(times), \(key))",
      .column("app"), "a deterministic collation", "one that is not"
    ),
  ]

  @Test(arguments: unsuitable)
  func doesNotServe(_ sql: String, _ subject: Message, _ expected: Message, _ found: Message) throws {
    let database = try TestDatabase()
    try database.session.run(sql)
    let error = StoreError.misfit("device_tokens", subject, expected: expected, found: found)
    for creates in [false, true] {
      let store = try database.store(creates: creates)
      let error = NamedStoreError(store: store.name, reason: error)
      #expect(throws: error) { try store.check(for: .reading) }
      #expect(throws: error) { try store.rows() }
      #expect(throws: error) {
        // Before anything is read.
        _ = try store.replay(
          { _ in throw SourceError() }, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
      }
    }
  }

  @Test func infinityIsReportedBehindTheRest() throws {
    let database = try TestDatabase()
    let store = try database.store()
    try store.replay([Dated(token: [0], time: 1), Dated(token: [2], time: 1)])
    try database.session.run(
      "INSERT INTO device_tokens VALUES ('', 'production', '\\x01', NULL, 'infinity')")
    let found = Message.inRow(
      .rowKey("token", "x'01'"), of: "device_tokens",
      .timeNotInForm("a time as timestamptz", "invalidated_at", "infinity"))
    let error = NamedStoreError(store: store.name, reason: .unreadableRows(1, first: found))
    var visited = 0
    #expect(throws: error) { try store.list(.all, in: .any) { _, _, _ in visited += 1 } }
    #expect(visited == 2)
    let met = [Dated(token: [1], time: 3), Dated(token: [2], time: 3)]
    #expect(throws: error) { try store.replay(met) }
    #expect(throws: error) { try store.replay(met, dryRun: true) }
    #expect(throws: error) { try store.register(met) }
    #expect(throws: error) { try store.rows(of: [[1]], in: .any) }
    #expect(
      try database.session.run("SELECT count(*) FROM device_tokens WHERE invalidated_at = to_timestamp(1)")
        == [["2"]])
    #expect(
      try store.replay([Dated(token: [2], time: 3)]).updated == 1, "rows that are not met do not matter")
  }

  @Test func anotherEnvironmentIsReported() throws {
    let database = try TestDatabase()
    try database.session.run(
      "CREATE TABLE device_tokens (\(Self.names), \(Self.times), \(Self.key)); "
        + "INSERT INTO device_tokens VALUES ('', 'development', '\\x01', NULL, NULL)")
    let store = try database.store()
    let found = Message("environment is 'development', expected production or sandbox")
    func error(_ row: Message?) -> NamedStoreError {
      NamedStoreError(
        store: store.name, reason: .unreadableRows(1, first: .inRow(row, of: "device_tokens", found)))
    }
    #expect(throws: error(.rowKey("token", "x'01'"))) { try store.rows() }
    #expect(throws: error(nil)) { try store.owners() }
    #expect(try store.replay([Dated(token: [1], time: 1)]).inserted == 1)
  }

  /// A listing is in the order of bytes whatever the database sorts texts by.
  @Test func anotherOrderOfTexts() throws {
    let database = try TestDatabase("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
    try database.session.run("CREATE TABLE device_tokens (\(Self.names), \(Self.times), \(Self.key))")
    let store = try database.store()
    let owners = ["", "A", "B", "a", "b", "é"].map { AppEnvironment(app: $0) }
    for owner in owners.shuffled() { try store.replay([Dated(token: [1], time: 1)], for: owner) }
    #expect(try store.owners() == owners)
    #expect(try store.rows().map(\.owner) == owners)
    #expect(try store.rows(of: [[1]], in: .any).map(\.owner) == owners)
  }

  /// docs/stores.md shows the table as it is made.
  @Test func theDocumentationIsUpToDate() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let text = try String(contentsOf: root.appendingPathComponent("docs/stores.md"), encoding: .utf8)
    let block = text.components(separatedBy: "```\nCREATE TABLE").dropFirst().first?.components(
      separatedBy: "```")
    let (made, documented) = (try TestDatabase(), try TestDatabase())
    try made.store().register([])
    try documented.session.run("CREATE TABLE" + (block?.first ?? ""))
    for query in [
      "SELECT column_name, data_type, is_nullable, collation_name, column_default FROM information_schema.columns "
        + "WHERE table_name = 'device_tokens' ORDER BY ordinal_position",
      "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'device_tokens'::regclass ORDER BY 1",
    ] {
      #expect(try made.session.run(query) == documented.session.run(query))
    }
  }
}
