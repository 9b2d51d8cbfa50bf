import Basics
import TestSupport
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

  /// The smallest file with some lines instead of those with their keys, and the others after it.
  static func file(_ text: String = "") -> String {
    var more = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    let key = { (line: String) in line.prefix { $0 != ":" } }
    let own = lines.map { line in
      more.firstIndex { key($0) == key(line) }.map { more.remove(at: $0) } ?? line
    }
    return (own + more).joined(separator: "\n") + "\n"
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
      """
      store: postgresql://user@host/app
      journal: sqlite:/var/replays.sqlite
      app: {column: bundle_id, value: com.example.mail}
      environment: {value: sandbox}
      """)
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
      Self.file("action: flag\nflag: {column: active, dead: \(text), alive: yes}"))
    #expect(mapping.action == .flag(column: "active", dead: value, alive: "yes"))
  }

  private static func registered(_ form: TimeForm) -> @Sendable (inout TableMapping) -> Void {
    { $0.registered = TimeColumn(name: "r", form: form) }
  }

  private static func environment(_ sandbox: String) -> @Sendable (inout TableMapping) -> Void {
    { $0.environment = EnvironmentColumn(name: "env", production: "production", sandbox: sandbox) }
  }

  /// Lines for the least file, and what they change.
  static let variants: [(lines: String, change: @Sendable (inout TableMapping) -> Void)] = [
    ("table: devices", { $0.schema = nil }),
    ("table: {schema: my schema, name: a.b}", { ($0.schema, $0.table) = ("my schema", "a.b") }),
    ("table: {name: a.b}", { ($0.schema, $0.table) = (nil, "a.b") }),
    ("token: {form: spaced-hex, column: t}", { $0.token = TokenColumn(name: "t", form: .spacedHex) }),
    (
      "token: {expression: \"data->>'token'\", form: hex}",
      { $0.token.name = ColumnReference("data->>'token'", isExpression: true) }
    ),
    (
      "registered: {column: none, form: seconds}",
      { $0.registered = TimeColumn(name: "none", form: .seconds) }
    ),
    ("registered: {column: r, form: timestamp}", registered(.timestamp(zone: "UTC"))),
    ("registered: {column: r, form: 'timestamp:UTC'}", registered(.timestamp(zone: "UTC"))),
    ("registered: {column: r, form: timestamp, zone: '-05:00'}", registered(.timestamp(zone: "-05:00"))),
    ("registered: {column: r, form: date, zone: Europe/Berlin}", registered(.date(zone: "Europe/Berlin"))),
    ("registered: &n none\napp: *n", { $0.app = "none" }),
    ("app: {expression: lower(a)}", { $0.app = ColumnReference("lower(a)", isExpression: true) }),
    ("environment: env", environment("sandbox")),
    ("environment: {column: env, sandbox: development}", environment("development")),
    (
      "action: flag\nflag: {column: x, dead: d}", { $0.action = .flag(column: "x", dead: "d", alive: nil) }
    ),
    (
      "action: mark\ninvalidated: {column: i, form: iso, keep: latest}",
      { ($0.action, $0.keepsLatest) = (.mark(TimeColumn(name: "i", form: .iso)), true) }
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
    let (lines, change) = Self.variants[index]
    var expected = Self.least
    change(&expected)
    #expect(try read(Self.file(lines)) == expected)
  }

  // MARK: - Mistakes

  /// Lines that replace those with their keys, or come after the others; the position of the error, and a part of it.
  typealias Mistake = (lines: String, line: Int, column: Int, part: String)

  private static func mistakes(_ table: String) -> [Mistake] {
    Fixtures.rows(table, in: "yaml-mistakes").map { ($0, $1, $2, $3) }
  }

  @Test(
    "a mistake is reported with its position and a remedy",
    arguments: ["keys of a mapping", "times of a mapping", "actions of a mapping", "YAML"].flatMap(mistakes))
  func error(_ lines: String, _ line: Int, _ column: Int, _ part: String) {
    expect(Self.file(lines), line, column, part)
  }

  /// Whole files.
  @Test(
    "so is a file that lacks a key, or has none",
    arguments: [
      (lines[1...].joined(separator: "\n"), 1, "table is missing"),
      ((lines[...1] + lines[3...]).joined(separator: "\n"), 1, "registered is missing"),
      ((lines + ["table: x"]).joined(separator: "\n"), 1, "duplicate key 'table'"),
      ((lines + ["---", "table: x"]).joined(separator: "\n"), 5, "a second document begins here"),
      ("- table\n", 1, "expected keys, found a list"), ("devices\n", 1, "expected keys, found 'devices'"),
    ])
  func lack(_ text: String, _ line: Int, _ part: String) { expect(text, line, 1, part) }

  private func expect(_ text: String, _ line: Int, _ column: Int, _ part: String) {
    let message = message(text)
    #expect(message.hasPrefix("devices.yml: line \(line), column \(column): "), "\(message)")
    #expect(message.contains(part), "\(message)")
    #expect(!message.contains("\n") && !message.hasSuffix(".") && message.count < 400)
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
  static let bombs: [(text: String, part: String)] = [
    (
      // Aliases of aliases.
      "a: &a [x]\n"
        + (1...30).map { "l\($0): &l\($0) [" + repeated("*\($0 == 1 ? "a" : "l\($0 - 1)"), ", 9) + "]\n" }
        .joined() + "? *l30\n: x\n", "10"
    ),
    // Aliases after line ends of Unicode, and directives.
    ("- &a [x]\n#" + repeated("\u{2028}- *a", 12), "10"), (repeated("%TAG !x! y\n", 50_000), "10"),
    (repeated("[", 500_000), "nested too deeply"), (repeated("{a: ", 200_000), "nested too deeply"),
    (repeated("- ", 500_000), "nested too deeply"), (repeated("? ", 500_000), "nested too deeply"),
    (repeated("- &a x\n", 100_000), "expected keys, found a list"),
    ((0..<100_000).map { "k\($0): x\n" }.joined(), "unknown key 'k0'"),
    (repeated("k: x\n", 200_000), "duplicate key 'k'"),
    (repeated("k", 1_000_000) + ": x", "cannot be read as YAML: "),
    ("table: '" + repeated("x ", 500_000) + "'", "found '\(repeated("x ", 40))…'"),
    (repeated("#", (1 << 20) + 1), "expected a mapping of at most 1"),
  ]

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test("no text takes for ever", arguments: bombs.indices)
  func bomb(_ index: Int) throws {
    let message = message(Self.bombs[index].text)
    #expect(message.hasPrefix("devices.yml") && message.contains(Self.bombs[index].part), "\(message)")
    #expect(message.count < 500)
  }
}
