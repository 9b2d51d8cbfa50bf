import Basics
import Foundation
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// Which tables of others serve as `device_tokens`, and which rows of them cannot be read.
@Suite("Tables with the name device_tokens") struct OwnTableTests {
  private static let owners = ["app", "environment", "token"]
  private static let key = "PRIMARY KEY (app, environment, token)"

  /// The definitions of columns that fit.
  private static func columns(_ kind: StoreKind) -> [String: String] {
    let (text, token, time) =
      switch kind {
      case .sqlite: ("TEXT", "BLOB", "INTEGER")
      case .postgreSQL: ("text", "bytea", "timestamptz")
      case .mySQL: ("varchar(99) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "varbinary(99)", "bigint")
      }
    return [
      "app": text, "environment": text, "token": token, "registered_at": time, "invalidated_at": time,
    ]
  }

  /// A table that fits but for some columns and its key.
  private static func table(
    _ kind: StoreKind, _ other: [String: String] = [:], key: String = key, name: String = "device_tokens"
  ) -> String {
    let order = owners + ["registered_at", "invalidated_at"]
    let columns = columns(kind).merging(other) { $1 }
    let list = columns.sorted { left, right in
      (order.firstIndex(of: left.key) ?? 9, left.key) < (order.firstIndex(of: right.key) ?? 9, right.key)
    }
    let parts = list.map { "\($0) \($1)" } + (key.isEmpty ? [] : [key])
    return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
  }

  // MARK: - Tables that serve

  private static let serving: [StoreKind: [String]] = [
    .sqlite: [
      table(.sqlite) + " WITHOUT ROWID",
      "CREATE TABLE Device_Tokens (registered_at INTEGER, invalidated_at INTEGER, Token BLOB, APP varchar(9), "
        + "Environment CHAR, PRIMARY KEY (token, app, environment))",
      table(.sqlite, ["token": "", "registered_at": "BIGINT", "invalidated_at": "INT"]),
      table(.sqlite, ["hex": "TEXT NOT NULL AS (hex(token))"]),
    ],
    .postgreSQL: [
      "CREATE TABLE device_tokens (registered_at timestamptz, invalidated_at timestamptz, token bytea, "
        + "app varchar(9), environment varchar, PRIMARY KEY (token, environment, app))",
      table(.postgreSQL, ["device": "text", "id": "bigint GENERATED ALWAYS AS IDENTITY"]),
      table(.postgreSQL, ["hex": "text NOT NULL GENERATED ALWAYS AS (encode(token, 'hex')) STORED"]),
      table(.postgreSQL, ["registered_at": "timestamptz(0)", "invalidated_at": "timestamptz(3)"]),
      table(.postgreSQL, ["x": "text"], key: key + " INCLUDE (x)"),
      table(.postgreSQL) + " PARTITION BY HASH (token); "
        + "CREATE TABLE p0 PARTITION OF device_tokens FOR VALUES WITH (MODULUS 2, REMAINDER 0); "
        + "CREATE TABLE p1 PARTITION OF device_tokens FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
      "CREATE SCHEMA \"o'd D\"; " + table(.postgreSQL, name: "\"o'd D\".device_tokens")
        + "; ALTER ROLE postgres IN DATABASE :database SET search_path = \"o'd D\"",
    ],
  ]

  @Test("serve in other shapes", arguments: StoreKind.allCases)
  func serves(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for sql in [Self.table(kind), Self.table(kind, ["n": "int NOT NULL DEFAULT 1"])]
      + (Self.serving[kind] ?? [])
    {
      try fixture.begin(sql.replacing(":database", with: fixture.database?.name ?? ""))
      let store = try fixture.ownStore(creates: false)
      try store.check(for: .writing)
      #expect(
        try store.replay([Dated(token: [2], time: 2), Dated(token: [1], time: 1)]).inserted == 2, "\(sql)")
      #expect(
        try store.replay([Dated(token: [1], time: 1), Dated(token: [2], time: 3)]).updated == 1, "\(sql)")
      #expect(try store.register([Dated(token: [2], time: 3)]).revived == 1, "\(sql)")
      #expect(try store.rows().map(\.token) == [[1], [2]], "\(sql)")
      #expect(try store.rows(of: [[2]], in: .any).map(\.state) == [TokenState(registeredAt: 3)], "\(sql)")
      #expect(try store.owners() == [AppEnvironment()], "\(sql)")
    }
  }

  // MARK: - Tables that do not

  /// A definition, what of it does not fit, and what it is instead.
  typealias Misfit = (sql: String, subject: Message, found: Message)

  private static func column(_ kind: StoreKind, _ name: String, _ definition: String, _ found: Message)
    -> Misfit
  {
    (table(kind, [name: definition]), .column(name), found)
  }

  /// In all databases.
  private static func misfits(_ kind: StoreKind) -> [Misfit] {
    let columns = columns(kind)
    let generated = "\(columns["invalidated_at"] ?? "") GENERATED ALWAYS AS (registered_at) STORED"
    return [
      ("CREATE VIEW device_tokens AS SELECT 1", .tableName, .relation("view")),
      ("CREATE TABLE device_tokens (token int PRIMARY KEY)", .column("app"), .onlyColumns(["token"])),
      column(kind, "registered_at", "\(columns["registered_at"] ?? "") NOT NULL", .notNull),
      column(kind, "invalidated_at", generated, .generatedColumn),
      column(kind, "device", "int NOT NULL", .notNull),
      (table(kind, key: "PRIMARY KEY (app, token)"), .primaryKey, .columnNames(["app", "token"])),
      (
        table(kind, ["u": "int"], key: "PRIMARY KEY (app, environment, token, u)"), .primaryKey,
        .columnNames(owners + ["u"])
      ),
      (table(kind, key: ""), .primaryKey, .nothingFound),
      (table(kind, ["id": "int PRIMARY KEY"], key: "UNIQUE (app, environment, token)"), .primaryKey, "id"),
    ]
  }

  private static let special: [StoreKind: [Misfit]] = [
    .sqlite: [
      column(.sqlite, "token", "TEXT", .columnType("TEXT")),
      column(.sqlite, "registered_at", "TIMESTAMP", .columnType("NUMERIC")),
      column(.sqlite, "app", "TEXT COLLATE NOCASE", .collation("NOCASE")),
    ],
    .postgreSQL: [
      column(.postgreSQL, "token", "text", .columnType("text")),
      column(.postgreSQL, "app", "character(9)", .columnType("character(9)")),
      column(.postgreSQL, "registered_at", "timestamp", .columnType("timestamp without time zone")),
      (
        "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
          + table(.postgreSQL, ["app": "text COLLATE folded"]), .column("app"), "one that is not"
      ),
    ],
    .mySQL: [
      column(.mySQL, "token", "binary(32)", .columnType("binary(32)")),
      column(.mySQL, "token", "varchar(32)", .columnType("varchar(32)")),
      column(.mySQL, "app", "bigint", .columnType("bigint")),
      column(.mySQL, "registered_at", "int", .columnType("int")),
      column(.mySQL, "registered_at", "bigint NOT NULL DEFAULT 0", .notNull),
      column(
        .mySQL, "app", "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "utf8mb4_general_ci"),
      column(.mySQL, "app", "varchar(9) COLLATE utf8mb4_bin", "utf8mb4_bin"),
    ],
  ]

  @Test("are refused by what does not fit, before anything is read", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (sql, subject, found) in Self.misfits(kind) + (Self.special[kind] ?? []) {
      try fixture.begin(sql)
      let before = kind == .sqlite ? try Data(contentsOf: URL(fileURLWithPath: fixture.path)) : Data()
      for creates in [false, true] {
        let store = try fixture.ownStore(creates: creates)
        let uses: [() throws -> Void] = [
          { try store.check(for: .reading) }, { _ = try store.rows() },
          {
            _ = try store.replay(
              { _ in throw SourceError() }, for: AppEnvironment(), options: .unlimited(), entry: nil)
          },
        ]
        for use in uses {
          let unfit = try misfit(use)
          #expect(unfit?.subject == subject, "\(sql)")
          #expect(unfit?.found.text.contains(found.text) == true, "\(sql): \(String(describing: unfit))")
        }
      }
      if kind == .sqlite { #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before) }
    }
  }

  // MARK: - Rows of others

  /// The values of a row, its token in the message, and the finding.
  static let unreadable: [(kind: StoreKind, values: String, token: String, found: Message)] =
    StoreKind.allCases.map { kind in
      (
        kind, "'', 'development', \(kind.literal([1])), NULL, NULL", "x'01'",
        "environment is 'development', expected production or sandbox"
      )
    } + [
      (
        .postgreSQL, "'', 'production', '\\x01', NULL, 'infinity'", "x'01'",
        .timeNotInForm("a time as timestamptz", "invalidated_at", "infinity")
      ),
      (
        .sqlite, "'', 'production', '0a0b', NULL, 1", "'0a0b'",
        "token is '0a0b', expected a blob of the token's bytes"
      ),
      (.sqlite, "x'ff', 'production', x'01', NULL, 1", "x'01'", "app is x'ff', expected text in UTF-8"),
      (
        .sqlite, "CAST(x'ff' AS TEXT), 'production', x'01', NULL, 1", "x'01'",
        "app is CAST(x'ff' AS TEXT), expected text in UTF-8"
      ),
      (
        .sqlite, "'', 'production', x'01', '2013-05-01', NULL", "x'01'",
        .timeNotInForm("a time as seconds", "registered_at", "'2013-05-01'")
      ),
      (
        .sqlite, "'', 'production', x'01', NULL, x'31'", "x'01'",
        .timeNotInForm("a time as seconds", "invalidated_at", "x'31'")
      ),
    ]

  @Test("a row that cannot be read is reported after the others", arguments: unreadable.indices)
  func reported(_ index: Int) throws {
    let (kind, values, token, problem) = Self.unreadable[index]
    let fixture = try StoreFixture(kind, Self.table(kind))
    let store = try fixture.ownStore()
    try store.replay([Dated(token: [0], time: 1), Dated(token: [2], time: 1)])
    try fixture.run("INSERT INTO device_tokens VALUES (\(values))")
    let row = Message.inRow(.rowKey("token", token), of: "device_tokens", problem)
    let error = NamedStoreError(store: store.name, reason: .unreadableRows(1, first: row))
    var visited = 0
    #expect(throws: error) { try store.list(.all, in: .any) { _, _, _ in visited += 1 } }
    #expect(visited == 2)
    #expect(
      try store.replay([Dated(token: [2], time: 3)]).updated == 1, "rows that are not met do not matter")
    let isOwner = values.contains("development") || values.contains("ff")
    if isOwner { #expect(throws: NamedStoreError.self) { try store.owners() } }
    // Of this owner, it is met by its token.
    guard !isOwner, token == "x'01'" else { return }
    let met = [Dated(token: [1], time: 3), Dated(token: [2], time: 4)]
    #expect(throws: error) { try store.replay(met) }
    #expect(throws: error) { try store.replay(met, dryRun: true) }
    #expect(throws: error) { try store.register(met) }
    #expect(throws: error) { try store.rows(of: [[1]], in: .any) }
    #expect(try store.rows(of: [[2]], in: .any).map(\.state.invalidatedAt) == [3])
  }

  // MARK: - Documentation

  /// docs/stores.md shows the tables as they are made, and its other statements for SQLite run.
  @Test("the documentation shows the tables", arguments: StoreKind.allCases)
  func documentation(_ kind: StoreKind) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let text = try String(contentsOf: root.appendingPathComponent("docs/stores.md"), encoding: .utf8)
    func blocks(_ start: String) -> [String] {
      text.components(separatedBy: start).dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }
    let queries =
      switch kind {
      case .sqlite: ["SELECT sql FROM sqlite_master WHERE name = 'device_tokens'"]
      case .postgreSQL:
        [
          "SELECT column_name, data_type, is_nullable, collation_name, column_default FROM information_schema.columns "
            + "WHERE table_name = 'device_tokens' ORDER BY ordinal_position",
          "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'device_tokens'::regclass ORDER BY 1",
        ]
      case .mySQL: ["SHOW CREATE TABLE device_tokens"]
      }
    let fixture = try StoreFixture(kind)
    try fixture.emptyStore().register([])
    let made = try queries.map { try fixture.texts($0) }
    let tables = blocks("\nCREATE TABLE device_tokens").map { "CREATE TABLE device_tokens" + $0 }
    try #require(tables.count == StoreKind.allCases.count)
    if kind == .sqlite {
      #expect(text.contains("\(0x4150_4e73)") && made == [[[tables[0]]]])
      for statement in blocks("```sql\n").dropFirst() { try fixture.run(statement) }
    } else {
      try fixture.begin(tables[kind == .mySQL ? 2 : 1])
      #expect(try queries.map { try fixture.texts($0) } == made)
    }
  }
}
