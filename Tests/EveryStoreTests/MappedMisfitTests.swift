import Basics
import StoreTestSupport
import Testing
import TokenStores
import Wording

/// A mapping that does not fit is refused by `check`, before any input is read, with the column and what was found.
@Suite("Mappings that do not fit their tables") struct MappedMisfitTests {
  /// The definition, the mapping, what the error is about and what it found.
  typealias Misfit = (sql: String, mapping: TableMapping, subject: Message, found: Message)

  private static let (hex, otherHex) = (MappedDevices.hex, MappedDevices.otherHex)
  private static let mapping = MappedDevices.mapping

  private static func named(
    token: TokenForm = .hex, seen: TimeForm = .seconds, gone: TimeForm = .seconds
  ) -> TableMapping {
    MappedDevices.mapping {
      $0.token.form = token
      $0.registered?.form = seen
      $0.action = .mark(TimeColumn(name: "gone", form: gone))
    }
  }

  /// A table of `token`, `seen` and `gone`, all or some of other types, with a row.
  private static func table(
    token: String = "text", seen: String? = "bigint", gone: String? = "bigint", _ more: String = "",
    row: String? = nil
  ) -> String {
    let columns = [("token", token), ("seen", seen), ("gone", gone)].compactMap { name, type in
      type.map { "\(name) \($0)" }
    }
    return MappedDevices.table((columns + (more.isEmpty ? [] : [more])).joined(separator: ", "))
      + (row.map { "; INSERT INTO devices VALUES (1, \($0))" } ?? "")
  }

  private static func column(
    _ name: String, _ found: Message, in sql: String, _ mapping: TableMapping = mapping
  ) -> Misfit {
    (sql, mapping, .column(name), found)
  }

  private static let all: Message = .onlyColumns(["id", "token", "seen", "gone"])
  private static let environment = MappedDevices.mapping { $0.environment = EnvironmentColumn(name: "env") }

  private static func mails(_ action: String) -> Misfit {
    let children =
      "; CREATE TABLE mails (id bigint, device bigint REFERENCES devices (id) ON DELETE \(action))"
    return (MappedDevices.table + children, MappedDevices.deleting, "action delete", .verbatim(action))
  }

  private static let everywhere: [Misfit] = [
    ("CREATE TABLE other (id bigint)", mapping, .tableName, "none of that name"),
    (
      "CREATE TABLE one (id bigint); CREATE VIEW devices AS SELECT * FROM one", mapping, .tableName,
      .relation("view")
    ),
    column("token", .onlyColumns(["id", "seen"]), in: MappedDevices.table("seen bigint")),
    column("seen", .onlyColumns(["id", "token", "gone"]), in: table(seen: nil)),
    column("gone", .onlyColumns(["id", "token", "seen"]), in: table(gone: nil)),
    column("flag", all, in: table(), MappedDevices.flag("x")),
    column("app", all, in: table(), MappedDevices.mapping { $0.app = "app" }),
    column("env", all, in: table(), environment),
    column("token", .columnType(""), in: table(token: "bigint")),
    column("gone", .notNull, in: table(gone: "bigint NOT NULL")),
    column("gone", .generatedColumn, in: table(gone: "bigint GENERATED ALWAYS AS (seen) STORED")),
    column("token", .valuesLike("'\(hex)'"), in: table(row: "'\(hex)', NULL, NULL"), named(token: .base64)),
    column(
      "token", .valuesLike("'obKxsrGysbKxsrGy-g=='"), in: table(row: "'obKxsrGysbKxsrGy-g==', NULL, NULL")),
    column("seen", .valuesLike("1300000000000"), in: table(row: "'\(hex)', 1300000000000, NULL")),
    column(
      "gone", .valuesLike("1300000000"), in: table(row: "'\(hex)', NULL, 1300000000"),
      named(gone: .milliseconds)),
    column(
      "seen", .valuesLike("1500000000"),
      in: table(row: "'\(hex)', 0, NULL), (2, '\(otherHex)', 1500000000, NULL"), named(seen: .milliseconds)),
    mails("CASCADE"), mails("SET NULL"),
  ]

