import Basics
import StoreTestSupport
import Testing
import TokenStores

/// An undo restores what it says, or is refused and can be repeated. The rows are compared as the database's own
/// client shows them.
@Suite("Undos of tables of others") struct MappedUndoTests {
  private static let (hex, otherHex) = (MappedDevices.hex, MappedDevices.otherHex)

  /// The undo of a replay, after a dry run that says the same and changes nothing.
  private func undo(_ id: Int, _ store: TokenStore, _ fixture: StoreFixture) throws -> UndoAnswer {
    let (before, records) = (try fixture.rows(), try store.history())
    let foreseen = try store.undo(id, entry: nil)
    #expect(try fixture.rows() == before && store.history() == records)
    let answer = try store.undo(id, entry: .sample)
    #expect(answer.restored == foreseen.restored && answer.left == foreseen.left)
    #expect(answer.dropped == foreseen.dropped)
    #expect(answer.sample.map(\.token) == foreseen.sample.map(\.token))
    return answer
  }

  /// A replay of the usual deaths, and its undo, after which the rows are as before.
  private func expectRoundTrip(
    _ mapping: TableMapping, _ fixture: StoreFixture, _ deaths: [Dated] = MappedDevices.deaths
  ) throws {
    let store = try fixture.store(mapping)
    let before = try fixture.rows()
    #expect(try store.replay(deaths, as: .sample).counts.invalidated == deaths.count)
    #expect(try undo(1, store, fixture).restored == deaths.count)
    #expect(try fixture.rows() == before)
  }

  /// The refusal of an undo, the same as of its dry run; both change nothing.
  private func refusal(of id: Int, _ store: TokenStore, _ fixture: StoreFixture) throws -> StoreError? {
    let (before, records) = (try fixture.rows(), try store.history())
    let foreseen = try error { _ = try store.undo(id, entry: nil) }
    let error = try error { _ = try store.undo(id, entry: .sample) }
    #expect(error == foreseen)
    #expect(try fixture.rows() == before && store.history() == records)
    return error
  }

  // MARK: - Keys

  /// Tables whose key has the written column. A table that is partitioned by it must have such a key.
  private static let keyed: [StoreKind: [String]] = [
    .sqlite: ["PRIMARY KEY (token, flag))", "PRIMARY KEY (flag, id)) WITHOUT ROWID"],
    .postgreSQL: [
      "PRIMARY KEY (token, flag))",
      "PRIMARY KEY (id, flag)) PARTITION BY LIST (flag); CREATE TABLE dead PARTITION OF devices FOR VALUES IN (0); "
        + "CREATE TABLE live PARTITION OF devices FOR VALUES IN (1)",
    ],
    .mySQL: [
      "PRIMARY KEY (token, flag))",
      "PRIMARY KEY (id, flag)) PARTITION BY LIST (flag) (PARTITION dead VALUES IN (0), PARTITION live VALUES IN (1))",
    ],
  ]

  @Test("a key with the written column is refused, also by a dry run", arguments: StoreKind.allCases)
  func keys(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for key in Self.keyed[kind] ?? [] {
      try fixture.begin("CREATE TABLE devices (id bigint, token varchar(64), seen bigint, flag int, \(key)")
      try fixture.run(
        MappedDevices.rows.replacing("token, seen)", with: "token, seen, flag)")
          .replacing("1300000000)", with: "1300000000, 1)"))
      let store = try fixture.store(MappedDevices.flag("0", alive: "1"))
      for isDryRun in [true, false] {
        let unfit = try misfit { try store.check(for: .recording, isDryRun: isDryRun) }
        #expect(unfit?.subject == .primaryKey, "\(key)")
        #expect(unfit?.found.text.contains("the replay writes flag (--no-journal") == true, "\(key)")
      }
      try store.check(for: .writing)
      #expect(try store.replay(MappedDevices.deaths, as: nil).counts.invalidated == 2)
      #expect(try fixture.texts("SELECT flag FROM devices") == [["0"], ["0"]], "\(key)")
    }
  }

