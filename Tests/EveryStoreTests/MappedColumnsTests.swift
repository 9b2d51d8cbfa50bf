import Basics
import StoreTestSupport
import Testing
import TokenStores

/// Mappings with several written columns, expressions, dates and offsets, in three databases. The rows are compared as
/// the database's own client shows them.
@Suite("Columns of tables of others") struct MappedColumnsTests {
  private static let (hex, otherHex) = (MappedDevices.hex, MappedDevices.otherHex)
  /// 2014-05-13T16:53:20Z.
  private static let death: UInt32 = 1_400_000_000

  // MARK: - Several columns

  private static let settings: [ColumnSetting] = [
    ColumnSetting(column: "reason", value: .text(dead: "APNs: it's gone", alive: nil)),
    ColumnSetting(column: "state", value: .text(dead: "9", alive: "1")),
    ColumnSetting(column: "removed", value: .time(.iso)),
  ]

  private static let table = MappedDevices.table(
    "token varchar(64), seen bigint, gone bigint, flag varchar(9), reason varchar(40), state int, removed varchar(40)"
  )

  /// The rows after a replay, by the columns `gone`, `flag`, `reason`, `state`, `removed`.
  private static let actions: [(InvalidationAction, [String?])] = [
    (.mark(TimeColumn(name: "gone", form: .seconds)), ["1400000000", nil] + written),
    (.flag(column: "flag", dead: "off", alive: "on"), [nil, "off"] + written),
  ]

  private static let written: [String?] = ["APNs: it's gone", "9", "2014-05-13T16:53:20Z"]

  @Test("an invalidation writes all, an undo and a registration take it back", arguments: StoreKind.allCases)
  func severalColumns(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (action, written) in Self.actions {
      try fixture.begin(
        Self.table, MappedDevices.rows, "UPDATE devices SET reason = 'kept', state = 5 WHERE id = 2")
      let store = try fixture.store(
        MappedDevices.mapping { ($0.action, $0.settings) = (action, Self.settings) })
      let query = "SELECT gone, flag, reason, state, removed FROM devices ORDER BY id"
      let before = try fixture.texts(query)
      #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
      #expect(try fixture.texts(query) == [written, written])
      // A column that another program changed since keeps its row from being restored.
      try fixture.run("UPDATE devices SET reason = 'mine' WHERE id = 2")
      let undone = try store.undo(1, entry: .sample)
      #expect(undone.restored == 1 && undone.left.values.reduce(0, +) == 1)
      #expect(try fixture.texts(query)[0] == before[0])
      #expect(try fixture.texts(query)[1][2] == "mine")
      try store.replay(MappedDevices.deaths, as: nil)
      try store.register([Dated(token: MappedDevices.token, time: Self.death + 10)])
      let alive = try fixture.texts("SELECT gone, reason, state, removed FROM devices WHERE id = 1")
      #expect(alive == [[nil, "APNs: it's gone", "1", nil]])
      #expect(try store.rows(.live).map(\.token) == [MappedDevices.token])
    }
  }