  private static func keyless(_ kind: StoreKind) -> Misfit {
    let found: Message = kind == .mySQL ? .nothingFound : "none (--no-journal needs none)"
    return ("CREATE TABLE devices (token text, seen bigint, gone bigint)", mapping, .primaryKey, found)
  }

  private static let heirs = MappedDevices.table + "; CREATE TABLE more (x text) INHERITS (devices)"

  private static let special: [StoreKind: [Misfit]] = [
    .sqlite: [
      column(
        "seen", .valuesLike("'2014-05-13'"), in: table(seen: "text", row: "'\(hex)', '2014-05-13', NULL")),
      column("token", .valuesLike("x'\(hex)'"), in: table(token: "blob", row: "x'\(hex)', NULL, NULL")),
      column("token", .valuesLike("'\(hex)'"), in: table(row: "'\(hex)', NULL, NULL"), named(token: .bytes)),
      column("seen", .verbatim("timestamptz"), in: table(), named(seen: .timestamptz)),
      (table(), MappedDevices.mapping { $0.schema = "aux" }, "the schema", .verbatim("aux")),
      column(
        "flag", .columnType("INTEGER of a STRICT table"),
        in: "CREATE TABLE devices (id int PRIMARY KEY, token text, seen int, flag int) STRICT",
        MappedDevices.flag("gone")),
      column(
        "rowid", .neither,
        in: "CREATE TABLE devices (rowid, oid, _rowid_, token text, seen bigint, gone bigint)"),
    ],
    .postgreSQL: [
      column("token", .columnType("bytea"), in: table(token: "bytea")),
      column("token", .columnType("text"), in: table(), named(token: .bytes)),
      column("seen", .columnType("text"), in: table(seen: "text")),
      column(
        "seen", .columnType("timestamp with time zone"), in: table(seen: "timestamptz"),
        named(seen: .timestamp(zone: "UTC"))),
      column(
        "gone", .columnType("character varying(10)"), in: table(gone: "varchar(10)"), named(gone: .iso)),
      column(
        "flag", .columnType("character varying(3)"), in: table("flag varchar(3)"),
        MappedDevices.flag("removed")),
      column("flag", .columnType("boolean"), in: table("flag boolean"), MappedDevices.flag("gone")),
      column(
        "flag", .columnType("mood"), in: "CREATE TYPE mood AS ENUM ('sad'); " + table("flag mood"),
        MappedDevices.flag("happy")),
      column(
        "flag", .columnType("short"), in: "CREATE DOMAIN short AS varchar(3); " + table("flag short"),
        MappedDevices.flag("removed")),
      column(
        "env", .columnType("kind"), in: "CREATE TYPE kind AS ENUM ('prod', 'dev'); " + table("env kind"),
        environment),
      ("CREATE MATERIALIZED VIEW devices AS SELECT 1", mapping, .tableName, .relation("materialized view")),
      (heirs, mapping, .primaryKey, "tables that inherit from it"),
      (heirs, MappedDevices.deleting, "action delete", "tables that inherit from it"),
    ],
    .mySQL: [
      column("token", .columnType("varbinary(32)"), in: table(token: "varbinary(32)")),
      column("seen", .columnType("datetime"), in: table(seen: "datetime")),
      column(
        "seen", .columnType("timestamp"), in: table(seen: "timestamp"), named(seen: .timestamp(zone: "UTC"))),
      column("flag", .columnType("varchar(3)"), in: table("flag varchar(3)"), MappedDevices.flag("removed")),
      column(
        "flag", .columnType("enum"), in: table("flag enum('active', 'gone')"), MappedDevices.flag("removed")),
      (
        table() + " ENGINE = MyISAM", mapping, "its engine",
        "MyISAM (ALTER TABLE … ENGINE = InnoDB changes it)"
      ),
    ],
  ]

