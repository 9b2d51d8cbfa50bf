import Basics
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// A mapping that does not fit is refused by `check`, before any input is read, with the column and what was found.
@Suite("Mappings that do not fit their tables") struct MappedFitTests {
  /// The definition, the mapping, what the error is about and what it found.
  typealias Misfit = (sql: String, mapping: TableMapping, subject: Message, found: Message)

  private static let hex = MappedDevices.hex
  private static let mapping = MappedDevices.mapping

  private static func table(_ columns: String, _ rows: String = "") -> String {
    "CREATE TABLE devices (id bigint PRIMARY KEY, \(columns))"
      + (rows.isEmpty ? "" : "; INSERT INTO devices VALUES \(rows)")
  }

  private static func named(
    token: TokenForm = .hex, seen: TimeForm = .seconds, gone: TimeForm = .seconds
  ) -> TableMapping {
    MappedDevices.mapping {
      $0.token.form = token
      $0.registered?.form = seen
      $0.action = .mark(TimeColumn(name: "gone", form: gone))
    }
  }

  static let everywhere: [Misfit] = [
    ("CREATE TABLE other (id bigint)", mapping, .tableName, "none of that name"),
    (
      "CREATE TABLE one (id bigint); CREATE VIEW devices AS SELECT * FROM one", mapping, .tableName,
      .relation("view")
    ),
    (table("seen bigint, gone bigint"), mapping, .column("token"), .onlyColumns(["id", "seen", "gone"])),
    (table("token text, gone bigint"), mapping, .column("seen"), .onlyColumns(["id", "token", "gone"])),
    (table("token text, seen bigint"), mapping, .column("gone"), .onlyColumns(["id", "token", "seen"])),
    (
      MappedDevices.table, MappedDevices.flag("x"), .column("flag"),
      .onlyColumns(["id", "token", "seen", "gone"])
    ),
    (
      MappedDevices.table, MappedDevices.mapping { $0.app = "app" }, .column("app"),
      .onlyColumns(["id", "token", "seen", "gone"])
    ),
    (
      MappedDevices.table, MappedDevices.mapping { $0.environment = EnvironmentColumn(name: "env") },
      .column("env"), .onlyColumns(["id", "token", "seen", "gone"])
    ),
    (table("token bigint, seen bigint, gone bigint"), mapping, .column("token"), .columnType("")),
    (table("token text, seen bigint, gone bigint NOT NULL"), mapping, .column("gone"), .notNull),
    (
      table("token text, seen bigint, gone bigint GENERATED ALWAYS AS (seen) STORED"), mapping,
      .column("gone"),
      .generatedColumn
    ),
    (
      table("token text, seen bigint, gone bigint", "(1, '\(hex)', NULL, NULL)"), named(token: .base64),
      .column("token"), .valuesLike("'\(hex)'")
    ),
    (
      table("token text, seen bigint, gone bigint", "(1, 'obKxsrGysbKxsrGy-g==', NULL, NULL)"), mapping,
      .column("token"), .valuesLike("'obKxsrGysbKxsrGy-g=='")
    ),
    (
      table("token text, seen bigint, gone bigint", "(1, '\(hex)', 1300000000000, NULL)"), mapping,
      .column("seen"), .valuesLike("1300000000000")
    ),
    (
      table("token text, seen bigint, gone bigint", "(1, '\(hex)', NULL, 1300000000)"),
      named(gone: .milliseconds), .column("gone"), .valuesLike("1300000000")
    ),
    (
      MappedDevices.table
        + "; CREATE TABLE mails (id bigint, device bigint REFERENCES devices (id) ON DELETE CASCADE)",
      MappedDevices.deleting, .deleteAction, .verbatim("CASCADE")
    ),
    (
      MappedDevices.table + "; CREATE TABLE mails (device bigint REFERENCES devices (id) ON DELETE SET NULL)",
      MappedDevices.deleting, .deleteAction, .verbatim("SET NULL")
    ),
  ]

  private static let keyless: Misfit = (
    "CREATE TABLE devices (token text, seen bigint, gone bigint)", mapping, .primaryKey,
    "none (--no-journal needs none)"
  )

