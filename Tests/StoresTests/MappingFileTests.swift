import Stores
import Testing
import TokenStores
import YAML

@Suite("A mapping file")
struct MappingFileTests {
  /// A file that lacks nothing, with a line for each key.
  static let lines = [
    "table: public.devices", "token: {column: device_token, form: hex}", "registered: none", "action: delete",
  ]
  static let least = TableMapping(
    schema: "public", table: "devices", token: TokenColumn(name: "device_token", form: .hex), action: .delete)

  /// The smallest file with some lines replaced.
  static func file(_ changes: [String: String] = [:], _ more: [String] = []) -> String {
    (lines.map { line in changes[String(line.prefix { $0 != ":" })] ?? line } + more).joined(separator: "\n")
      + "\n"
  }

  private func read(_ text: String) throws -> TableMapping {
    try MappingFile(Array(text.utf8), name: "devices.yml").mapping
  }

  /// The message of a file that makes no mapping.
  private func message(_ text: String) -> String {
    #expect(throws: YAMLError.self) { try read(text) }?.message ?? ""
  }

  @Test("describes the columns of a table")
  func whole() throws {
    let text = """
      # Our devices.
      table: public.devices
      token: {column: device_token, form: hex}
      app: bundle_id
      environment: {column: env, production: prod, sandbox: dev}
      registered: {column: updated_at, form: timestamp, zone: Europe/Berlin}
      action: mark
      invalidated:
        column: unregistered_at
        form: timestamptz
      """
    #expect(
      try read(text)
        == TableMapping(
          schema: "public", table: "devices", token: TokenColumn(name: "device_token", form: .hex),
          app: "bundle_id", environment: EnvironmentColumn(name: "env", production: "prod", sandbox: "dev"),
          registered: TimeColumn(name: "updated_at", form: .timestamp(zone: "Europe/Berlin")),
          action: .mark(TimeColumn(name: "unregistered_at", form: .timestamptz))))
  }

  @Test("may say what options say otherwise; the mapping is the same")
  func settings() throws {
    let text = Self.file(
      [:],
      [
        "store: postgresql://user@host/app", "journal: sqlite:/var/replays.sqlite",
        "app: {column: bundle_id, value: com.example.mail}", "environment: {value: sandbox}",
      ])
    let file = try MappingFile(Array(text.utf8), name: "devices.yml")
    #expect(
      file.store == "postgresql://user@host/app" && file.journal == .sqlite(path: "/var/replays.sqlite"))
    #expect(file.app == "com.example.mail" && file.environment == .sandbox)
    #expect(file.mapping.app == "bundle_id" && file.mapping.environment == nil)
    let plain = try MappingFile(Array(Self.file().utf8), name: "devices.yml")
    #expect(plain.store == nil && plain.journal == nil && plain.app == nil && plain.environment == nil)
  }

  /// Texts of the value `dead`, and the column's value.
  static let scalars: [(text: String, value: String)] = [
    ("false", "false"), ("no", "no"), ("0", "0"), ("0x10", "0x10"), ("1_000", "1_000"), ("null", "null"),
    ("~", "~"), ("'1'", "1"), ("''", ""), (#""\x41\n""#, "A\n"), ("2001-01-01", "2001-01-01"), ("1.0", "1.0"),
    ("é", "é"), ("!!int 07", "07"),
  ]

  @Test("values keep their text", arguments: scalars)
  func scalar(_ text: String, _ value: String) throws {
    let mapping = try read(
      Self.file(["action": "action: flag"], ["flag: {column: active, dead: \(text), alive: yes}"]))
    #expect(mapping.action == .flag(column: "active", dead: value, alive: "yes"))
  }

  /// Lines that replace one of the least file, and what they change.
  static let variants: [(line: String, change: @Sendable (inout TableMapping) -> Void)] = [
    ("table: devices", { $0.schema = nil }),
    (
      "table: {schema: my schema, name: a.b}",
      {
        $0.schema = "my schema"
        $0.table = "a.b"
      }
    ),
    (
      "table: {name: a.b}",
      {
        $0.schema = nil
        $0.table = "a.b"
      }
    ),
    ("token: {form: spaced-hex, column: t}", { $0.token = TokenColumn(name: "t", form: .spacedHex) }),
    (
      "registered: {column: none, form: seconds}",
      { $0.registered = TimeColumn(name: "none", form: .seconds) }
    ),
    (
      "registered: {column: r, form: timestamp}",
      { $0.registered = TimeColumn(name: "r", form: .timestamp(zone: "UTC")) }
    ),
    (
      "registered: {column: r, form: 'timestamp:UTC'}",
      { $0.registered = TimeColumn(name: "r", form: .timestamp(zone: "UTC")) }
    ),
    (
      "action: delete\nenvironment: env",
      { $0.environment = EnvironmentColumn(name: "env", production: "production", sandbox: "sandbox") }
    ),
    (
      "action: delete\nenvironment: {column: env, sandbox: development}",
      { $0.environment = EnvironmentColumn(name: "env", production: "production", sandbox: "development") }
    ),
    (
      "action: flag\nflag: {column: x, dead: d}", { $0.action = .flag(column: "x", dead: "d", alive: nil) }
    ),
    ("registered: &n none\napp: *n", { $0.app = "none" }),
  ]

  @Test("has other ways to say things", arguments: variants.indices)
  func variant(_ index: Int) throws {
    let (line, change) = Self.variants[index]
    var expected = Self.least
    change(&expected)
    #expect(try read(Self.file([String(line.prefix { $0 != ":" }): line])) == expected)
  }

  /// Files, the position of the mistake, and parts of the message.
  static let mistakes: [(text: String, position: String, parts: [String])] = [
    (
      file([:], ["tokn: x"]), "line 5, column 1",
      ["unknown key 'tokn'", "did you mean token?", "table, token"]
    ),
    (
      file(["token": "token: {column: t, frm: hex}"]), "line 2, column 20",
      ["'frm'", "did you mean form?"]
    ),
    (
      file(["token": "token: {column: t}"]), "line 2, column 8",
      ["token.form is missing", "write token: {column: "]
    ),
    (file(["token": "token: {column: t, form: Hex}"]), "line 2, column 26", ["'Hex'", "nearest is hex"]),
    (file(["token": "token: t"]), "line 2, column 8", ["expected keys for token", "found 't'"]),
    (file(["token": "token: [t]"]), "line 2, column 8", ["found a list"]),
    (
      file(["token": "token: {column: [a], form: hex}"]), "line 2, column 17",
      ["token.column", "found a list"]
    ),
    (file(["token": "token: {column: '', form: hex}"]), "line 2, column 17", ["token.column is empty"]),
    (file(["token": "token: {column: , form: hex}"]), "line 2, column 17", ["no value"]),
    (file(["table": "table: a.b.c"]), "line 1, column 8", ["'a.b.c'", "{schema: x, name: y}"]),
    (file(["table": "table: our devices"]), "line 1, column 8", ["{schema: x, name: y}"]),
    (file(["table": "table: {schema: x}"]), "line 1, column 8", ["table.name is missing"]),
    (file(["table": "app: x"]), "line 1, column 1", ["table is missing", "write table: "]),
    (file(["registered": "app: x"]), "line 1, column 1", ["registered is missing", "registered: none"]),
    (file(["registered": "registered: x"]), "line 3, column 13", ["found 'x'", "or registered: none"]),
    (
      file(["registered": "registered: {column: r, form: timestamp, zone: Europe/Berlon}"]),
      "line 3, column 48", ["'Europe/Berlon'", "tz database"]
    ),
    (
      file(["registered": "registered: {column: r, form: timestamp, zone: ../passwd}"]), "line 3, column 48",
      ["'../passwd'"]
    ),
    (
      file(["registered": "registered: {column: r, form: iso, zone: UTC}"]), "line 3, column 42",
      ["expected form: timestamp", "'iso'"]
    ),
    (
      file(["registered": "registered: {column: r, form: second}"]), "line 3, column 31",
      ["nearest is seconds"]
    ),
    (
      file(["registered": "registered: {column: r, form: timestamp, zne: UTC}"]), "line 3, column 42",
      ["'zne'", "did you mean zone"]
    ),
    (file(["action": "action: kill"]), "line 4, column 9", ["'kill'", "mark, flag, delete"]),
    (file(["action": "action: mark"]), "line 1, column 1", ["invalidated is missing", "write invalidated:"]),
    (file(["action": "action: flag"]), "line 1, column 1", ["flag is missing", "write flag:"]),
    (
      file(["action": "action: flag\nflag: {column: x}"]), "line 5, column 7", ["flag.dead is missing"]
    ),
    (
      file([:], ["flag: {column: x, dead: 0}"]), "line 5, column 7",
      ["expected no flag", "action delete"]
    ),
    (
      file([:], ["invalidated: {column: x, form: iso}"]), "line 5, column 14",
      ["expected no invalidated"]
    ),
    (
      file(["action": "action: flag\nflag: {column: x, dead: 0, alive: 0}"]), "line 5, column 35",
      ["different values for dead and alive"]
    ),
    (
      file([:], ["environment: {column: e, production: a, sandbox: a}"]), "line 5, column 50", ["for both"]
    ),
    (
      file([:], ["environment: {production: a}"]), "line 5, column 14", ["environment.column is missing"]
    ),
    (file([:], ["app: device_token"]), "line 5, column 6", ["another column for app", "column of token"]),
    (file([:], ["store: {column: x}"]), "line 5, column 8", ["expected a single text for store, found keys"]),
    (file([:], ["store: devices.sqlite"]), "line 5, column 8", ["write sqlite:devices.sqlite"]),
    (
      file([:], ["journal: postgresql:///app"]), "line 5, column 10",
      ["found 'postgresql:///app'", "sqlite:PATH"]
    ),
    (file([:], ["app: {}"]), "line 5, column 6", ["app.column is missing"]),
    (
      file([:], ["environment: {value: prod}"]), "line 5, column 22",
      ["one of production, sandbox", "production"]
    ),
    (
      file([:], ["environment: {value: sandbox, sandbox: dev}"]), "line 5, column 14",
      ["environment.column is missing"]
    ),
    (file([:], ["app:"]), "line 5, column 5", ["no value"]),
    (file([:], ["[a]: x"]), "line 5, column 1", ["found a list"]),
    (file([:], ["table: x"]), "line 1, column 1", ["duplicate key", "'table'"]),
    (file([:], ["!x table: x"]), "line 5, column 1", ["duplicate key", "'table'"]),
    (file([:], ["app: x", "app: y"]), "line 5, column 1", ["duplicate key"]),
    (file([:], ["---", "table: x"]), "line 5, column 1", ["second document"]),
    (file([:], ["app: 'x"]), "line 6, column 1", ["cannot be read as YAML"]),
    (file([:], ["\tapp: x"]), "line 5, column 1", ["cannot be read as YAML"]),
    (file([:], ["app: *x"]), "line 5, column 6", ["undefined alias"]),
    ("- table\n", "line 1, column 1", ["found a list"]),
    ("devices\n", "line 1, column 1", ["found 'devices'"]),
    (file([:], ["app: a\u{1}"]), "line 5, column 7", ["control character"]),
    (file([:], ["app: \u{feff}a"]), "line 5, column 6", ["control character 0xefbbbf"]),
    (file([:], [#"app: "a\uFEFF""#]), "line 5, column 6", ["byte order mark"]),
    (file([:], ["app: é\u{9b}"]), "line 5, column 7", ["control character"]),
  ]

  @Test("a mistake is reported with its position and a remedy", arguments: mistakes)
  func mistake(_ text: String, _ position: String, _ parts: [String]) {
    let message = message(text)
    #expect(message.hasPrefix("devices.yml: \(position): "), "\(message)")
    for part in parts { #expect(message.contains(part), "\(message)") }
    #expect(!message.contains("\n") && !message.hasSuffix("."))
    #expect(message.count < 400)
  }

  @Test("a file with nothing in it is none", arguments: ["", "\n", "# nothing\n", "---\n", "{}"])
  func nothing(_ text: String) {
    #expect(message(text).hasPrefix("devices.yml: "))
  }

  @Test(
    "line ends of any system, a byte order mark and comments do not matter", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    let stars = Array(repeating: "# * *a *b ***", count: 9)
    let text = "\u{feff}" + (stars + Self.lines).joined(separator: end) + end
    #expect(try read(text) == Self.least)
    #expect(try read("\u{feff}" + Self.lines.joined(separator: end)) == Self.least)
    #expect(message(text + "x: y" + end).contains("line 14, column 1"))
  }

  /// Texts that a parser could work on for ever, or without an end of memory.
  static let bombs: [(name: String, text: String, part: String)] = [
    (
      "aliases of aliases",
      "a: &a [x]\n"
        + (1...30).map { "l\($0): &l\($0) [" + repeated("*\($0 == 1 ? "a" : "l\($0 - 1)"), ", 9) + "]\n" }
        .joined()
        + "? *l30\n: x\n", "more than 10 aliases"
    ),
    (
      "aliases after line ends of Unicode",
      "a: &a [x]\n#" + repeated("\u{2028}- *a", 12), "more than 10 aliases"
    ),
    ("directives", repeated("%TAG !x! y\n", 50_000), "more than 10 aliases or directives"),
    ("lists in lists", repeated("[", 500_000), "nested too deep"),
    ("keys in keys", repeated("{a: ", 200_000), "nested too deep"),
    ("items in items", repeated("- ", 500_000), "nested too deep"),
    ("keys of keys", repeated("? ", 500_000), "nested too deep"),
    ("anchors", repeated("- &a x\n", 100_000), "found a list"),
    ("keys", (0..<100_000).map { "k\($0): x\n" }.joined(), "unknown key 'k0'"),
    ("one key", repeated("k: x\n", 200_000), "duplicate key"),
    ("a long key", repeated("k", 1_000_000) + ": x", "cannot be read as YAML"),
    ("a long text", "table: '" + repeated("x ", 500_000) + "'", "expected TABLE"),
    ("more than 1 MiB", repeated("#", (1 << 20) + 1), "at most 1.0 MiB"),
  ]

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test("no text takes for ever", arguments: bombs.map(\.name))
  func bomb(_ name: String) throws {
    let bomb = try #require(Self.bombs.first { $0.name == name })
    let message = message(bomb.text)
    #expect(message.hasPrefix("devices.yml") && message.contains(bomb.part), "\(message)")
    #expect(message.count < 500)
  }
}
