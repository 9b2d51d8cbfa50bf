import Basics
import Foundation
import StoreTestSupport
import Testing
import TokenStores

/// Scripts are run by the client of each database. The rows are compared as it shows them.
@Suite("A replay as a script") struct ReplayScriptTests {
  private static let death: UInt32 = 1_400_000_000

  private static let table =
    "CREATE TABLE devices (id bigint PRIMARY KEY, token varchar(64), seen bigint, gone bigint, flag varchar(9), "
    + "reason varchar(60), day date, \"odd \"\" name\" varchar(60)); CREATE INDEX by_token ON devices (token)"

  private static func hex(_ number: Int) -> String { String(repeating: "0\(number)", count: 32) }

  private static let deaths = (1...8).map {
    Dated(token: [UInt8](repeating: UInt8($0), count: 32), time: death)
  }

  /// Registered before, at and after the invalidation, never, in upper case, in two rows, and one that is dead.
  private static let rows = """
    INSERT INTO devices (id, token, seen, gone, flag, reason) VALUES
      (1, '\(hex(1))', 1399999999, NULL, 'on', 'it''s \\ "x"'), (2, '\(hex(2))', 1400000000, NULL, 'on', NULL),
      (3, '\(hex(3))', 1400000001, NULL, NULL, NULL), (4, '\(hex(4))', NULL, NULL, NULL, NULL),
      (5, '\(hex(5))', 1399999000, NULL, NULL, NULL), (6, '\(hex(6))', 1399999000, NULL, NULL, NULL),
      (7, '\(hex(6))', NULL, NULL, 'on', NULL), (8, '\(hex(7))', 1300000000, 1300000100, 'off', 'old')
    """

  /// Mappings that change rows in different ways.
  private static let mappings: [TableMapping] = {
    let text = ColumnSetting(column: "odd \" name", value: .text(dead: "a'b\\c\n-- \"d\"; é", alive: nil))
    let day = ColumnSetting(column: "day", value: .time(.date(zone: "UTC")))
    return [
      MappedDevices.mapping,
      MappedDevices.mapping {
        $0.settings = [text, day]
        $0.keepsLatest = false
      },
      MappedDevices.mapping {
        $0.action = .flag(column: "flag", dead: "off", alive: "on")
        $0.settings = [text]
      },
      MappedDevices.deleting,
      MappedDevices.mapping { $0.registered = nil },
    ]
  }()

  private static func options(dryRun: Bool) -> ReplayOptions {
    var options = ReplayOptions(dryRun: dryRun)
    options.brake = .count(100)
    return options
  }

  /// Writes the scripts of a replay.
  private func scripts(
    _ store: TokenStore, _ fixture: StoreFixture, batch: Int = 3
  ) throws -> (replay: String, undo: String) {
    let script = try ReplayScript(fixture.file("replay.sql"), batch: batch, replaces: true)
    var trace = ReplayTrace(origin: { nil })
    trace.script = script
    trace.title = ["an input\nDROP TABLE devices;"]
    _ = try store.replay(
      { visit in for death in Self.deaths { try visit(death.token.span.bytes, death.storeTime) } },
      for: AppEnvironment(), options: Self.options(dryRun: true), entry: nil, trace: trace)
    try script.finish()
    return (fixture.file("replay.sql"), fixture.file("replay.undo.sql"))
  }

  @Test("does what the replay does, and its undo takes it back", arguments: StoreKind.allCases)
  func same(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for mapping in Self.mappings {
      try fixture.begin(Self.table, Self.rows)
      let store = try fixture.store(mapping)
      let before = try fixture.rows()
      _ = try store.replay(Self.deaths, options: Self.options(dryRun: false))
      let after = try fixture.rows()
      try fixture.begin(Self.table, Self.rows)
      let (replay, undo) = try scripts(try fixture.store(mapping), fixture)
      #expect(try fixture.rows() == before)
      for _ in 0..<2 {
        try fixture.runByClient(replay)
        #expect(try fixture.rows() == after && after != before)
      }
      for _ in 0..<2 {
        try fixture.runByClient(undo)
        #expect(try fixture.rows() == before, "\(mapping.action)")
      }
    }
  }