  static let sqlite: [Misfit] = [
    keyless,
    (
      table("token text, seen text, gone bigint", "(1, '\(hex)', '2014-05-13', NULL)"), mapping,
      .column("seen"),
      .valuesLike("'2014-05-13'")
    ),
    (
      table("token blob, seen bigint, gone bigint", "(1, x'\(hex)', NULL, NULL)"), mapping, .column("token"),
      .valuesLike("x'\(hex)'")
    ),
    (
      table("token text, seen bigint, gone bigint", "(1, '\(hex)', NULL, NULL)"), named(token: .bytes),
      .column("token"), .valuesLike("'\(hex)'")
    ),
    (MappedDevices.table, named(seen: .timestamptz), .column("seen"), .verbatim("timestamptz")),
    (
      table("token text, seen bigint, flag int"), MappedDevices.mapping { $0.schema = "aux" },
      "the schema", .verbatim("aux")
    ),
    (
      "CREATE TABLE devices (id int PRIMARY KEY, token text, seen int, flag int) STRICT",
      MappedDevices.flag("gone"), .column("flag"), .columnType("INTEGER of a STRICT table")
    ),
    (
      "CREATE TABLE devices (rowid, oid, _rowid_, token text, seen bigint, gone bigint)", mapping,
      .column("rowid"), .neither
    ),
  ]

  static let postgreSQL: [Misfit] = [
    keyless,
    (table("token bytea, seen bigint, gone bigint"), mapping, .column("token"), .columnType("bytea")),
    (
      table("token text, seen bigint, gone bigint"), named(token: .bytes), .column("token"),
      .columnType("text")
    ),
    (table("token text, seen text, gone bigint"), mapping, .column("seen"), .columnType("text")),
    (
      table("token text, seen timestamptz, gone bigint"), named(seen: .timestamp(zone: "UTC")),
      .column("seen"),
      .columnType("timestamp with time zone")
    ),
    (
      table("token text, seen bigint, gone varchar(10)"), named(gone: .iso), .column("gone"),
      .columnType("character varying(10)")
    ),
    (
      table("token text, seen bigint, flag varchar(3)"), MappedDevices.flag("removed"), .column("flag"),
      .columnType("character varying(3)")
    ),
    (
      table("token text, seen bigint, flag boolean"), MappedDevices.flag("gone"), .column("flag"),
      .columnType("boolean")
    ),
    (
      "CREATE TYPE mood AS ENUM ('sad'); " + table("token text, seen bigint, flag mood"),
      MappedDevices.flag("happy"), .column("flag"), .columnType("mood")
    ),
    (
      "CREATE DOMAIN short AS varchar(3); " + table("token text, seen bigint, flag short"),
      MappedDevices.flag("removed"), .column("flag"), .columnType("short")
    ),
    (
      "CREATE TYPE kind AS ENUM ('prod', 'dev'); "
        + table("token text, seen bigint, gone bigint, env kind"),
      MappedDevices.mapping { $0.environment = EnvironmentColumn(name: "env") }, .column("env"),
      .columnType("kind")
    ),
    ("CREATE MATERIALIZED VIEW devices AS SELECT 1", mapping, .tableName, .relation("materialized view")),
    (
      MappedDevices.table + "; CREATE TABLE more (x text) INHERITS (devices)", mapping, .primaryKey,
      "tables that inherit from it"
    ),
    (
      MappedDevices.table + "; CREATE TABLE more (x text) INHERITS (devices)", MappedDevices.deleting,
      .deleteAction, "tables that inherit from it"
    ),
  ]

  static let mySQL: [Misfit] = [
    (keyless.sql, mapping, .primaryKey, .nothingFound),
    (
      table("token varbinary(32), seen bigint, gone bigint"), mapping, .column("token"),
      .columnType("varbinary(32)")
    ),
    (table("token text, seen datetime, gone bigint"), mapping, .column("seen"), .columnType("datetime")),
    (
      table("token text, seen timestamp, gone bigint"), named(seen: .timestamp(zone: "UTC")), .column("seen"),
      .columnType("timestamp")
    ),
    (
      table("token text, seen bigint, flag varchar(3)"), MappedDevices.flag("removed"), .column("flag"),
      .columnType("varchar(3)")
    ),
    (
      table("token text, seen bigint, flag enum('active', 'gone')"), MappedDevices.flag("removed"),
      .column("flag"),
      .columnType("enum")
    ),
    (
      "CREATE TABLE devices (id bigint PRIMARY KEY, token text, seen bigint, gone bigint) ENGINE = MyISAM",
      mapping,
      "its engine", .engine("MyISAM")
    ),
  ]

