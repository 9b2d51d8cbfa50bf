import Basics
import Testing
import TokenStores
import Wording
import YAML

/// Examples of values, as messages show them, and the keys of a mapping.
enum MappingExample {
  static let table = "table: public.devices"
  static let tableKeys = "table: {schema: x, name: y}"
  static let token = "token: {column: device_token, form: hex}"
  static let app = "app: bundle_id, or app: {value: com.example.mail} for a table of one app"
  static let environment =
    "environment: {column: env, production: prod, sandbox: dev}, or environment: {value: sandbox}"
  static let registered =
    "registered: {column: updated_at, form: timestamptz}, or registered: none, which invalidates devices that came "
    + "back, too"
  static let invalidated = "invalidated: {column: unregistered_at, form: timestamptz}"
  static let flag = "flag: {column: active, dead: false, alive: true}"

  static let keys = [
    "table", "token", "app", "environment", "registered", "action", "invalidated", "flag", "set", "store",
    "journal",
  ]
}

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
    #expect(throws: YAMLError.self) { try read(text) }?.message.text ?? ""
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
    (
      "registered: {column: r, form: timestamp, zone: '-05:00'}",
      { $0.registered = TimeColumn(name: "r", form: .timestamp(zone: "-05:00")) }
    ),
    (
      "registered: {column: r, form: date, zone: Europe/Berlin}",
      { $0.registered = TimeColumn(name: "r", form: .date(zone: "Europe/Berlin")) }
    ),
    (
      "token: {expression: \"data->>'token'\", form: hex}",
      { $0.token.name = ColumnReference("data->>'token'", isExpression: true) }
    ),
    (
      "action: delete\napp: {expression: lower(a)}",
      { $0.app = ColumnReference("lower(a)", isExpression: true) }
    ),
    (
      "action: mark\ninvalidated: {column: i, form: iso, keep: latest}",
      {
        $0.action = .mark(TimeColumn(name: "i", form: .iso))
        $0.keepsLatest = true
      }
    ),
    (
      "action: mark\ninvalidated: {column: i, form: iso}\n"
        + "set: {why: APNs, 'is on': {dead: 0, alive: 1}, day: {form: date, zone: '+01:00'}}",
      {
        $0.action = .mark(TimeColumn(name: "i", form: .iso))
        $0.settings = [
          ColumnSetting(column: "why", value: .text(dead: "APNs", alive: nil)),
          ColumnSetting(column: "is on", value: .text(dead: "0", alive: "1")),
          ColumnSetting(column: "day", value: .time(.date(zone: "+01:00"))),
        ]
      }
    ),
  ]

  @Test("has other ways to say things", arguments: variants.indices)
  func variant(_ index: Int) throws {
    let (line, change) = Self.variants[index]
    var expected = Self.least
    change(&expected)
    #expect(try read(Self.file([String(line.prefix { $0 != ":" }): line])) == expected)
  }

  typealias Mistake = (text: String, position: String, problem: Message)

  private static func unexpected(_ found: String, for key: String, keys: Bool = true) -> Message {
    .yamlExpected(keys: keys, for: key, found: found, example: MappingExample.table)
  }

  /// Begins every message about a text that the parser refuses, in its own words.
  private static let notYAML = Message.verbatim("cannot be read as YAML: ")

  static let mistakesOfTables: [Mistake] = [
    (
      file([:], ["tokn: x"]), "line 5, column 1",
      .yamlUnknownKey("tokn", nearest: "token", keys: MappingExample.keys)
    ),
    (
      file(["token": "token: {column: t, frm: hex}"]), "line 2, column 20",
      .yamlUnknownKey("frm", nearest: "form", keys: ["column", "expression", "form"])
    ),
    (
      file(["token": "token: {column: t}"]), "line 2, column 8",
      .yamlMissingKey("token.form", example: MappingExample.token)
    ),
    (
      file(["token": "token: {column: t, form: Hex}"]), "line 2, column 26",
      .unknownValue(
        "Hex", of: "token.form", known: TokenForm.allCases.map(\.rawValue), nearest: "hex")
    ),
    (file(["token": "token: t"]), "line 2, column 8", unexpected("'t'", for: "token")),
    (file(["token": "token: [t]"]), "line 2, column 8", unexpected("a list", for: "token")),
    (
      file(["token": "token: {column: [a], form: hex}"]), "line 2, column 17",
      unexpected("a list", for: "token.column", keys: false)
    ),
    (
      file(["token": "token: {column: '', form: hex}"]), "line 2, column 17",
      "token.column is empty; write \(MappingExample.token)"
    ),
    (
      file(["token": "token: {column: , form: hex}"]), "line 2, column 17",
      "column has no value; write one, or remove the key"
    ),
    (
      file(["table": "table: a.b.c"]), "line 1, column 8",
      .notATable("a.b.c", example: MappingExample.tableKeys)
    ),
    (
      file(["table": "table: our devices"]), "line 1, column 8",
      .notATable("our devices", example: MappingExample.tableKeys)
    ),
    (
      file(["table": "table: {schema: x}"]), "line 1, column 8",
      .yamlMissingKey("table.name", example: MappingExample.tableKeys)
    ),
    (
      file(["table": "app: x"]), "line 1, column 1",
      .yamlMissingKey("table", example: MappingExample.table)
    ),
  ]

  static let mistakesOfTimes: [Mistake] = [
    (
      file(["registered": "app: x"]), "line 1, column 1",
      .yamlMissingKey("registered", example: MappingExample.registered)
    ),
    (
      file(["registered": "registered: x"]), "line 3, column 13",
      "expected keys for registered, found 'x'; write \(MappingExample.registered)"
    ),
    (
      file(["registered": "registered: {column: r, form: timestamp, zone: Europe/Berlon}"]),
      "line 3, column 48", .unknownZone("Europe/Berlon")
    ),
    (
      file(["registered": "registered: {column: r, form: timestamp, zone: ../passwd}"]), "line 3, column 48",
      .unknownZone("../passwd")
    ),
    (
      file(["registered": "registered: {column: r, form: iso, zone: UTC}"]), "line 3, column 42",
      "expected form: timestamp or date with a zone, found 'iso'; correct the form, or remove the zone"
    ),
    (
      file(["registered": "registered: {column: r, form: second}"]), "line 3, column 31",
      .unknownValue(
        "second", of: "registered.form",
        known: ["seconds", "milliseconds", "iso", "timestamptz", "timestamp", "date"], nearest: "seconds")
    ),
    (
      file(["registered": "registered: {column: r, form: timestamp, zne: UTC}"]), "line 3, column 42",
      .yamlUnknownKey("zne", nearest: "zone", keys: ["column", "expression", "form", "zone"])
    ),
  ]

  static let mistakesOfActions: [Mistake] = [
    (
      file(["action": "action: kill"]), "line 4, column 9",
      "expected one of mark, flag, delete for action, found 'kill'; choose one of them"
    ),
    (
      file(["action": "action: mark"]), "line 1, column 1",
      .yamlMissingKey("invalidated", example: MappingExample.invalidated)
    ),
    (
      file(["action": "action: flag"]), "line 1, column 1",
      .yamlMissingKey("flag", example: MappingExample.flag)
    ),
    (
      file(["action": "action: flag\nflag: {column: x}"]), "line 5, column 7",
      .yamlMissingKey("flag.dead", example: MappingExample.flag)
    ),
    (
      file([:], ["flag: {column: x, dead: 0}"]), "line 5, column 7",
      "expected no flag with action delete; remove it or correct the action"
    ),
    (
      file([:], ["invalidated: {column: x, form: iso}"]), "line 5, column 14",
      "expected no invalidated with action delete; remove it or correct the action"
    ),
    (
      file(["action": "action: flag\nflag: {column: x, dead: 0, alive: 0}"]), "line 5, column 35",
      "expected different values for dead and alive, found '0' for both; correct one of them"
    ),
    (
      file([:], ["set: {why: APNs}"]), "line 5, column 6",
      "expected no set with action delete; remove it or correct the action"
    ),
    (
      file(["action": "action: flag\nflag: {column: x, dead: 0}\nset: {x: 1}"]), "line 6, column 6",
      "expected another column for set, found 'x', which is also the column of flag"
    ),
    (
      file(["action": "action: flag\nflag: {column: x, dead: 0}\nset: {y: {form: iso, dead: 1}}"]),
      "line 6, column 10",
      "expected a form, or dead and alive, found both; write two columns, or remove one"
    ),
    (
      file(["action": "action: mark\ninvalidated: {column: x, form: iso, keep: last}"]), "line 5, column 43",
      .unknownValue("last", of: "invalidated.keep", known: ["first", "latest"], nearest: "latest")
    ),
    (
      file(["token": "token: {column: t, expression: lower(t), form: hex}"]), "line 2, column 32",
      "expected a column or an expression, found both; remove one"
    ),
  ]

  static let mistakesOfSettings: [Mistake] = [
    (
      file([:], ["environment: {column: e, production: a, sandbox: a}"]), "line 5, column 50",

      "expected one value for production and another for sandbox, found 'a' for both; correct one of "
        + "them"
    ),
    (
      file([:], ["environment: {production: a}"]), "line 5, column 14",
      .yamlMissingKey("environment.column", example: MappingExample.environment)
    ),
    (
      file([:], ["app: device_token"]), "line 5, column 6",
      "expected another column for app, found 'device_token', which is also the column of token"
    ),
    (
      file([:], ["store: {column: x}"]), "line 5, column 8", unexpected("keys", for: "store", keys: false)
    ),
    (file([:], ["store: devices.sqlite"]), "line 5, column 8", .notAStoreURL("devices.sqlite")),
    (
      file([:], ["journal: postgresql:///app"]), "line 5, column 10", .journalIsTheStore("postgresql:///app")
    ),
    (
      file([:], ["app: {}"]), "line 5, column 6", .yamlMissingKey("app.column", example: MappingExample.app)
    ),
    (
      file([:], ["environment: {value: prod}"]), "line 5, column 22",
      .unknownValue(
        "prod", of: "environment.value", known: ["production", "sandbox"], nearest: "production")
    ),
    (
      file([:], ["environment: {value: sandbox, sandbox: dev}"]), "line 5, column 14",
      .yamlMissingKey("environment.column", example: MappingExample.environment)
    ),
  ]

  static let mistakesOfYAML: [Mistake] = [
    (file([:], ["app:"]), "line 5, column 5", "app has no value; write one, or remove the key"),
    (file([:], ["[a]: x"]), "line 5, column 1", "a key must be a text, found a list"),
    (file([:], ["table: x"]), "line 1, column 1", .yamlDuplicateKey("table")),
    (file([:], ["!x table: x"]), "line 1, column 1", .yamlDuplicateKey("table")),
    (file([:], ["app: x", "app: y"]), "line 5, column 1", .yamlDuplicateKey("app")),
    (
      file([:], ["---", "table: x"]), "line 5, column 1",
      "a second document begins here; write each to a file of its own"
    ),
    (file([:], ["app: 'x"]), "line 6, column 1", notYAML),
    (file([:], ["\tapp: x"]), "line 5, column 1", notYAML),
    (file([:], ["app: *x"]), "line 5, column 6", .verbatim("undefined alias")),
    ("- table\n", "line 1, column 1", unexpected("a list", for: "")),
    ("devices\n", "line 1, column 1", unexpected("'devices'", for: "")),
    (file([:], ["app: a\u{1}"]), "line 5, column 7", .yamlControlCharacter([1])),
    (file([:], ["app: \u{feff}a"]), "line 5, column 6", .yamlControlCharacter([0xef, 0xbb, 0xbf])),
    (
      file([:], [#"app: "a\uFEFF""#]), "line 5, column 6",
      "app has a zero byte or a byte order mark; remove it"
    ),
    (file([:], ["app: é\u{9b}"]), "line 5, column 7", .yamlControlCharacter([0xc2, 0x9b])),
  ]

  @Test(
    "a mistake is reported with its position and a remedy",
    arguments: mistakesOfTables + mistakesOfTimes + mistakesOfActions + mistakesOfSettings + mistakesOfYAML)
  func error(_ text: String, _ position: String, _ problem: Message) {
    let message = message(text)
    #expect(message.hasPrefix("devices.yml: \(position): "), "\(message)")
    #expect(message.contains(problem.text), "\(message)")
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
  static let bombs: [(name: String, text: String, problem: Message)] = [
    (
      "aliases of aliases",
      "a: &a [x]\n"
        + (1...30).map { "l\($0): &l\($0) [" + repeated("*\($0 == 1 ? "a" : "l\($0 - 1)"), ", 9) + "]\n" }
        .joined()
        + "? *l30\n: x\n", .yamlTooManyAliases(limit: 10)
    ),
    (
      "aliases after line ends of Unicode",
      "- &a [x]\n#" + repeated("\u{2028}- *a", 12), .yamlTooManyAliases(limit: 10)
    ),
    ("directives", repeated("%TAG !x! y\n", 50_000), .yamlTooManyAliases(limit: 10)),
    ("lists in lists", repeated("[", 500_000), .yamlTooDeep),
    ("keys in keys", repeated("{a: ", 200_000), .yamlTooDeep),
    ("items in items", repeated("- ", 500_000), .yamlTooDeep),
    ("keys of keys", repeated("? ", 500_000), .yamlTooDeep),
    ("anchors", repeated("- &a x\n", 100_000), unexpected("a list", for: "")),
    (
      "keys", (0..<100_000).map { "k\($0): x\n" }.joined(),
      .yamlUnknownKey("k0", nearest: "app", keys: MappingExample.keys)
    ),
    ("one key", repeated("k: x\n", 200_000), .yamlDuplicateKey("k")),
    ("a long key", repeated("k", 1_000_000) + ": x", notYAML),
    (
      "a long text", "table: '" + repeated("x ", 500_000) + "'",
      .notATable(repeated("x ", 40) + "…", example: MappingExample.tableKeys)
    ),
    (
      "more than 1 MiB", repeated("#", (1 << 20) + 1),
      .mappingTooLong("devices.yml", limit: 1 << 20)
    ),
  ]

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test("no text takes for ever", arguments: bombs.map(\.name))
  func bomb(_ name: String) throws {
    let bomb = try #require(Self.bombs.first { $0.name == name })
    let message = message(bomb.text)
    #expect(message.hasPrefix("devices.yml") && message.contains(bomb.problem.text), "\(message)")
    #expect(message.count < 500)
  }
}
