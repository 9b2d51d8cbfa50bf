import Basics
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// Removed rows come back as they were, by the database's own account of them.
@Suite("Removed rows of tables of others") struct MappedWholeRowTests {
  private static let columns = "id bigint PRIMARY KEY, token text, seen bigint"

  /// A replay has that outcome for the only row, and an undo makes what `query` reads as it was.
  /// - Parameter settings: of the database, changed before the undo.
  private func expectRoundTrip(
    _ fixture: StoreFixture, _ query: String = "SELECT * FROM devices",
    _ mapping: TableMapping = MappedDevices.deleting, _ outcome: ReplayOutcome = .invalidated,
    settings: [String] = []
  ) throws {
    let store = try fixture.store(mapping)
    let before = try fixture.texts(query)
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts[outcome] == 1)
    #expect(try fixture.texts("SELECT * FROM devices").isEmpty == (mapping.action == .delete))
    for setting in settings {
      try fixture.run("ALTER DATABASE \(fixture.database?.name ?? "") SET \(setting)")
    }
    let answer = try store.undo(1, entry: .sample)
    #expect(answer.restored == 1 && answer.dropped.isEmpty)
    #expect(try fixture.texts(query) == before)
  }

  /// Types of PostgreSQL, and a value for which another way than the type's own text would lose something.
  private static let values: [(String, String)] = Fixtures.rows("PostgreSQL", in: "column-values")

  @Test("of every type of PostgreSQL, whatever the settings of the role are by then")
  func postgreSQLTypes() throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TYPE mood AS ENUM ('sad')", "CREATE TYPE pair AS (a int, b text)",
      "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
      "CREATE TABLE devices (\(Self.columns), number bigint GENERATED ALWAYS AS IDENTITY, "
        + "twice bigint GENERATED ALWAYS AS (seen * 2) STORED, "
        + Self.values.enumerated().map { "\"v \($0)\" \($1.0)" }.joined(separator: ", ") + ")",
      "INSERT INTO devices VALUES (1, '\(MappedDevices.hex)', 1, DEFAULT, DEFAULT, "
        + Self.values.map(\.1).joined(separator: ", ") + ")")
    // Lengths, too: the text of a row does not show all blanks.
    try expectRoundTrip(
      fixture, "SELECT devices, encode(textsend(devices::text), 'hex') FROM devices",
      settings: ["intervalstyle = sql_standard", "timezone = 'Asia/Tokyo'", "datestyle = 'German'"])
  }

  @Test("of every storage class of SQLite, in the most columns of a table")
  func sqliteValues() throws {
    let values = [
      "NULL", "0", "-9223372036854775808", "9223372036854775807", "0.1", "-0.0", "9e999", "1e-320", "''",
      "'a' || char(0) || 'b'", "CAST(x'ff00fe61' AS TEXT)", "x''", "x'00ff'", "zeroblob(3000000)", "'12'",
      "char(0x1f600)", "12.0",
    ]
    // No type, so no value is made another.
    let columns = (0..<1500).map { "c\($0)" }
    let fixture = try StoreFixture(
      .sqlite,
      "CREATE TABLE devices (\(Self.columns), seen_twice AS (seen * 2) STORED, "
        + columns.joined(separator: ", ") + ")",
      "INSERT INTO devices VALUES (1, '\(MappedDevices.hex)', 1, "
        + columns.indices.map { $0 < values.count ? values[$0] : "\($0)" }.joined(separator: ", ") + ")",
      // A type makes values others, but not a second time.
      "CREATE TABLE typed (id bigint PRIMARY KEY, token text, seen bigint, i integer, r real, n numeric, t text, b blob)"
    )
    let whole =
      "SELECT \(columns.prefix(values.count).map { "typeof(\($0)), hex(CAST(\($0) AS BLOB))" }.joined(separator: ", ")), "
      + "c999, c1499, seen_twice FROM devices"
    try expectRoundTrip(fixture, whole)
  }

  @Test(
    "take the defaults of columns that came since, and leave out those that went, but for the key",
    arguments: StoreKind.allCases)
  func changedColumns(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let row = ["1", MappedDevices.hex, "1"]
    let cases: [(change: [String], row: [String?]?, dropped: Set<String>)] = [
      (["ALTER TABLE devices ADD COLUMN since bigint NOT NULL DEFAULT 7"], row + ["why", "7"], []),
      (["ALTER TABLE devices DROP COLUMN note"], row, ["note"]),
      (
        ["ALTER TABLE devices DROP COLUMN note", "ALTER TABLE devices ADD COLUMN other text"], row + [nil],
        ["note"]
      ),
      (["ALTER TABLE devices RENAME COLUMN id TO number"], nil, []),
    ]
    for (change, row, dropped) in cases {
      try fixture.begin(
        "CREATE TABLE devices (\(Self.columns), note text)",
        "INSERT INTO devices VALUES (1, '\(MappedDevices.hex)', 1, 'why')")
      let store = try fixture.store(MappedDevices.deleting)
      #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 1)
      for sql in change { try fixture.run(sql) }
      if let row {
        #expect(try store.undo(1, entry: nil).dropped == dropped, "\(change)")
        #expect(try store.undo(1, entry: .sample).dropped == dropped, "\(change)")
        #expect(try fixture.texts("SELECT * FROM devices") == [row], "\(change)")
      } else {
        #expect(
          try error { _ = try store.undo(1, entry: .sample) } == .refused(.columnsDiffer(from: "devices")))
        #expect(try fixture.texts("SELECT * FROM devices").isEmpty)
        #expect(try store.history().first?.undoneBy == nil)
      }
    }
  }

  @Test("of columns with any name", arguments: StoreKind.allCases)
  func names(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let names = [#"a"b"#, #""c"#, "c\\", "e'", "`f`", "g,h"]
    let definitions = names.map { "\"\($0.replacing("\"", with: "\"\""))\" varchar(9)" }
    try fixture.begin(
      "CREATE TABLE devices (\(Self.columns), \(definitions.joined(separator: ", ")))",
      "INSERT INTO devices VALUES (1, '\(MappedDevices.hex)', 1, 'A', 'C', 'D', 'E', 'F', 'G')")
    try expectRoundTrip(fixture)
  }

  @Test("of SQLite databases in UTF-16", arguments: ["UTF-16le", "UTF-16be"])
  func otherEncodings(_ encoding: String) throws {
    let fixture = try StoreFixture(
      .sqlite,
      "PRAGMA encoding = '\(encoding)'; CREATE TABLE devices (\(Self.columns), note text, data blob)",
      "INSERT INTO devices VALUES (1, '\(MappedDevices.hex)', 1, 'Grüße ' || char(0x1f600), x'00ff')")
    try #require(try fixture.texts("PRAGMA encoding") == [[encoding]])
    try expectRoundTrip(
      fixture, "SELECT id, token, seen, note, hex(note), typeof(note), hex(data) FROM devices")
  }

  @Test("are left where their key or their token is back", arguments: StoreKind.allCases)
  func back(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, MappedDevices.table, MappedDevices.rows)
    let third = String(repeating: "c3", count: 32)
    try fixture.run("INSERT INTO devices (id, token) VALUES (3, '\(third)')")
    let deaths =
      MappedDevices.deaths + [Dated(token: [UInt8](repeating: 0xc3, count: 32), time: 1_400_000_000)]
    let store = try fixture.store(MappedDevices.deleting)
    #expect(try store.replay(deaths, as: .sample).counts.invalidated == 3)
    try fixture.run(
      "INSERT INTO devices (id, token) VALUES (1, 'a9'), (9, '\(MappedDevices.otherHex.uppercased())')")
    let answer = try store.undo(1, entry: .sample)
    #expect(answer.restored == 1 && answer.left == [.back: 2])
    #expect(
      try fixture.texts("SELECT id, token FROM devices ORDER BY id")
        == [["1", "a9"], ["3", third], ["9", MappedDevices.otherHex.uppercased()]])
  }

  @Test("a key and a time of PostgreSQL are found again in another time zone")
  func timeZones() throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TABLE devices (id timestamptz, token text, seen bigint, gone timestamptz, PRIMARY KEY (id, token))",
      "INSERT INTO devices VALUES ('2014-01-01 00:00:00.5Z', '\(MappedDevices.hex)', 1, '2013-01-01 00:00:00.25Z')"
    )
    let mapping = MappedDevices.mapping { $0.action = .mark(TimeColumn(name: "gone", form: .timestamptz)) }
    try expectRoundTrip(
      fixture, "SELECT * FROM devices", mapping, .updated, settings: ["timezone = 'Asia/Tokyo'"])
  }
}