  // MARK: - What a dry run does not try

  /// More of the definition, the mapping, and what may refuse rows: in SQLite, and in a server.
  static let guarded: [(sql: String, mapping: TableMapping, sqlite: [String], server: [String])] = [
    ("", mapping, [], []), ("", MappedDevices.deleting, [], []),
    ("CONSTRAINT late CHECK (gone > 5)", mapping, [], ["constraint late"]),
    ("CONSTRAINT late CHECK (seen > 5)", mapping, [], []),
    (
      "CONSTRAINT known FOREIGN KEY (gone) REFERENCES states (id)", mapping, ["foreign key of gone"],
      ["constraint known"]
    ),
    ("CONSTRAINT known FOREIGN KEY (seen) REFERENCES states (id)", mapping, [], []),
    (
      "); CREATE TABLE mails (device bigint, CONSTRAINT sent FOREIGN KEY (device) REFERENCES devices (id)",
      MappedDevices.deleting, ["foreign key of mails"], ["constraint sent of mails"]
    ),
    (
      "); CREATE TABLE mails (device bigint, CONSTRAINT sent FOREIGN KEY (device) REFERENCES devices (id)",
      mapping, [], []
    ),
    ("name varchar(9) NOT NULL", mapping, [], []),
  ]

  @Test("what may refuse rows is named", arguments: StoreKind.allCases, guarded)
  func namedGuards(
    _ kind: StoreKind, _ known: (sql: String, mapping: TableMapping, sqlite: [String], server: [String])
  ) throws {
    let fixture = try MappedFixture(kind)
    let more = known.sql.isEmpty ? "" : known.sql.hasPrefix(")") ? known.sql : ", " + known.sql
    try fixture.begin(
      "CREATE TABLE states (id bigint PRIMARY KEY)",
      Self.table("token text, seen bigint, gone bigint" + more))
    #expect(try fixture.store(known.mapping).guards() == (kind == .sqlite ? known.sqlite : known.server))
  }

  @Test("columns may refuse rows that are inserted", arguments: StoreKind.allCases)
  func insertionGuards(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    try fixture.begin(
      Self.table(
        "token varchar(99) NOT NULL, seen bigint, gone bigint, name varchar(9) NOT NULL, "
          + "app varchar(9) GENERATED ALWAYS AS ('x') STORED"))
    let store = try fixture.store(MappedDevices.mapping { $0.app = "app" }, inserts: true)
    #expect(try store.guards() == ["column name without a default", "column app that is generated"])
  }

  static let triggerBodies: [StoreKind: String] = [
    .sqlite: "BEGIN SELECT 1; END", .postgreSQL: "FOR EACH ROW EXECUTE FUNCTION f()",
    .mySQL: "FOR EACH ROW SET @x = 1",
  ]