  @Test("are refused before input is read, and nothing is added", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (sql, mapping, subject, found) in Self.everywhere + [Self.keyless(kind)] + (Self.special[kind] ?? [])
    {
      try fixture.begin(sql)
      let before = try names(in: fixture)
      let unfit = try misfit { try fixture.store(mapping).check(for: .recording) }
      #expect(unfit?.subject == subject, "\(sql)")
      #expect(unfit?.found.text.contains(found.text) == true, "\(sql): \(String(describing: unfit))")
      #expect(try names(in: fixture) == before, "\(sql)")
    }
  }

  /// Names of the database's tables.
  private func names(in fixture: StoreFixture) throws -> [[String?]] {
    try fixture.texts(
      fixture.kind == .mySQL
        ? "SHOW TABLES"
        : fixture.kind == .sqlite
          ? "SELECT name FROM sqlite_master ORDER BY name"
          : "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname")
  }

  // MARK: - What a dry run does not try

  private static let mail =
    "); CREATE TABLE mails (device bigint, CONSTRAINT sent FOREIGN KEY (device) REFERENCES devices (id)"

  /// More of the definition, the mapping, and what may refuse rows: in SQLite, and in a server.
  static let guarded: [(sql: String, mapping: TableMapping, sqlite: [String], server: [String])] = [
    ("", mapping, [], []), ("", MappedDevices.deleting, [], []),
    (", CONSTRAINT late CHECK (gone > 5)", mapping, [], ["constraint late"]),
    (", CONSTRAINT late CHECK (seen > 5)", mapping, [], []),
    (
      ", CONSTRAINT known FOREIGN KEY (gone) REFERENCES states (id)", mapping, ["foreign key of gone"],
      ["constraint known"]
    ),
    (", CONSTRAINT known FOREIGN KEY (seen) REFERENCES states (id)", mapping, [], []),
    (mail, MappedDevices.deleting, ["foreign key of mails"], ["constraint sent of mails"]),
    (mail, mapping, [], []), (", name varchar(9) NOT NULL", mapping, [], []),
  ]

  @Test("what may refuse rows is named", arguments: StoreKind.allCases, guarded)
  func namedGuards(
    _ kind: StoreKind, _ known: (sql: String, mapping: TableMapping, sqlite: [String], server: [String])
  ) throws {
    let fixture = try StoreFixture(kind)
    let columns = "token text, seen bigint, gone bigint"
    try fixture.begin("CREATE TABLE states (id bigint PRIMARY KEY)", MappedDevices.table(columns + known.sql))
    #expect(try fixture.store(known.mapping).guards() == (kind == .sqlite ? known.sqlite : known.server))
  }

  @Test("columns may refuse rows that are inserted", arguments: StoreKind.allCases)
  func insertionGuards(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(
      kind,
      Self.table(
        token: "varchar(99) NOT NULL",
        "name varchar(9) NOT NULL, app varchar(9) GENERATED ALWAYS AS ('x') STORED"))
    let store = try fixture.store(MappedDevices.mapping { $0.app = "app" }, inserts: true)
    #expect(try store.guards() == ["column name without a default", "column app that is generated"])
  }