  @Test("a key that an update would change keeps its value in MariaDB")
  func updatedKey() throws {
    let fixture = try StoreFixture(
      .mySQL,
      "CREATE TABLE devices (id timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6), "
        + "token varchar(64), seen bigint, gone bigint, PRIMARY KEY (id, token))",
      MappedDevices.rows.replacing("(1, ", with: "('2013-01-01', ").replacing("(2, ", with: "('2013-01-01', ")
    )
    try expectRoundTrip(MappedDevices.mapping, fixture)
  }

  @Test("a key that is made of the written column is refused in PostgreSQL")
  func generatedKey() throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TABLE devices (id text GENERATED ALWAYS AS (token || flag) STORED PRIMARY KEY, token text, "
        + "seen bigint, flag text DEFAULT 'live')", "INSERT INTO devices (token) VALUES ('\(Self.hex)')")
    let before = try fixture.rows()
    let store = try fixture.store(MappedDevices.flag("dead"))
    #expect(try isRefused("the primary key") { try store.replay(MappedDevices.deaths, as: .sample) })
    #expect(try fixture.rows() == before && store.history().isEmpty)
  }

  // MARK: - Triggers

  /// A trigger that sets a column of each row that is written.
  private func trigger(_ event: String, sets column: String, _ fixture: StoreFixture) throws {
    let before = "CREATE TRIGGER touch BEFORE \(event) ON devices FOR EACH ROW"
    let sql =
      switch fixture.kind {
      case .sqlite:
        "CREATE TRIGGER touch AFTER \(event) ON devices "
          + "BEGIN UPDATE devices SET \(column) = 1600000000 WHERE id = new.id; END"
      case .postgreSQL:
        "CREATE OR REPLACE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS "
          + "'BEGIN NEW.\(column) = 1600000000; RETURN NEW; END'; \(before) EXECUTE FUNCTION touch()"
      case .mySQL: "\(before) SET NEW.\(column) = 1600000000"
      }
    try fixture.run(sql)
  }

  private func isRefused(_ part: String, _ body: () throws -> Void) throws -> Bool {
    isTriggered(part, try error(body))
  }

  private func isTriggered(_ part: String, _ error: StoreError?) -> Bool {
    guard case .refused(let detail) = error else { return false }
    return detail.text.contains("a trigger or an expression of devices also changes \(part), as ")
  }

  private static let table = MappedDevices.table("token varchar(64), seen bigint, gone bigint, note bigint")

  @Test("a trigger that writes the registered column ends a replay", arguments: StoreKind.allCases)
  func touched(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for keyless in [false, true] where !(keyless && kind == .mySQL) {
      let table = keyless ? Self.table.replacing(" PRIMARY KEY", with: "") : Self.table
      try fixture.begin(table, MappedDevices.rows)
      try trigger("UPDATE", sets: "seen", fixture)
      let store = try fixture.store(MappedDevices.mapping)
      let before = try fixture.rows()
      if !keyless {
        #expect(try isRefused("seen") { try store.replay(MappedDevices.deaths, as: .sample) })
        #expect(try store.history().isEmpty)
      }
      #expect(try isRefused("seen") { try store.replay(MappedDevices.deaths, as: nil) })
      #expect(try fixture.rows() == before)
    }
  }

  @Test("a role that may not see a trigger of MariaDB is warned, too")
  func unseenTrigger() throws {
    let fixture = try StoreFixture(.mySQL, Self.table, MappedDevices.rows)
    let name = try #require(try fixture.texts("SELECT DATABASE()")[0][0])
    let user = "writer_\(name)"
    try fixture.run("CREATE USER \(user)@localhost")
    try fixture.run("GRANT SELECT, UPDATE ON \(name).devices TO \(user)@localhost")
    try fixture.run("GRANT CREATE TEMPORARY TABLES ON \(name).* TO \(user)@localhost")
    let store = try fixture.store(MappedDevices.mapping, user: user)
    try trigger("UPDATE", sets: "seen", fixture)
    let before = try fixture.rows()
    #expect(try isRefused("seen") { try store.replay(MappedDevices.deaths, as: nil) })
    #expect(try fixture.rows() == before)
  }

  private static let noting = MappedDevices.mapping {
    $0.action = .flag(column: "note", dead: "0", alive: "1")
  }

  /// Triggers that undo an invalidation, in SQLite: what each says after CREATE TRIGGER, the mapping, and what it changes.
  private static let reviving: [(trigger: String, mapping: TableMapping, part: String)] = [
    ("AFTER UPDATE ON devices BEGIN UPDATE devices SET gone = NULL", MappedDevices.mapping, "gone"),
    (
      "AFTER INSERT ON devices BEGIN UPDATE devices SET gone = NULL WHERE token = new.token",
      MappedDevices.mapping, "gone"
    ),
    (
      "AFTER INSERT ON devices BEGIN DELETE FROM devices WHERE token = new.token", MappedDevices.mapping,
      "gone"
    ),
    ("AFTER UPDATE ON devices BEGIN UPDATE devices SET note = 1", noting, "note"),
    (
      "AFTER DELETE ON devices BEGIN INSERT INTO devices (id, token) SELECT old.id, old.token",
      MappedDevices.deleting, "removed rows"
    ),
  ]

  @Test("a trigger that undoes an invalidation ends the replay", arguments: [false, true])
  func revived(isRecorded: Bool) throws {
    let fixture = try StoreFixture(.sqlite)
    for (trigger, mapping, part) in Self.reviving {
      try fixture.begin(Self.table, MappedDevices.rows, "DELETE FROM devices WHERE id = 2")
      try fixture.run("CREATE TRIGGER touch \(trigger); END")
      let store = try fixture.store(mapping, inserts: trigger.contains("INSERT ON"))
      let before = try fixture.rows()
      let entry = isRecorded ? JournalEntry.sample : nil
      #expect(
        try isRefused(part) { try store.replay(MappedDevices.deaths, as: entry) }, "\(trigger)")
      #expect(try fixture.rows() == before && store.history().isEmpty)
    }
  }

  @Test("a trigger that came after the replay ends the undo", arguments: StoreKind.allCases)
  func touchedByUndo(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (mapping, event, column) in [
      (MappedDevices.mapping, "UPDATE", "seen"), (MappedDevices.mapping, "UPDATE", "gone"),
      (MappedDevices.deleting, "INSERT", "seen"),
    ] {
      let (store, before) = try fixture.replayed(mapping, in: Self.table)
      try trigger(event, sets: column, fixture)
      let part = event == "UPDATE" ? "seen or gone" : "seen"
      #expect(isTriggered(part, try refusal(of: 1, store, fixture)), "\(event) \(column)")
      try fixture.run("DROP TRIGGER touch\(kind == .postgreSQL ? " ON devices" : "")")
      #expect(try undo(1, store, fixture).restored == 2)
      #expect(try fixture.rows() == before)
    }
  }

  @Test("a trigger that writes another column does no harm", arguments: StoreKind.allCases)
  func otherTrigger(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind, Self.table, MappedDevices.rows)
    try trigger("UPDATE", sets: "note", fixture)
    let store = try fixture.store(MappedDevices.mapping)
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 2)
    try fixture.run("UPDATE devices SET seen = 1500000000 WHERE id = 2")
    let answer = try undo(1, store, fixture)
    #expect(answer.restored == 1 && answer.left == [.registeredSince: 1])
    #expect(try fixture.texts("SELECT gone FROM devices ORDER BY id") == [[nil], ["1400000000"]])
  }

  // MARK: - Unique indexes

  /// Tables in which a live token, or a note, is unique, and the mapping.
  private static let unique: [StoreKind: [(columns: String, more: String, mapping: TableMapping)]] = [
    .sqlite: [
      ("", "CREATE UNIQUE INDEX live ON devices (token) WHERE gone IS NULL", MappedDevices.mapping),
      (", UNIQUE (note) ON CONFLICT REPLACE", "", MappedDevices.deleting),
      (", UNIQUE (note) ON CONFLICT ROLLBACK", "", MappedDevices.deleting),
    ],
    .postgreSQL: [
      ("", "CREATE UNIQUE INDEX live ON devices (lower(token)) WHERE gone IS NULL", MappedDevices.mapping),
      (", UNIQUE (note) DEFERRABLE INITIALLY DEFERRED", "", MappedDevices.deleting),
      (", EXCLUDE USING hash (token WITH =) WHERE (gone IS NULL)", "", MappedDevices.mapping),
    ],
    .mySQL: [
      (", live varchar(64) AS (IF(gone IS NULL, token, NULL)) STORED UNIQUE", "", MappedDevices.mapping),
      (", UNIQUE (note)", "", MappedDevices.deleting),
    ],
  ]

  /// Token 30 of 0 to 39, in hex.
  private func text(_ number: Int) -> String { String(repeating: Hex.string([UInt8(number)]), count: 32) }

  @Test(
    "rows whose unique index has another row are skipped, the others restored", arguments: StoreKind.allCases)
  func conflicts(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for table in Self.unique[kind] ?? [] {
      try fixture.begin(Self.table.dropLast() + table.columns + ")")
      if !table.more.isEmpty { try fixture.run(table.more) }
      let query = "SELECT id, token, seen, gone, note FROM devices"
      let insertion = "INSERT INTO devices (id, token, seen, note) VALUES "
      let values = (0..<40).map { "(\($0), '\(text($0))', 1300000000, \($0))" }
      try fixture.run(insertion + values.joined(separator: ", "))
      let before = try fixture.texts("\(query) ORDER BY id")
      let store = try fixture.store(table.mapping)
      let deaths = (0..<40).map {
        Dated(token: [UInt8](repeating: UInt8($0), count: 32), time: 1_400_000_000)
      }
      #expect(try store.replay(deaths, as: .sample).counts.invalidated == 40)
      // A row of the same token is live, or one of another token has the note.
      let isMark = table.mapping.action != .delete
      for number in [3, 30, 31] {
        let (token, note) = isMark ? (number, 100 + number) : (200 + number, number)
        try fixture.run("\(insertion)(\(100 + number), '\(text(token))', 1500000000, \(note))")
      }
      let added = try fixture.texts("\(query) WHERE id >= 100 ORDER BY id")
      let answer = try undo(1, store, fixture)
      #expect(answer.restored == 37 && answer.left == [.back: 3], "\(table)")
      #expect(answer.sample.map(\.token[0]) == [3, 30, 31], "\(table)")
      let restored = before.filter { !["3", "30", "31"].contains($0[0]) }
      #expect(try fixture.texts("\(query) WHERE gone IS NULL ORDER BY id") == restored + added, "\(table)")
    }
  }

  @Test("an undo that restores nothing is not recorded, and can be repeated", arguments: StoreKind.allCases)
  func nothing(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for mapping in [MappedDevices.mapping, MappedDevices.deleting] {
      let (store, before) = try fixture.replayed(mapping, in: Self.table)
      let isMark = mapping.action != .delete
      try fixture.run(
        isMark
          ? "UPDATE devices SET id = id + 10"
          : "INSERT INTO devices (id, token) VALUES (11, '\(Self.hex)'), (12, '\(Self.otherHex)')")
      let answer = try undo(1, store, fixture)
      #expect(answer.restored == 0 && answer.id == 0 && answer.left == [isMark ? .gone : .back: 2])
      #expect(try store.history().map(\.undoneBy) == [nil])
      try fixture.run(isMark ? "UPDATE devices SET id = id - 10" : "DELETE FROM devices")
      #expect(try undo(1, store, fixture).restored == 2)
      #expect(try fixture.rows() == before)
    }
  }

  // MARK: - Order

  @Test("a later replay of the same tokens is undone first", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for mapping in [MappedDevices.mapping, MappedDevices.deleting] {
      let (store, before) = try fixture.replayed(mapping, in: Self.table)
      let isMark = mapping.action != .delete
      if !isMark {
        try fixture.run("INSERT INTO devices (id, token, seen) VALUES (7, '\(Self.hex)', 1400000050)")
      }
      // It names the first of both tokens alone.
      let later = [Dated(token: MappedDevices.token, time: 1_400_000_100)]
      #expect(try store.replay(later, as: .sample).rows == 1)
      // One that changes no row, and one that cannot be undone, hinder no undo.
      #expect(try store.replay(later, as: .sample).rows == 0)
      let first: Message =
        "replay 2 changed rows of the same tokens later; undo replay 2 first; nothing was changed"
      #expect(try refusal(of: 1, store, fixture) == .notUndoable(1, first))
      #expect(try undo(2, store, fixture).restored == 1)
      let answer = try undo(1, store, fixture)
      // The row that was removed later is there again.
      #expect(answer.restored == (isMark ? 2 : 1) && answer.left == (isMark ? [:] : [.back: 1]))
      #expect(
        try fixture.rows().suffix(isMark ? 2 : 1)
          == (isMark ? before[...] : [["7", Self.hex, "1400000050", nil, nil]]))
      #expect(try store.history().map(\.undoneBy) == [5, 4, nil, nil, nil])
    }
  }

  @Test(
    "a later replay that an undo would skip hinders none, nor one of another app",
    arguments: StoreKind.allCases)
  func unrelated(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let mapping = MappedDevices.mapping { $0.app = "app" }
    try fixture.begin(
      MappedDevices.table("token varchar(64), seen bigint, gone bigint, app varchar(9)"),
      "INSERT INTO devices VALUES (1, '\(Self.hex)', 1, NULL, 'a'), (2, '\(Self.otherHex)', 1, NULL, 'a'), "
        + "(3, '\(Self.hex)', 1, NULL, 'b')")
    let store = try fixture.store(mapping)
    for (app, time) in [("a", UInt32(5)), ("b", 6), ("a", 7)] {
      let deaths = [
        Dated(token: MappedDevices.token, time: time), Dated(token: MappedDevices.other, time: 5),
      ]
      try store.replay(deaths, for: AppEnvironment(app: app), as: .sample)
    }
    guard case .notUndoable = try refusal(of: 1, store, fixture) else { throw SourceError() }
    // The device of replays 1 and 3 registered again.
    try fixture.run("UPDATE devices SET seen = 9, gone = NULL WHERE id = 1")
    let answer = try undo(1, store, fixture)
    #expect(answer.restored == 1 && answer.left == [.revived: 1])
    #expect(try fixture.texts("SELECT gone FROM devices ORDER BY id") == [[nil], [nil], ["6"]])
  }

  // MARK: - Values

  /// The text of the first one trapped.
  @Test("keys at any time come back in PostgreSQL", arguments: ["timestamp", "timestamptz"])
  func times(_ type: String) throws {
    let fixture = try StoreFixture(
      .postgreSQL,
      "CREATE TABLE devices (id \(type) PRIMARY KEY, token text, seen bigint, gone bigint)",
      MappedDevices.rows.replacing("(1, ", with: "('-infinity', ").replacing("(2, ", with: "('infinity', ")
        + ", ('2013-05-01 09:30:00.25', '\(text(3))', 1)")
    let third = Dated(token: [UInt8](repeating: 3, count: 32), time: 1_400_000_000)
    try expectRoundTrip(MappedDevices.deleting, fixture, MappedDevices.deaths + [third])
    if type == "timestamp" {
      let keys = try fixture.store(MappedDevices.deleting).changes(of: 1).map(\.key)
      #expect(Set(keys) == ["-infinity", "infinity", "2013-05-01 09:30:00.25"])
    }
  }

  @Test("a backslash in the value of a flag is one", arguments: StoreKind.allCases)
  func backslash(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let stored = kind == .mySQL ? #"a\\'b"#.replacing("'", with: "''") : #"a\''b"#
    try fixture.begin(
      MappedDevices.table("token varchar(64), seen bigint, flag varchar(9)"),
      "INSERT INTO devices VALUES (1, '\(Self.hex)', 1, '\(stored)'), (2, '\(Self.otherHex)', 1, 'ab')")
    let store = try fixture.store(MappedDevices.flag(#"a\'b"#))
    #expect(try store.rows(.dead).map(\.token) == [MappedDevices.token])
    #expect(try store.rows(.live).map(\.token) == [MappedDevices.other])
    #expect(try store.replay(MappedDevices.deaths, as: .sample).counts.invalidated == 1)
    #expect(try fixture.texts("SELECT flag FROM devices ORDER BY id") == [[#"a\'b"#], [#"a\'b"#]])
    #expect(try undo(1, store, fixture).restored == 1)
  }
}