  @Test("triggers of other statements are not named", arguments: StoreKind.allCases)
  func triggers(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    try fixture.begin(MappedDevices.table)
    if kind == .postgreSQL {
      try fixture.run("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    }
    let column = kind == .mySQL ? "" : "OF gone"
    for (name, event) in [("late", "UPDATE \(column)"), ("fresh", "INSERT"), ("lost", "DELETE")] {
      try fixture.run("CREATE TRIGGER \(name) BEFORE \(event) ON devices \(Self.triggerBodies[kind] ?? "")")
    }
    #expect(try fixture.store(Self.mapping).guards() == ["trigger late"])
    #expect(try fixture.store(MappedDevices.deleting).guards() == ["trigger lost"])
  }

  private static let special: [StoreKind: [Misfit]] = [
    .sqlite: sqlite, .postgreSQL: postgreSQL, .mySQL: mySQL,
  ]

  @Test("are refused before input is read, and nothing is added", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    for misfit in Self.everywhere + (Self.special[kind] ?? []) {
      try fixture.begin(misfit.sql)
      let before = try names(in: fixture)
      let error = try error { try fixture.store(misfit.mapping).check(for: .recording) }
      guard case .misfit(_, let subject, _, let found) = error else {
        Issue.record("\(misfit.sql): \(String(describing: error))")
        continue
      }
      #expect(
        subject == misfit.subject && found.text.contains(misfit.found.text),
        "\(misfit.sql): \(subject), \(found)")
      #expect(try names(in: fixture) == before, "\(misfit.sql)")
    }
  }

  /// Names of the database's tables.
  private func names(in fixture: MappedFixture) throws -> [[String?]] {
    try fixture.texts(
      fixture.kind == .mySQL
        ? "SHOW TABLES"
        : fixture.kind == .sqlite
          ? "SELECT name FROM sqlite_master ORDER BY name"
          : "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname")
  }

  // MARK: - The built-in table

  /// Columns of MariaDB that differ from those of a `device_tokens` that fits, by their names.
  static let shapes: [(columns: [String: String], subject: Message, found: Message)] = [
    (["token": "binary(32)"], .column("token"), .columnType("binary(32)")),
    (["token": "varchar(32)"], .column("token"), .columnType("varchar(32)")),
    (["app": "bigint"], .column("app"), .columnType("bigint")),
    (["registered_at": "int"], .column("registered_at"), .columnType("int")),
    (["registered_at": "bigint NOT NULL"], .column("registered_at"), .notNull),
    (["registered_at": "bigint NOT NULL DEFAULT 0"], .column("registered_at"), .notNull),
    (["invalidated_at": "bigint NOT NULL"], .column("invalidated_at"), .notNull),
    (["invalidated_at": "bigint AS (5) STORED"], .column("invalidated_at"), .generatedColumn),
    (["device": "int NOT NULL"], .column("device"), .notNull),
    (
      ["app": "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"], .column("app"),
      "utf8mb4_general_ci"
    ),
    (["app": "varchar(9) COLLATE utf8mb4_bin"], .column("app"), "utf8mb4_bin"),
  ]

  @Test("a device_tokens of another shape is refused by its column")
  func builtInShapes() throws {
    let fixture = try MappedFixture(.mySQL)
    func begin(_ other: [String: String], key: String = "app, environment, token") throws -> TokenStore {
      let text = "varchar(99) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
      let columns = [
        "app": text, "environment": text, "token": "varbinary(99)", "registered_at": "bigint",
        "invalidated_at": "bigint",
      ].merging(other) { $1 }
      let list = columns.map { "\($0) \($1)" }.joined(separator: ", ")
      try fixture.begin("CREATE TABLE device_tokens (\(list), PRIMARY KEY (\(key))) CHARACTER SET utf8mb4")
      return try fixture.ownStore()
    }
    #expect(try begin(["n": "int NOT NULL DEFAULT 1"]).replay(MappedDevices.deaths).inserted == 2)
    for (columns, subject, found) in Self.shapes {
      let error = try error { try begin(columns).check(for: .recording) }
      guard case .misfit("device_tokens", subject, _, let other) = error else {
        Issue.record("\(columns): \(String(describing: error))")
        continue
      }
      #expect(other.text.contains(found.text), "\(columns): \(other)")
    }
    let keyed = try error { try begin([:], key: "app, token").check(for: .recording) }
    guard case .misfit(_, .primaryKey, _, _) = keyed else { return #expect(Bool(false)) }
  }

  // MARK: - Tables that fit

  /// Two rows, of `hex` and of the other token; the first has the column that is written.
  typealias Fit = (sql: String, mapping: TableMapping)

  private static let rows = MappedDevices.rows

  static let fitting: [Fit] = [
    (
      "CREATE TABLE devices (id bigint, token varchar(64) PRIMARY KEY, seen bigint, gone bigint); " + rows,
      mapping
    ),
    (
      "CREATE TABLE devices (id bigint, token char(64), seen numeric, gone int, PRIMARY KEY (token, id)); "
        + rows, mapping
    ),
    (
      "CREATE TABLE \"a.b \"\"c\"\"\" (id bigint PRIMARY KEY, \"select\" text, \"Seen at\" bigint, \"GÖNE\" bigint); "
        + "INSERT INTO \"a.b \"\"c\"\"\" VALUES (1, '\(hex)', 1300000000, NULL), (2, '\(MappedDevices.otherHex)', NULL, NULL)",
      TableMapping(
        table: "a.b \"c\"", token: TokenColumn(name: "select", form: .hex),
        registered: TimeColumn(name: "Seen at", form: .seconds),
        action: .mark(TimeColumn(name: "GÖNE", form: .seconds)))
    ),
  ]

  static let fittingSQLite: [Fit] = [
    (
      "CREATE TABLE devices (rowid text, id bigint, token text PRIMARY KEY, seen bigint, gone bigint) WITHOUT ROWID; "
        + rows, mapping
    ),
    (
      "CREATE TABLE devices (rowid text, oid text, id bigint PRIMARY KEY, token text, seen bigint, gone bigint); "
        + rows, mapping
    ),
    ("CREATE TABLE devices (id int PRIMARY KEY, token text, seen int, gone int) STRICT; " + rows, mapping),
  ]

  static let fittingPostgreSQL: [Fit] = [
    (
      "CREATE DOMAIN key AS varchar(64); CREATE DOMAIN push_key AS key CHECK (length(VALUE) = 64); "
        + "CREATE TABLE devices (id bigint PRIMARY KEY, token push_key, seen bigint, gone bigint); " + rows,
      mapping
    ),
    (
      "CREATE TABLE devices (id bigint PRIMARY KEY, token text, seen bigint, gone bigint) PARTITION BY HASH (id); "
        + "CREATE TABLE p0 PARTITION OF devices FOR VALUES WITH (MODULUS 2, REMAINDER 0); "
        + "CREATE TABLE p1 PARTITION OF devices FOR VALUES WITH (MODULUS 2, REMAINDER 1); " + rows, mapping
    ),
    (
      "CREATE SCHEMA \"My Own\"; CREATE TABLE \"My Own\".devices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "
        + "token text, seen bigint, gone bigint); INSERT INTO \"My Own\".devices (token) VALUES ('\(hex)'), "
        + "('\(MappedDevices.otherHex)')", MappedDevices.mapping { $0.schema = "My Own" }
    ),
  ]

  private static let fittingMySQL: [Fit] = [
    (
      "CREATE TABLE devices (id bigint, token char(64) CHARACTER SET ascii, seen int unsigned, gone int unsigned, "
        + "note timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, PRIMARY KEY (token, id)); "
        + rows, mapping
    ),
    (
      "CREATE TABLE devices (id bigint PRIMARY KEY, token varchar(64) CHARACTER SET latin1, "
        + "seen timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, gone datetime(3)); "
        + "INSERT INTO devices VALUES (1, '\(hex)', from_unixtime(1300000000), NULL), "
        + "(2, '\(MappedDevices.otherHex)', from_unixtime(1300000000), NULL)",
      named(seen: .timestamptz, gone: .timestamp(zone: "UTC"))
    ),
  ]

  private static let fittingSpecial: [StoreKind: [Fit]] = [
    .sqlite: fittingSQLite, .postgreSQL: fittingPostgreSQL, .mySQL: fittingMySQL,
  ]

  @Test("fit, die and live again", arguments: StoreKind.allCases)
  func fits(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    for fit in Self.fitting + (Self.fittingSpecial[kind] ?? []) {
      try fixture.begin(fit.sql)
      let store = try fixture.store(fit.mapping)
      try store.check(for: .recording)
      let answer = try store.replay(MappedDevices.deaths, as: JournalTests.entry())
      #expect(answer.counts.invalidated == 2, "\(fit.sql)")
      #expect(try store.rows(.dead).count == 2, "\(fit.sql)")
      #expect(try store.undo(answer.replay ?? 0, entry: JournalTests.entry()).restored == 2, "\(fit.sql)")
      #expect(try store.rows(.live).count == 2, "\(fit.sql)")
    }
  }

  // MARK: - Found later

  /// Refused when the rows are written: nothing changes, and the error says it.
  static let refusals: [(sql: String, mapping: TableMapping, part: String)] = [
    (
      MappedDevices.table + "; \(rows); CREATE TABLE mails (device bigint REFERENCES devices (id))",
      MappedDevices.deleting, "oreign key"
    ),
    (
      "CREATE TABLE devices (id bigint PRIMARY KEY, token text, seen bigint, flag text CHECK (flag <> 'no')); \(rows)",
      MappedDevices.flag("no"), "flag"
    ),
  ]

  @Test("a row that the database refuses leaves all as it was", arguments: StoreKind.allCases)
  func refusal(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    for refusal in Self.refusals {
      try fixture.begin(refusal.sql)
      if refusal.sql.contains("mails") { try fixture.run("INSERT INTO mails VALUES (2)") }
      let before = try fixture.texts("SELECT * FROM devices ORDER BY id")
      let error = try error {
        try fixture.store(refusal.mapping).replay(MappedDevices.deaths, as: JournalTests.entry())
      }
      guard case .refused(let detail) = error else {
        Issue.record("\(refusal.sql): \(String(describing: error))")
        continue
      }
      #expect(detail.text.lowercased().contains(refusal.part.lowercased()), "\(detail)")
      #expect(try fixture.texts("SELECT * FROM devices ORDER BY id") == before)
      #expect(try fixture.store(refusal.mapping).history().isEmpty)
    }
  }

  @Test("a row without a key cannot be recorded, and is written without a journal")
  func nullKey() throws {
    let fixture = try MappedFixture(.sqlite)
    try fixture.begin(
      "CREATE TABLE devices (id text PRIMARY KEY, token text, seen bigint, gone bigint)",
      MappedDevices.rows.replacing("(1, ", with: "(NULL, ").replacing("(2, ", with: "(NULL, "))
    let store = try fixture.store(MappedDevices.mapping)
    let error = try error { try store.replay(MappedDevices.deaths, as: JournalTests.entry()) }
    #expect(error == .refused(.nullKey(of: "devices")))
    #expect(try store.rows(.dead).isEmpty)
    #expect(try store.replay(MappedDevices.deaths).invalidated == 2)
  }

  /// The text of the first one trapped.
  @Test("a key of any time has a text")
  func timeKeys() throws {
    let fixture = try MappedFixture(.postgreSQL)
    let rows = MappedDevices.rows.replacing("(1, ", with: "('-infinity', ")
    try fixture.begin(
      "CREATE TABLE devices (id timestamp PRIMARY KEY, token text, seen bigint, gone bigint)",
      rows.replacing("(2, ", with: "('2013-05-01 09:30:00.25', "))
    let store = try fixture.store(MappedDevices.mapping)
    try store.replay(MappedDevices.deaths, as: JournalTests.entry())
    var keys: [String?] = []
    try store.changes(of: 1) { keys.append($0.key) }
    #expect(keys == ["-infinity", "2013-05-01 09:30:00.25"])
  }

  @Test("a value that its column would cut short is refused")
  func tooLong() throws {
    let fixture = try MappedFixture(.postgreSQL)
    let cases = [
      ("token varchar(20), seen bigint, gone bigint", 1_400_000_000),
      ("token text, seen bigint, gone int", UInt32.max),
    ]
    for (columns, time) in cases {
      try fixture.begin(
        "CREATE TABLE devices (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \(columns))")
      let store = try fixture.store(MappedDevices.mapping, inserts: true)
      let error = try error {
        try store.replay([Dated(token: MappedDevices.token, time: time)], as: JournalTests.entry())
      }
      guard case .refused = error else {
        Issue.record("\(columns): \(String(describing: error))")
        continue
      }
      #expect(try fixture.texts("SELECT * FROM devices").isEmpty)
    }
  }

  @Test(
    "a token in several rows counts once, is protected by any, and is reported", arguments: StoreKind.allCases
  )
  func several(_ kind: StoreKind) throws {
    let fixture = try MappedFixture(kind)
    let (hex, other) = (MappedDevices.hex, MappedDevices.otherHex)
    try fixture.begin(
      MappedDevices.table,
      """
      INSERT INTO devices (id, token, seen) VALUES (1, '\(hex)', 1), (2, '\(hex.uppercased())', NULL),
        (3, '\(other)', 1), (4, '\(other.uppercased())', 1500000000)
      """)
    let store = try fixture.store(MappedDevices.mapping)
    var options = ReplayOptions(dryRun: true)
    options.brake = .percent(100)
    #expect(try store.replay(MappedDevices.deaths, options: options).repeated == 2)
    let answer = try store.replay(MappedDevices.deaths, as: JournalTests.entry())
    #expect(answer.repeated == 2 && answer.counts.invalidated == 1 && answer.counts.kept == 1)
    #expect(
      try fixture.texts("SELECT gone FROM devices ORDER BY id") == [
        ["1400000000"], ["1400000000"], [nil], [nil],
      ])
    #expect(try store.undo(1, entry: JournalTests.entry()).restored == 2)
    #expect(try store.rows(.live).count == 4)
  }
}