  @Test("triggers of other statements are not named", arguments: StoreKind.allCases)
  func triggers(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, MappedDevices.table)
    if kind == .postgreSQL {
      try fixture.run("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    }
    let column = kind == .mySQL ? "" : "OF gone"
    let body =
      switch kind {
      case .sqlite: "BEGIN SELECT 1; END"
      case .postgreSQL: "FOR EACH ROW EXECUTE FUNCTION f()"
      case .mySQL: "FOR EACH ROW SET @x = 1"
      }
    for (name, event) in [("late", "UPDATE \(column)"), ("fresh", "INSERT"), ("lost", "DELETE")] {
      try fixture.run("CREATE TRIGGER \(name) BEFORE \(event) ON devices \(body)")
    }
    #expect(try fixture.store(Self.mapping).guards() == ["trigger late"])
    #expect(try fixture.store(MappedDevices.deleting).guards() == ["trigger lost"])
  }

  // MARK: - Found later

  /// Refused when the rows are written: nothing changes, and the error says it.
  private static let refusals: [(columns: String, more: [String], mapping: TableMapping, part: String)] = [
    (
      "token text, seen bigint, gone bigint",
      ["CREATE TABLE mails (device bigint REFERENCES devices (id))", "INSERT INTO mails VALUES (2)"],
      MappedDevices.deleting, "foreign key"
    ),
    ("token text, seen bigint, flag text CHECK (flag <> 'no')", [], MappedDevices.flag("no"), "flag"),
  ]

  @Test("a row that the database refuses leaves all as it was", arguments: StoreKind.allCases)
  func refusal(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (columns, more, mapping, part) in Self.refusals {
      try fixture.begin(MappedDevices.table(columns), MappedDevices.rows)
      for sql in more { try fixture.run(sql) }
      let before = try fixture.texts("SELECT * FROM devices ORDER BY id")
      let store = try fixture.store(mapping)
      let found = try error { try store.replay(MappedDevices.deaths, as: .sample) }
      guard case .refused(let detail) = found else { throw SourceError() }
      #expect(detail.text.lowercased().contains(part), "\(detail)")
      #expect(try fixture.texts("SELECT * FROM devices ORDER BY id") == before && store.history().isEmpty)
    }
  }

  @Test(
    "a row that ends a replay in batches leaves the earlier ones", arguments: [StoreKind.postgreSQL, .mySQL])
  func refusedBatch(_ kind: StoreKind) throws {
    let tokens = (1...4).map { [UInt8](repeating: UInt8($0), count: 32) }
    let values = tokens.enumerated().map { "(\($0), '\(Hex.string($1))')" }.joined(separator: ", ")
    let fixture = try StoreFixture(
      kind, Self.table("CONSTRAINT late CHECK (id <> 2 OR gone IS NULL)"),
      "INSERT INTO devices (id, token) VALUES \(values)")
    let store = try fixture.store(Self.mapping)
    var options = ReplayOptions.unlimited()
    options.batch = 1
    let deaths = tokens.map { Dated(token: $0, time: 1_400_000_000) }
    for (entry, rows) in [(JournalEntry.sample, 2), (nil, 0), (nil, 0)] as [(JournalEntry?, Int)] {
      let found = #expect(throws: NamedStoreError.self) {
        try store.replay(deaths, options: options, entry: entry)
      }
      let error = try #require(found)
      #expect(error.changedRows == rows && error.message.text.contains("nothing was changed") == (rows == 0))
      let stays = Message.rowsStayChanged(Count.of(rows, "row")).text
      #expect(error.message.text.contains(stays) == (rows > 0))
      #expect(try fixture.texts("SELECT id FROM devices WHERE gone IS NOT NULL").count == 2)
    }
    #expect(try store.history().map(\.isUnfinished) == [true])
    #expect(try store.undo(1, entry: .sample).restored == 2)
    #expect(try store.history().map(\.isUnfinished) == [false, false])
  }

  /// A time that cannot be one, in the column `seen` or `gone` of that form, and a value of another row.
  private static let impossible: [(column: String, form: TimeForm, value: String, other: String)] = [
    ("seen", .milliseconds, "1500000000", "1300000000000"), ("gone", .seconds, "0", "1310000000"),
    ("gone", .seconds, "0", "NULL"), ("gone", .milliseconds, "0", "1310000000000"),
  ]