  /// What another program does after the script was written, and whether the rows with the token are dead after it.
  private static let changes: [(change: String, id: Int, isDead: Bool)] = [
    ("UPDATE devices SET seen = 1400000000 WHERE id = 1", 1, false),
    ("UPDATE devices SET seen = 1399999998 WHERE id = 1", 1, true),
    ("UPDATE devices SET seen = NULL WHERE id = 1", 1, true),
    ("UPDATE devices SET token = '\(hex(9))' WHERE id = 1", 1, false),
    ("UPDATE devices SET reason = 'new' WHERE id = 1", 1, true),
    ("INSERT INTO devices (id, token, seen) VALUES (20, '\(hex(1))', 1400000000)", 1, false),
    ("INSERT INTO devices (id, token, seen) VALUES (20, '\(hex(1))', 1399999998)", 1, true),
    ("UPDATE devices SET seen = 1400000005 WHERE id = 7", 6, false),
  ]

  @Test("leaves rows that changed since to the rule", arguments: StoreKind.allCases)
  func changed(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (change, id, isDead) in Self.changes {
      try fixture.begin(Self.table, Self.rows)
      let (replay, undo) = try scripts(try fixture.store(MappedDevices.mapping), fixture)
      try fixture.run(change)
      let before = try fixture.rows()
      try fixture.runByClient(replay)
      let gone = try fixture.texts("SELECT gone FROM devices WHERE id = \(id)")
      #expect(gone == [[isDead ? "1400000000" : nil]], "\(change)")
      try fixture.runByClient(undo)
      #expect(try fixture.rows() == before, "\(change)")
    }
  }

