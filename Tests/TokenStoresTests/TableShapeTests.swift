import Basics
import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TokenStores
import Wording

/// Which tables of others serve as `device_tokens`, and what is left alone in their databases.
@Suite struct TableShapeTests {
  let directory: TemporaryFiles
  let path: String

  init() throws {
    directory = try TemporaryFiles()
    path = directory.file()
  }

  static let key = "PRIMARY KEY (app, environment, token)"
  static let times = "registered_at INTEGER, invalidated_at INTEGER"
  static let names = "app TEXT, environment TEXT, token BLOB"

  @Test(arguments: [
    "CREATE TABLE device_tokens (\(names), \(times), \(key)) WITHOUT ROWID",
    "CREATE TABLE device_tokens (\(names), \(times), \(key))",
    "CREATE TABLE Device_Tokens (\(times), Token BLOB, APP varchar(9), Environment CHAR, PRIMARY KEY (token, app, environment))",
    "CREATE TABLE device_tokens (app TEXT, environment TEXT, token, registered_at BIGINT, invalidated_at INT, \(key))",
    "CREATE TABLE device_tokens (\(names), \(times), device TEXT, n INTEGER NOT NULL DEFAULT 1, \(key))",
    "CREATE TABLE device_tokens (\(names), \(times), hex TEXT NOT NULL AS (hex(token)), \(key))",
  ])
  func serves(_ sql: String) throws {
    try sqlite(path, sql)
    let store = TokenStore(SQLiteDatabase(path: path))
    #expect(try store.replay([Dated(token: [2], time: 2), Dated(token: [1], time: 1)]).inserted == 2)
    #expect(try store.register([Dated(token: [2], time: 2)]).revived == 1)
    #expect(try store.rows().map(\.token) == [[1], [2]])
    #expect(try store.rows(of: [[2]], in: .any).map(\.state) == [TokenState(registeredAt: 2)])
    #expect(try store.owners() == [AppEnvironment()])
    #expect(try integer(path, "PRAGMA application_id") == 0)
    #expect(try integer(path, "PRAGMA user_version") == 0)
  }

