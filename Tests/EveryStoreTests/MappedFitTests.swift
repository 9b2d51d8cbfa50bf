import Basics
import StoreTestSupport
import Testing
import TokenStores

/// Tables of others in every shape that serves.
@Suite("Mappings that fit their tables") struct MappedFitTests {
  /// A table and a mapping, for rows of both tokens.
  typealias Fit = (sql: String, mapping: TableMapping)

  private static let (hex, otherHex) = (MappedDevices.hex, MappedDevices.otherHex)

  /// A table of the usual columns, with both rows.
  private static func table(_ columns: String, _ more: String = "", before: String = "") -> Fit {
    ("\(before)CREATE TABLE devices (\(columns))\(more); \(MappedDevices.rows)", MappedDevices.mapping)
  }

  private static let everywhere: [Fit] = [
    table("id bigint, token varchar(64) PRIMARY KEY, seen bigint, gone bigint"),
    table("id bigint, token char(64), seen numeric, gone int, PRIMARY KEY (token, id)"),
    (
      "CREATE TABLE \"a.b \"\"c\"\"\" (id bigint PRIMARY KEY, \"select\" text, \"Seen at\" bigint, \"GÖNE\" bigint); "
        + "INSERT INTO \"a.b \"\"c\"\"\" VALUES (1, '\(hex)', 1300000000, NULL), (2, '\(otherHex)', NULL, NULL)",
      TableMapping(
        table: "a.b \"c\"", token: TokenColumn(name: "select", form: .hex),
        registered: TimeColumn(name: "Seen at", form: .seconds),
        action: .mark(TimeColumn(name: "GÖNE", form: .seconds)))
    ),
  ]

  private static let special: [StoreKind: [Fit]] = [
    .sqlite: [
      table("rowid text, id bigint, token text PRIMARY KEY, seen bigint, gone bigint", " WITHOUT ROWID"),
      table("rowid text, oid text, id bigint PRIMARY KEY, token text, seen bigint, gone bigint"),
      table("id int PRIMARY KEY, token text, seen int, gone int", " STRICT"),
    ],
    .postgreSQL: [
      table(
        "id bigint PRIMARY KEY, token push_key, seen bigint, gone bigint",
        before: "CREATE DOMAIN key AS varchar(64); "
          + "CREATE DOMAIN push_key AS key CHECK (length(VALUE) = 64); "),
      table(
        "id bigint PRIMARY KEY, token text, seen bigint, gone bigint",
        " PARTITION BY HASH (id); "
          + "CREATE TABLE p0 PARTITION OF devices FOR VALUES WITH (MODULUS 2, REMAINDER 0); "
          + "CREATE TABLE p1 PARTITION OF devices FOR VALUES WITH (MODULUS 2, REMAINDER 1)"),
      (
        "CREATE SCHEMA \"My Own\"; CREATE TABLE \"My Own\".devices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), "
          + "token text, seen bigint, gone bigint); INSERT INTO \"My Own\".devices (token) VALUES ('\(hex)'), "
          + "('\(otherHex)')", MappedDevices.mapping { $0.schema = "My Own" }
      ),
    ],
    .mySQL: [
      table(
        "id bigint, token char(64) CHARACTER SET ascii, seen int unsigned, gone int unsigned, "
          + "note timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, PRIMARY KEY (token, id)"
      ),
      (
        "CREATE TABLE devices (id bigint PRIMARY KEY, token varchar(64) CHARACTER SET latin1, "
          + "seen timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, gone datetime(3)); "
          + "INSERT INTO devices VALUES (1, '\(hex)', from_unixtime(1300000000), NULL), "
          + "(2, '\(otherHex)', from_unixtime(1300000000), NULL)",
        MappedDevices.mapping {
          $0.registered?.form = .timestamptz
          $0.action = .mark(TimeColumn(name: "gone", form: .timestamp(zone: "UTC")))
        }
      ),
    ],
  ]

  @Test("devices die and live again", arguments: StoreKind.allCases)
  func fits(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for (sql, mapping) in Self.everywhere + (Self.special[kind] ?? []) {
      try fixture.begin(sql)
      let store = try fixture.store(mapping)
      try store.check(for: .recording)
      let answer = try store.replay(MappedDevices.deaths, as: .sample)
      #expect(answer.counts.invalidated == 2, "\(sql)")
      #expect(try store.rows(.dead).count == 2, "\(sql)")
      #expect(try store.undo(answer.replay ?? 0, entry: .sample).restored == 2, "\(sql)")
      #expect(try store.rows(.live).count == 2, "\(sql)")
    }
  }

  /// Of 32 bytes 0xa1, as other programs write them.
  private static let spellings = {
    let groups = Array(repeating: "a1a1a1a1", count: 8)
    let spaced = groups.joined(separator: " ")
    return [
      hex, spaced, "<\(spaced)>", "0x\(hex)", "x'\(hex)'", "\\x\(hex)", groups.joined(separator: "+"),
      "%3c\(groups.joined(separator: "%20"))%3e", "\(hex)\u{b}",
    ]
  }()

  @Test("beside an index, a token is found in every form of hex", arguments: StoreKind.allCases)
  func spellings(_ kind: StoreKind) throws {
    let others = (2...60).map { "(\($0), '\(String(repeating: Hex.string([UInt8($0)]), count: 32))')" }
    let fixture = try StoreFixture(
      kind, MappedDevices.table("token varchar(200), seen bigint, gone bigint"),
      "CREATE INDEX tokens ON devices (token)",
      "INSERT INTO devices (id, token) VALUES (1, ''), \(others.joined(separator: ", "))",
      "ANALYZE \(kind == .mySQL ? "TABLE " : "")devices")
    for form in [TokenForm.hex, .upperHex] {
      let store = try fixture.store(MappedDevices.mapping { $0.token.form = form })
      for spelled in Self.spellings + Self.spellings.map({ $0.replacing("a", with: "A") }) {
        let quoted = spelled.replacing("'", with: "''").replacing("\\", with: kind == .mySQL ? "\\\\" : "\\")
        try fixture.run("UPDATE devices SET token = '\(quoted)', gone = NULL WHERE id = 1")
        let counts = try store.replay(Array(MappedDevices.deaths.prefix(1)))
        #expect(counts.invalidated == 1, "\(form) \(spelled)")
      }
    }
  }

  @Test(
    "a token in several rows counts once, is protected by any, and is reported", arguments: StoreKind.allCases
  )
  func several(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(
      kind,
      MappedDevices.table,
      """
      INSERT INTO devices (id, token, seen) VALUES (1, '\(Self.hex)', 1), (2, '\(Self.hex.uppercased())', NULL),
        (3, '\(Self.otherHex)', 1), (4, '\(Self.otherHex.uppercased())', 1500000000)
      """)
    let store = try fixture.store(MappedDevices.mapping)
    let trial = ReplayOptions.unlimited(ReplayOptions(dryRun: true))
    #expect(try store.replay(MappedDevices.deaths, options: trial).repeated == 2)
    let answer = try store.replay(MappedDevices.deaths, as: .sample)
    #expect(answer.repeated == 2 && answer.counts.invalidated == 1 && answer.counts.kept == 1)
    let gone = try fixture.texts("SELECT gone FROM devices ORDER BY id")
    #expect(gone == [["1400000000"], ["1400000000"], [nil], [nil]])
    #expect(try store.undo(1, entry: .sample).restored == 2)
    #expect(try store.rows(.live).count == 4)
  }
}