  @Test("an inserted row has all columns, and an undo removes it", arguments: StoreKind.allCases)
  func inserted(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(
      kind,
      Self.table.replacing("id bigint PRIMARY KEY, token varchar(64)", with: "token varchar(64) PRIMARY KEY"))
    let mapping = MappedDevices.mapping { $0.settings = Self.settings }
    let store = try fixture.store(mapping, inserts: true)
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.inserted == 2)
    let rows = try fixture.texts("SELECT gone, reason, state, removed FROM devices")
    #expect(rows == Array(repeating: ["1400000000"] + Self.written, count: 2))
    #expect(try store.undo(1, entry: .sample).restored == 2)
    #expect(try fixture.texts("SELECT token FROM devices").isEmpty)
  }

  @Test("a column that cannot store its text is refused", arguments: [StoreKind.postgreSQL, .mySQL])
  func unfitText(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, Self.table)
    let setting = ColumnSetting(column: "state", value: .text(dead: "off", alive: nil))
    let store = try fixture.store(MappedDevices.mapping { $0.settings = [setting] })
    #expect(try misfit { try store.replay(MappedDevices.deaths, as: nil) }?.subject == .column("state"))
  }

  // MARK: - Rows that are dead already

  @Test("a dead row keeps its time, or gets the latest one", arguments: StoreKind.allCases)
  func deadRows(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (keepsLatest, outcome, time) in [
      (false, ReplayOutcome.unchanged, "1300000500"), (true, .updated, "1400000000"),
    ] {
      try fixture.begin(
        Self.table, MappedDevices.rows, "UPDATE devices SET gone = 1300000500, reason = 'user' WHERE id = 1")
      let store = try fixture.store(MappedDevices.mapping { $0.keepsLatest = keepsLatest })
      let answer = try store.replay(MappedDevices.deaths, as: .sample)
      #expect(answer.counts[outcome] == 1 && answer.counts.invalidated == 1)
      #expect(try fixture.texts("SELECT gone, reason FROM devices WHERE id = 1") == [[time, "user"]])
    }
  }

  // MARK: - Expressions

  private static let expressions: [StoreKind: (type: String, of: @Sendable (String) -> String)] = [
    .sqlite: ("text", { "json_extract(data, '$.\($0)')" }),
    .postgreSQL: ("jsonb", { "data->>'\($0)'" }),
    .mySQL: ("json", { "JSON_VALUE(data, '$.\($0)')" }),
  ]

  private static func documents(_ token: (String) -> String) -> String {
    """
    INSERT INTO devices (id, data) VALUES
      (1, '{"token": "\(token(hex))", "seen": "2014-05-13T16:53:19Z", "app": "a", "env": "prod"}'),
      (2, '{"token": "\(token(otherHex))", "seen": "2014-05-13T16:53:20Z", "app": "a", "env": "prod"}'),
      (3, '{"token": "\(token(hex))", "seen": null, "app": "b", "env": "prod"}'),
      (4, '{"app": "a", "env": "prod"}')
    """
  }

  @Test("expressions are read, and plain columns written", arguments: StoreKind.allCases)
  func expressions(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let (type, path) = try #require(Self.expressions[kind])
    func read(_ name: String) -> ColumnReference { ColumnReference(path(name), isExpression: true) }
    let mapping = MappedDevices.mapping {
      $0.token.name = read("token")
      $0.app = read("app")
      $0.environment = EnvironmentColumn(name: read("env"), production: "prod", sandbox: "dev")
      $0.registered = TimeColumn(name: read("seen"), form: .iso)
    }
    for token: (String) -> String in [{ $0 }, { $0.uppercased() }] {
      try fixture.begin(MappedDevices.table("data \(type), gone bigint"), Self.documents(token))
      let owner = AppEnvironment(app: "a")
      let store = try fixture.store(mapping, owner: owner)
      let answer = try store.replay(MappedDevices.deaths, for: owner, as: .sample)
      #expect(answer.counts.invalidated == 1 && answer.counts.kept == 1)
      let query = "SELECT gone FROM devices ORDER BY id"
      #expect(try fixture.texts(query) == [["1400000000"], [nil], [nil], [nil]])
      #expect(try store.rows(of: [MappedDevices.token], in: .any).map(\.owner.app) == ["a", "b"])
      #expect(try store.undo(1, entry: .sample).restored == 1)
      #expect(try fixture.texts(query) == Array(repeating: [nil], count: 4))
    }
    let inserting = try fixture.store(mapping, inserts: true)
    #expect(try misfit { try inserting.replay(MappedDevices.deaths, as: nil) } != nil)
    #expect(try misfit { try fixture.store(mapping).register(MappedDevices.deaths) } != nil)
  }

  @Test("bytes and numbers are read from expressions, too", arguments: StoreKind.allCases)
  func expressionsOfTypes(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, Self.table, MappedDevices.rows)
    // SQLite 3.40 has no unhex.
    let (token, form): (String, TokenForm) =
      switch kind {
      case .sqlite: ("upper(token)", .upperHex)
      case .postgreSQL: ("decode(token, 'hex')", .bytes)
      case .mySQL: ("UNHEX(token)", .bytes)
      }
    let mapping = MappedDevices.mapping {
      $0.token = TokenColumn(name: ColumnReference(token, isExpression: true), form: form)
      $0.registered = TimeColumn(
        name: ColumnReference("seen * 1000", isExpression: true), form: .milliseconds)
    }
    let store = try fixture.store(mapping)
    let deaths = [
      Dated(token: MappedDevices.token, time: 1_300_000_000),
      Dated(token: MappedDevices.other, time: Self.death),
    ]
    let counts = try store.replay(deaths, as: nil).counts
    #expect(counts.kept == 1 && counts.invalidated == 1)
  }

  /// Texts of times: before and after the invalidation in UTC. A server that reads them in another zone, or only the
  /// part that it knows, would take the device for another one.
  private static let texts: [(text: String, isKept: Bool)] = [
    ("2014-05-13T16:53:19Z", false), ("2014-05-13T16:53:20Z", true), ("2014-05-13 10:00:00-09:00", true),
    ("2014-05-13 17:00:00", true), ("2014-05-13 16:00:00", false),
  ]

  @Test("texts of expressions are times in UTC, or of their offset", arguments: StoreKind.allCases)
  func expressionsOfTimes(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let mapping = MappedDevices.mapping {
      let cast = kind == .postgreSQL ? "::timestamptz" : ""
      let form = kind == .sqlite ? TimeForm.iso : .timestamptz
      $0.registered = TimeColumn(name: ColumnReference("(note)\(cast)", isExpression: true), form: form)
    }
    try fixture.begin(MappedDevices.table("token varchar(64), note text, gone bigint"))
    if let database = fixture.database {
      try fixture.run("ALTER DATABASE \(database.name) SET timezone = 'Asia/Tokyo'")
    }
    for (text, isKept) in Self.texts {
      try fixture.run("DELETE FROM devices")
      try fixture.run("INSERT INTO devices (id, token, note) VALUES (1, '\(Self.hex)', '\(text)')")
      let counts = try fixture.store(mapping).replay(Array(MappedDevices.deaths.prefix(1)))
      #expect(counts.kept == (isKept ? 1 : 0) && counts.invalidated == (isKept ? 0 : 1), "\(text)")
    }
    if kind != .postgreSQL {
      try fixture.run("UPDATE devices SET note = '1.6e9', gone = NULL")
      let found = try error { _ = try fixture.store(mapping).replay(MappedDevices.deaths, as: nil) }
      #expect(found != nil)
      #expect(try fixture.texts("SELECT gone FROM devices") == [[nil]])
    }
  }

  @Test("an expression that the database does not run is named", arguments: StoreKind.allCases)
  func wrongExpression(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, Self.table)
    for wrong in ["nothing", "token -- comment", "token; DROP TABLE devices", "token))"] {
      let mapping = MappedDevices.mapping { $0.token.name = ColumnReference(wrong, isExpression: true) }
      let found = try misfit { try fixture.store(mapping).replay(MappedDevices.deaths) }
      #expect(found?.subject.text == "the expression \(wrong)")
    }
    #expect(try fixture.texts("SELECT count(*) FROM devices") == [["0"]])
  }

  // MARK: - Types and collations

  @Test("texts of MariaDB are compared in the collation of their column")
  func collations() throws {
    let fixture = try StoreFixture(.mySQL)
    for collation in [
      "utf8mb4 COLLATE utf8mb4_unicode_ci", "utf8mb3 COLLATE utf8mb3_unicode_ci",
      "latin1 COLLATE latin1_general_cs", "utf8mb4 COLLATE utf8mb4_nopad_bin",
    ] {
      let type = "varchar(64) CHARACTER SET \(collation)"
      try fixture.begin(
        "CREATE TABLE devices (id bigint AUTO_INCREMENT PRIMARY KEY, token \(type), app \(type), seen bigint, "
          + "gone bigint, KEY (token))",
        "INSERT INTO devices (token, app) VALUES ('\(Self.hex)', 'a'), ('\(Self.otherHex)', 'A')",
        // Enough rows for tokens to be looked up.
        "INSERT INTO devices (token, app) SELECT seq, 'a' FROM seq_1_to_2000", "ANALYZE TABLE devices")
      let owner = AppEnvironment(app: "a")
      let store = try fixture.store(MappedDevices.mapping { $0.app = "app" }, owner: owner)
      let answer = try store.replay(MappedDevices.deaths, for: owner, as: nil)
      #expect(answer.counts.invalidated == 1 && answer.counts.unknown == 1, "\(collation)")
    }
  }

  @Test("apps that a collation of PostgreSQL takes for equal are two")
  func foldingApps() throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      MappedDevices.table("token text, app text COLLATE folding, seen bigint, gone bigint"),
      "INSERT INTO devices (id, token, app) VALUES (1, '\(Self.hex)', 'a'), (2, '\(Self.hex)', 'A')")
    let owner = AppEnvironment(app: "a")
    let store = try fixture.store(MappedDevices.mapping { $0.app = "app" }, owner: owner)
    #expect(try store.replay(Array(MappedDevices.deaths.prefix(1)), for: owner, as: nil).rows == 1)
    #expect(try fixture.texts("SELECT id FROM devices WHERE gone IS NOT NULL") == [["1"]])
  }

  @Test("flags in bits of MariaDB are read as numbers")
  func bits() throws {
    let fixture = try StoreFixture(
      .mySQL,
      MappedDevices.table("token varchar(64), seen bigint, flag bit(1)"),
      "INSERT INTO devices (id, token, flag) VALUES (1, '\(Self.hex)', 0), (2, '\(Self.otherHex)', 1)")
    let store = try fixture.store(MappedDevices.flag("0", alive: "1"))
    #expect(try store.rows(.live).map(\.token) == [MappedDevices.other])
    #expect(try store.rows(.dead).map(\.token) == [MappedDevices.token])
    #expect(try store.replay(MappedDevices.deaths, as: nil).counts.invalidated == 1)
  }

  /// Columns whose texts of numbers differ from the mapping's.
  private static let numbers: [(kind: StoreKind, type: String)] = [
    (.sqlite, "real"), (.sqlite, "double"), (.sqlite, "numeric"), (.postgreSQL, "numeric(3,1)"),
    (.postgreSQL, "real"), (.mySQL, "decimal(3,1)"), (.mySQL, "decimal(5,2) unsigned"), (.mySQL, "double"),
    (.mySQL, "float"),
  ]

  @Test("flags are compared as their column stores them", arguments: numbers)
  func numberFlags(_ kind: StoreKind, _ type: String) throws {
    let fixture = try StoreFixture(
      kind, MappedDevices.table("token varchar(64), seen bigint, flag \(type)"),
      "INSERT INTO devices (id, token, flag) VALUES (1, '\(Self.hex)', 0), (2, '\(Self.otherHex)', 1)")
    let store = try fixture.store(MappedDevices.flag("0", alive: "1"))
    #expect(try store.rows(.live).map(\.token) == [MappedDevices.other])
    #expect(try store.rows(.dead).map(\.token) == [MappedDevices.token])
    let counts = try store.replay(MappedDevices.deaths, as: .sample).counts
    #expect(counts.invalidated == 1 && counts.unchanged == 1)
    #expect(try store.rows(.dead).count == 2 && store.replay(MappedDevices.deaths).unchanged == 2)
    #expect(try store.register([Dated(token: MappedDevices.token, time: Self.death)]).revived == 1)
    #expect(try store.rows(.live).map(\.token) == [MappedDevices.token])
  }

  // MARK: - Dates and offsets

  /// A registration on 2014-05-13 in a zone, the time of an invalidation, and whether it keeps the device.
  private static let days: [(zone: String, time: UInt32, isKept: Bool)] = [
    ("UTC", 1_400_025_599, true), ("UTC", 1_400_025_600, false),
    // 05:00 of the next day in UTC.
    ("-05:00", 1_400_043_599, true), ("-05:00", 1_400_043_600, false),
    ("+0200", 1_400_018_399, true), ("+0200", 1_400_018_400, false),
  ]

  @Test("a date of a registration is its whole day", arguments: StoreKind.allCases)
  func dates(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (zone, time, isKept) in Self.days {
      try fixture.begin(
        MappedDevices.table("token varchar(64), day date, gone date"),
        "INSERT INTO devices (id, token, day) VALUES (1, '\(Self.hex)', '2014-05-13')")
      let store = try fixture.store(MappedDevices.times(.date(zone: zone), seen: "day"))
      let deaths = [Dated(token: MappedDevices.token, time: time)]
      let counts = try store.replay(deaths, as: .sample).counts
      #expect(counts.kept == (isKept ? 1 : 0) && counts.invalidated == (isKept ? 0 : 1), "\(zone) \(time)")
      #expect(try fixture.texts("SELECT gone FROM devices") == [[isKept ? nil : "2014-05-14"]])
      if isKept { continue }
      #expect(try store.replay(deaths, as: nil).counts.unchanged == 1)
      #expect(try store.undo(1, entry: .sample).restored == 1)
      #expect(try fixture.texts("SELECT gone FROM devices") == [[nil]])
    }
  }

  /// In Europe/Berlin, an invalidation and a registration in UNIX seconds, and whether the device is alive after
  /// both.
  private static let changes: [(type: String, died: UInt32, registered: UInt32, isAlive: Bool)] = [
    // 2013-10-27 begins at 1382824800, 22:00 in UTC, and has 25 hours; 2013-03-31 begins at 1364684400, and has 23.
    ("date", 1_382_826_600, 1_382_827_200, true), ("date", 1_382_826_600, 1_382_824_800, true),
    ("date", 1_382_826_600, 1_382_824_799, false), ("date", 1_364_700_000, 1_364_684_400, true),
    ("date", 1_364_700_000, 1_364_684_399, false),
    // 2:30 occurs twice, an hour from each other, and 3:00 once.
    ("timestamp", 1_382_833_800, 1_382_834_700, true), ("timestamp", 1_382_837_400, 1_382_833_800, true),
    ("timestamp", 1_382_837_400, 1_382_833_799, false), ("timestamp", 1_382_839_200, 1_382_839_199, false),
  ]

  @Test(
    "a registration after a change of the clocks revives its device", arguments: StoreKind.allCases, changes)
  func summerTime(
    _ kind: StoreKind, _ change: (type: String, died: UInt32, registered: UInt32, isAlive: Bool)
  ) throws {
    let zone = "Europe/Berlin"
    let isDate = change.type == "date"
    let type = kind == .mySQL && !isDate ? "datetime" : change.type
    let fixture = try StoreFixture(
      kind, MappedDevices.table("token varchar(64), seen \(type), gone \(type)"),
      "INSERT INTO devices (id, token) VALUES (1, '\(Self.hex)')")
    let store = try fixture.store(MappedDevices.times(isDate ? .date(zone: zone) : .timestamp(zone: zone)))
    #expect(try store.replay([Dated(token: MappedDevices.token, time: change.died)]).invalidated == 1)
    try store.register([Dated(token: MappedDevices.token, time: change.registered)])
    #expect(try store.rows()[0].state.isDead == !change.isAlive)
  }
}