  static let unsuitable: [(sql: String, subject: Message, expected: Message, found: Message)] = [
    ("CREATE VIEW device_tokens AS SELECT 1", .tableName, .aTable, .relation("view")),
    (
      "CREATE TABLE device_tokens (token BLOB PRIMARY KEY)", .column("app"), "a column of that name",
      .onlyColumns(["token"])
    ),
    (
      "CREATE TABLE device_tokens (app TEXT, environment TEXT, token TEXT, \(times), \(key))",
      .column("token"),
      .columnType("BLOB"), .columnType("TEXT")
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at TIMESTAMP, invalidated_at INTEGER, \(key))",
      .column("registered_at"), .columnType("INTEGER"), .columnType("NUMERIC")
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at INTEGER NOT NULL, invalidated_at INTEGER, \(key))",
      .column("registered_at"), .nullableColumn, .notNull
    ),
    (
      "CREATE TABLE device_tokens (\(names), registered_at INTEGER, invalidated_at INTEGER AS (1), \(key))",
      .column("invalidated_at"), .ordinaryColumn, .generatedColumn
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times), device TEXT NOT NULL, \(key))",
      .column("device"), .nullableColumn, .notNull
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times), PRIMARY KEY (app, token))", .primaryKey,
      .columnNames(["app", "environment", "token"]), .columnNames(["app", "token"])
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times), u TEXT, PRIMARY KEY (app, environment, token, u))",
      .primaryKey, .columnNames(["app", "environment", "token"]),
      .columnNames(["app", "environment", "token", "u"])
    ),
    (
      "CREATE TABLE device_tokens (id INTEGER PRIMARY KEY, \(names), \(times), UNIQUE (app, environment, token))",
      .primaryKey, .columnNames(["app", "environment", "token"]), .columnNames(["id"])
    ),
    (
      "CREATE TABLE device_tokens (\(names), \(times))", .primaryKey,
      .columnNames(["app", "environment", "token"]), .nothingFound
    ),
    (
      "CREATE TABLE device_tokens (app TEXT COLLATE NOCASE, environment TEXT, token BLOB, \(times), \(key))",
      .column("app"), .collation("BINARY"), .collation("NOCASE")
    ),
  ]

  @Test(arguments: unsuitable)
  func doesNotServe(_ sql: String, _ subject: Message, _ expected: Message, _ found: Message) throws {
    try sqlite(path, sql)
    let before = try bytes(of: path)
    let error = StoreError.misfit("device_tokens", subject, expected: expected, found: found)
    for creates in [false, true] {
      let store = TokenStore(SQLiteDatabase(path: path), creates: creates)
      let error = NamedStoreError(store: store.name, reason: error)
      #expect(throws: error) { try store.replay([Dated(token: [1], time: 1)]) }
      #expect(throws: error) { try store.rows() }
    }
    #expect(try bytes(of: path) == before)
  }

  @Test func aNewFileIsMarkedAsOurs() throws {
    try TokenStore(SQLiteDatabase(path: path), creates: true).replay([])
    #expect(try integer(path, "PRAGMA application_id") == 0x4150_4e73)
    #expect(try integer(path, "PRAGMA user_version") == 1)
    #expect(try directory.names == ["tokens.sqlite"])
  }

  /// docs/stores.md shows the table as it is made, and its statements run.
  @Test func theDocumentationIsUpToDate() throws {
    try TokenStore(SQLiteDatabase(path: path), creates: true).replay([])
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let text = try String(contentsOf: root.appendingPathComponent("docs/stores.md"), encoding: .utf8)
    let blocks = text.components(separatedBy: "```sql\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0]
    }
    #expect(
      try integer(path, "SELECT sql = '\(blocks[0].replacing("'", with: "''"))' FROM sqlite_master") == 1)
    for block in blocks.dropFirst() { try sqlite(path, block) }
    #expect(text.contains("\(0x4150_4e73)"))
  }

  @Test func aForeignDatabaseGetsTheTableAlone() throws {
    try sqlite(path, "PRAGMA journal_mode = WAL; PRAGMA user_version = 7; CREATE TABLE users (name TEXT)")
    #expect(throws: NamedStoreError(store: "sqlite:\(path)", reason: .noTable)) {
      try TokenStore(SQLiteDatabase(path: path)).replay([])
    }
    #expect(try TokenStore(SQLiteDatabase(path: path), creates: true).owners() == [])
    #expect(
      try TokenStore(SQLiteDatabase(path: path), creates: true).replay([Dated(token: [1], time: 1)]).inserted
        == 1)
    #expect(try integer(path, "PRAGMA application_id") == 0)
    #expect(try integer(path, "PRAGMA user_version") == 7)
    #expect(try integer(path, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1)
    #expect(try integer(path, "SELECT count(*) FROM users") == 0)
  }

  static let unreadableRows: [(values: String, found: Message)] = [
    ("'', 'production', '0a0b', NULL, 1", "token is '0a0b', expected a blob of the token's bytes"),
    (
      "'', 'development', x'01', NULL, 1",
      "environment is 'development', expected production or sandbox"
    ),
    ("x'ff', 'production', x'01', NULL, 1", "app is x'ff', expected text in UTF-8"),
    (
      "CAST(x'ff' AS TEXT), 'production', x'01', NULL, 1",
      "app is CAST(x'ff' AS TEXT), expected text in UTF-8"
    ),
    (
      "'', 'production', x'01', '2013-05-01', NULL",
      .timeNotInForm(.unixSeconds, "registered_at", "'2013-05-01'")
    ),
    (
      "'', 'production', x'01', NULL, x'31'",
      .timeNotInForm(.unixSeconds, "invalidated_at", "x'31'")
    ),
  ]

  @Test(arguments: unreadableRows) func aRowOfOthersIsReportedBehindTheRest(
    _ values: String, _ found: Message
  )
    throws
  {
    try sqlite(path, "CREATE TABLE device_tokens (\(Self.names), \(Self.times), \(Self.key))")
    let store = TokenStore(SQLiteDatabase(path: path))
    try store.replay([Dated(token: [0], time: 1), Dated(token: [2], time: 1)])
    try sqlite(path, "INSERT INTO device_tokens VALUES (\(values))")

    var visited = 0
    let token = values.contains("'0a0b'") ? "'0a0b'" : "x'01'"
    let row = Message.inRow(.rowKey("token", token), of: "device_tokens", found)
    let error = NamedStoreError(store: store.name, reason: .unreadableRows(1, first: row))
    #expect(throws: error) { try store.list(.all, in: .any) { _, _, _ in visited += 1 } }
    #expect(visited == 2)
  }

  /// SQLite orders this name after its repaired form in Swift: a search for the next one would find it again.
  @Test func anAppThatIsNoUTF8EndsTheSearchForOwners() throws {
    let store = TokenStore(SQLiteDatabase(path: path), creates: true)
    try store.replay([Dated(token: [1], time: 1)])
    try sqlite(
      path, "INSERT INTO device_tokens VALUES (CAST(x'ff' AS TEXT), 'production', x'01', NULL, 1)")
    #expect(throws: NamedStoreError.self) { try store.owners() }
    #expect(throws: NamedStoreError.self) { try store.rows(of: [[1]], in: .any) }
  }

  @Test func aDatabaseInUTF16IsRead() throws {
    try sqlite(path, "PRAGMA encoding = 'UTF-16'; CREATE TABLE users (name TEXT)")
    let store = TokenStore(SQLiteDatabase(path: path), creates: true)
    let owner = AppEnvironment(app: "é", environment: .sandbox)
    try store.replay([Dated(token: [1], time: 1)], for: owner)
    #expect(try store.owners() == [owner])
    #expect(try store.rows(of: [[1]], in: .any).map(\.owner) == [owner])
  }

  @Test func aReplayThatMeetsARowOfOthersChangesNothing() throws {
    try sqlite(
      path,
      """
      CREATE TABLE device_tokens (\(Self.names), \(Self.times), \(Self.key));
      INSERT INTO device_tokens VALUES ('', 'production', x'02', 'yesterday', NULL)
      """)
    let store = TokenStore(SQLiteDatabase(path: path))
    #expect(throws: NamedStoreError.self) {
      try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 1)])
    }
    #expect(try integer(path, "SELECT count(*) FROM device_tokens") == 1)
  }

  /// A constraint or trigger of the user's own must refuse a row aloud, and the whole replay with it.
  @Test(arguments: [
    "CREATE UNIQUE INDEX one ON device_tokens (token)",
    "CREATE TRIGGER t BEFORE INSERT ON device_tokens WHEN new.token = x'02' BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER t BEFORE INSERT ON device_tokens WHEN new.token = x'02' BEGIN SELECT RAISE(ABORT, 'no'); END",
  ])
  func aConstraintOfTheUsers(_ sql: String) throws {
    let store = TokenStore(SQLiteDatabase(path: path), creates: true)
    try store.replay([Dated(token: [2], time: 1)], for: AppEnvironment(app: "other"))
    try sqlite(path, sql)
    let error = #expect(throws: NamedStoreError.self) {
      try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 1)])
    }
    if case .refused = error?.reason {} else { Issue.record("\(String(describing: error))") }
    #expect(try store.rows().count == 1)
  }
}