  @Test("does not restore what another program changed since", arguments: StoreKind.allCases)
  func changedBeforeUndo(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, Self.table, Self.rows)
    let (replay, undo) = try scripts(try fixture.store(MappedDevices.mapping), fixture)
    try fixture.runByClient(replay)
    try fixture.run("UPDATE devices SET gone = 1400000077 WHERE id = 1")
    try fixture.run("UPDATE devices SET seen = 1400000099, gone = NULL WHERE id = 4")
    try fixture.run("DELETE FROM devices WHERE id = 5")
    try fixture.runByClient(undo)
    let gone = try fixture.texts("SELECT gone FROM devices WHERE id IN (1, 4, 5, 6) ORDER BY id")
    #expect(gone == [["1400000077"], [nil], [nil]])
  }

  @Test(
    "compares times of every form by the rule, or takes no row that changed", arguments: StoreKind.allCases)
  func forms(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    var forms: [(TimeForm, type: String, early: String, late: String)] = [
      (.seconds, "bigint", "1399999999", "1400000000"),
      (.milliseconds, "bigint", "1399999999999", "1400000000000"),
      (.iso, "varchar(40)", "'2014-05-13T16:53:19Z'", "'2014-05-13T16:53:20Z'"),
      (.date(zone: "UTC"), "date", "'2014-05-12'", "'2014-05-13'"),
      (.timestamp(zone: "+01:00"), "timestamp", "'2014-05-13 17:53:19'", "'2014-05-13 17:53:20'"),
      (.timestamp(zone: "Europe/Berlin"), "timestamp", "'2014-05-13 18:53:19'", "'2014-05-13 18:53:20'"),
    ]
    if kind == .mySQL { for index in 4...5 { forms[index].type = "datetime" } }
    // Also one that MariaDB changes with every update.
    let moments: [StoreKind: [String]] = [
      .postgreSQL: ["timestamptz"],
      .mySQL: [
        "timestamp NULL", "timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp",
      ],
    ]
    forms += (moments[kind] ?? []).map {
      (.timestamptz, $0, "'2014-05-13 16:53:19'", "'2014-05-13 16:53:20'")
    }
    for (form, type, early, late) in forms {
      for (then, isDead) in [(early, true), (late, false)] {
        try fixture.begin(
          MappedDevices.table("token varchar(64), seen \(type), gone bigint"),
          "INSERT INTO devices (id, token, seen) VALUES (1, '\(Self.hex(1))', \(early))")
        let store = try fixture.store(
          MappedDevices.mapping { $0.registered = TimeColumn(name: "seen", form: form) })
        let (replay, undo) = try scripts(store, fixture)
        try fixture.run("UPDATE devices SET seen = \(then)")
        let before = try fixture.rows()
        try fixture.runByClient(replay)
        // Id, token, seen, gone.
        let after = before[0].dropLast() + [isDead ? "1400000000" : nil]
        #expect(try fixture.rows() == [Array(after)], "\(form) \(type) \(then)")
        try fixture.runByClient(undo)
        #expect(try fixture.rows() == before, "\(form) \(type) \(then)")
      }
    }
  }

  @Test("an undo removes rows that a default registered, and restores columns without an equality")
  func defaults() throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TABLE devices (token text PRIMARY KEY, seen bigint DEFAULT 7, gone bigint, note json)")
    let note = ColumnSetting(column: "note", value: .text(dead: "{\"by\": \"APNs\"}", alive: nil))
    let mapping = MappedDevices.mapping { $0.settings = [note] }
    let (replay, undo) = try scripts(try fixture.store(mapping, inserts: true), fixture)
    try fixture.runByClient(replay)
    #expect(try fixture.texts("SELECT count(*) FROM devices WHERE note->>'by' = 'APNs'") == [["8"]])
    try fixture.run("UPDATE devices SET seen = 1400000099, gone = NULL WHERE token = '\(Self.hex(1))'")
    try fixture.runByClient(undo)
    #expect(try fixture.texts("SELECT token FROM devices") == [[Self.hex(1)]])
  }

  @Test("inserts and removes rows of its own table and of others", arguments: StoreKind.allCases)
  func inserted(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(
      kind,
      "CREATE TABLE devices (token varchar(64), app varchar(20), seen bigint, gone bigint, "
        + "PRIMARY KEY (token, app))",
      "INSERT INTO devices (token, app) VALUES ('\(Self.hex(1))', 'b')")
    let mapping = MappedDevices.mapping { $0.app = "app" }
    let (replay, undo) = try scripts(try fixture.store(mapping, inserts: true), fixture)
    let query = "SELECT token, app, seen, gone FROM devices ORDER BY token, app"
    let before = try fixture.texts(query)
    for _ in 0..<2 { try fixture.runByClient(replay) }
    #expect(try fixture.texts(query).count == 9)
    #expect(try fixture.texts("SELECT count(*) FROM devices WHERE gone = 1400000000 AND app = ''") == [["8"]])
    try fixture.run("UPDATE devices SET seen = 5 WHERE token = '\(Self.hex(2))'")
    try fixture.runByClient(undo)
    // In the order of the tokens.
    #expect(try fixture.texts(query) == before + [[Self.hex(2), "", "5", "1400000000"]])
  }

  @Test("is the same for the built-in table", arguments: StoreKind.allCases)
  func deviceTokens(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register(Self.deaths.prefix(3).map { Dated(token: $0.token, time: $0.time - 5) })
    try store.register([Dated(token: Self.deaths[3].token, time: Self.death)])
    let before = try store.rows()
    let (replay, undo) = try scripts(store, fixture)
    try fixture.runByClient(replay)
    let after = try store.rows()
    #expect(after.filter(\.state.isDead).count == 7 && after.count == 8)
    #expect(try store.replay(Self.deaths, dryRun: true).unchanged == 7)
    try fixture.runByClient(undo)
    #expect(try store.rows() == before)
  }

  @Test("needs a primary key, and a table", arguments: [StoreKind.postgreSQL, .sqlite])
  func refused(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, "CREATE TABLE devices (token text, seen bigint, gone bigint)")
    let store = try fixture.store(MappedDevices.mapping)
    #expect(try misfit { _ = try scripts(store, fixture) }?.subject == .primaryKey)
    #expect(try error { _ = try scripts(try fixture.ownStore(), fixture) } == .noTable)
  }
}

extension StoreFixture {
  /// The rows of `devices`, as the database's own client shows them.
  func rows() throws -> [[String?]] { try texts("SELECT * FROM devices ORDER BY id") }

  /// A new table of the usual devices, which a replay has changed, and its rows before that.
  func replayed(
    _ mapping: TableMapping, file: JournalFile? = nil, in table: String = MappedDevices.table
  ) throws -> (store: TokenStore, before: [[String?]]) {
    try begin(table, MappedDevices.rows)
    let (store, before) = (try store(mapping, file: file), try rows())
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
    return (store, before)
  }

  /// Runs a script with the client of the database, which must accept all of it.
  fileprivate func runByClient(_ script: String) throws {
    let client = Process()
    client.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    client.arguments = clientCommand
    client.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: script))
    client.standardOutput = FileHandle.nullDevice
    try client.run()
    client.waitUntilExit()
    #expect(client.terminationStatus == 0, "\(script)")
  }
}