  @Test(
    "seconds in a column of milliseconds, and 0 as an invalidation, refuse their rows",
    arguments: StoreKind.allCases)
  func impossibleTimes(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (column, form, value, other) in Self.impossible {
      try fixture.begin(Self.table(row: "'\(Self.hex)', NULL, NULL), (2, '\(Self.otherHex)', NULL, NULL"))
      try fixture.run("UPDATE devices SET \(column) = CASE id WHEN 1 THEN \(value) ELSE \(other) END")
      let store = try fixture.store(MappedDevices.times(form))
      let problem: Message = .timeNotInForm("a time as \(form.name)", column, value)
      let row = Message.inRow(.rowKey("token", "'\(Self.hex)'"), of: "devices", problem)
      #expect(
        try error { try store.replay(MappedDevices.deaths, as: .sample) } == .unreadableRows(1, first: row))
      // The row that is not met does not matter.
      #expect(try store.replay(Array(MappedDevices.deaths.suffix(1))).changes == 1, "\(column) \(other)")
    }
  }

  @Test("zeros instead of a date refuse a row of MariaDB, and are no registration")
  func zeroDates() throws {
    let zero = "0000-00-00 00:00:00"
    let fixture = try StoreFixture(
      .mySQL, "SET sql_mode = 'ANSI_QUOTES'",
      MappedDevices.table("token varchar(64), seen datetime, gone datetime, note datetime(3)"),
      "INSERT INTO devices VALUES (1, '\(MappedDevices.otherHex)', '\(zero)', NULL, '\(zero)'), "
        + "(2, '\(Self.hex)', NULL, '\(zero)', '2014-05-13 16:53:20.5')")
    let rows = "SELECT * FROM devices ORDER BY id"
    let before = try fixture.texts(rows)
    let form = TimeForm.timestamp(zone: "UTC")
    let marking = try fixture.store(MappedDevices.times(form))
    let problem: Message = .timeNotInForm("a time as timestamp", "gone", zero)
    let row = Message.inRow(.rowKey("token", "'\(Self.hex)'"), of: "devices", problem)
    #expect(
      try error { try marking.replay(MappedDevices.deaths, as: .sample) } == .unreadableRows(1, first: row))
    #expect(try fixture.texts(rows) == before)
    // The row that is not met does not matter.
    let marked = try marking.replay(Array(MappedDevices.deaths.suffix(1)), as: .sample)
    // The server gives no number twice.
    let number = try #require(marked.replay)
    #expect(try marked.counts.invalidated == 1 && marking.undo(number, entry: .sample).restored == 1)
    let deleting = try fixture.store(
      MappedDevices.mapping {
        $0.registered?.form = form
        $0.action = .delete
      }, text: #""delete""#)
    let replay = try #require(try deleting.replay(MappedDevices.deaths, as: .sample).replay)
    #expect(try fixture.texts(rows).isEmpty && deleting.undo(replay, entry: .sample).restored == 2)
    #expect(try fixture.texts(rows) == before)
  }

  @Test("a row without a key cannot be recorded, and is written without a journal")
  func nullKey() throws {
    let fixture = try StoreFixture(
      .sqlite,
      "CREATE TABLE devices (id text PRIMARY KEY, token text, seen bigint, gone bigint)",
      MappedDevices.rows.replacing("(1, ", with: "(NULL, ").replacing("(2, ", with: "(NULL, "))
    let store = try fixture.store(Self.mapping)
    let found = try error { try store.replay(MappedDevices.deaths, as: .sample) }
    #expect(try found == .refused(.nullKey(of: "devices")) && store.rows(.dead).isEmpty)
    #expect(try store.replay(MappedDevices.deaths).invalidated == 2)
  }

  @Test(
    "a value that its column would cut short is refused",
    arguments: [("varchar(20)", "bigint", 1_400_000_000), ("text", "int", UInt32.max)])
  func tooLong(_ token: String, _ gone: String, _ time: UInt32) throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TABLE devices (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token \(token), seen bigint, gone \(gone))"
    )
    let store = try fixture.store(Self.mapping, inserts: true)
    let death = Dated(token: MappedDevices.token, time: time)
    guard case .refused = try error({ try store.replay([death], as: .sample) }) else { throw SourceError() }
    #expect(try fixture.texts("SELECT * FROM devices").isEmpty)
  }
}
