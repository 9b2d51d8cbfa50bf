import Basics
import TestSupport
import Testing
import TokenStores
import YAML

@Suite("A mapping as a line of JSON")
struct MappingTextTests {
  @Test("has the keys of the file, without what is left open")
  func shape() throws {
    let mapping = TableMapping(
      schema: "public", table: "devices", token: TokenColumn(name: "device_token", form: .upperHex),
      app: "bundle \"id\"", environment: EnvironmentColumn(name: "env", production: "prod", sandbox: ""),
      registered: TimeColumn(name: "updated_at", form: .timestamp(zone: "Europe/Berlin")),
      action: .flag(column: "active", dead: "no", alive: nil))
    #expect(
      MappingText.json(mapping)
        == #"{"table":{"schema":"public","name":"devices"},"token":{"column":"device_token","form":"upper-hex"},"#
        + #""app":"bundle \"id\"","environment":{"column":"env","production":"prod","sandbox":""},"#
        + #""registered":{"column":"updated_at","form":"timestamp","zone":"Europe/Berlin"},"#
        + #""action":"flag","flag":{"column":"active","dead":"no"}}"#)
    let least = TableMapping(
      table: "devices", token: TokenColumn(name: "t", form: .bytes), action: .delete)
    #expect(
      MappingText.json(least)
        == #"{"table":{"name":"devices"},"token":{"column":"t","form":"bytes"},"registered":"none","action":"delete"}"#
    )
  }

  @Test("says the same when it is read again, whatever the names and values", arguments: 0..<20)
  func roundTrip(_ seed: UInt64) throws {
    var random = RandomMappings(seed: seed)
    for _ in 0..<100 {
      let mapping = random.next()
      let json = MappingText.json(mapping)
      let read = try MappingFile(Array(json.utf8), name: "journal").mapping
      #expect(read == mapping, "\(json)")
      // Equal strings can differ in bytes, and are different in a database.
      #expect(Array(MappingText.json(read).utf8) == Array(json.utf8))
      #expect(!json.contains("\n"))
    }
  }

  private static let rest = #""token":{"column":"t","form":"bytes"},"registered":"none","action":"delete""#

  @Test(
    "is checked as a file is",
    arguments: [
      ("", "is empty"), ("[]", "expected keys, found a list"), ("{", "cannot be read as YAML: "),
      (#"{"table":{"name":"d"}}"#, "token is missing"),
      (#"{"table":{"name":"d"},\#(rest),"x":1}"#, "line 1, column 99: unknown key 'x'"),
      (#"{"table":{"name":"a\u0000b"},\#(rest)}"#, "table.name has a zero byte"),
    ])
  func error(_ text: String, _ part: String) {
    let error = #expect(throws: YAMLError.self) {
      try MappingFile(Array(text.utf8), name: "journal").mapping
    }
    #expect(error?.message.text.contains(part) == true, "\(error?.message.text ?? "")")
  }

  @Test("no text stops the reader for long, or at all", arguments: 0..<20)
  func damaged(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var mappings = RandomMappings(seed: seed)
    let signs = Array(#"{}[]:,"'&*!%#-?>|\ "#.utf8) + [0, 9, 10, 13, 0x7f, 0x80, 0xc2, 0xff]
    for _ in 0..<100 {
      var bytes = Array(MappingText.json(mappings.next()).utf8)
      for _ in 0..<random.pick(1...5) { bytes[random.pick(0...bytes.count - 1)] = random.pick(signs) }
      // What it says does not matter: an error is an answer, too.
      _ = try? MappingFile(bytes, name: "journal").mapping
    }
  }
}

/// Mappings with names and values of any text that a database takes.
struct RandomMappings {
  private var random: SeededGenerator
  private var used: Set<String> = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next() -> TableMapping {
    used = []
    var mapping = TableMapping(
      schema: random.chance(2) ? name() : nil, table: name(),
      token: TokenColumn(name: read(), form: random.pick(TokenForm.allCases)), action: action())
    if random.chance(2) { mapping.app = read() }
    if random.chance(2) {
      mapping.environment = EnvironmentColumn(name: read(), production: text(), sandbox: text())
    }
    if random.chance(2) { mapping.registered = TimeColumn(name: read(), form: form()) }
    if mapping.action == .delete { return mapping }
    if case .mark = mapping.action { mapping.keepsLatest = random.chance(2) }
    mapping.settings = (0..<random.pick(0...3)).map { _ in ColumnSetting(column: name(), value: setting()) }
    return mapping
  }

  private mutating func setting() -> WrittenValue<String> {
    random.chance(2) ? .time(form()) : .text(dead: text(), alive: random.chance(2) ? text() : nil)
  }

  private mutating func read() -> ColumnReference { ColumnReference(name(), isExpression: random.chance(3)) }

  private mutating func action() -> InvalidationAction {
    switch random.pick(0...2) {
    case 0: .mark(TimeColumn(name: ColumnReference(name()), form: form()))
    case 1: .flag(column: name(), dead: text(), alive: random.chance(2) ? text() : nil)
    default: .delete
    }
  }

  private mutating func form() -> TimeForm {
    random.pick([
      .seconds, .milliseconds, .iso, .timestamptz, .timestamp(zone: "UTC"), .timestamp(zone: "Europe/Berlin"),
      .timestamp(zone: "-05:00"), .date(zone: "UTC"), .date(zone: "+0930"),
    ])
  }

  private mutating func name() -> String {
    var text = text()
    while text.isEmpty { text = self.text() }
    return text
  }

  /// A text that was not there before: columns and values must differ.
  private mutating func text() -> String {
    let words = [
      "none", "null", "~", "no", "0", "0x1f", "*a", "&a", "# x", " x ", "- a", "a: b", "é", "e\u{301}",
    ]
    while true {
      var text = random.chance(3) ? random.pick(words) : ""
      if text.isEmpty { for _ in 0..<random.pick(0...12) { text.unicodeScalars.append(scalar()) } }
      if used.insert(text).inserted { return text }
    }
  }

  private mutating func scalar() -> Unicode.Scalar {
    let edges: [UInt32] = [
      1, 9, 10, 13, 0x22, 0x27, 0x5c, 0x7f, 0x85, 0xa0, 0x2028, 0x2029, 0xd7ff, 0xe000, 0xfffd, 0xfffe,
      0xffff, 0x10000, 0x1f600, 0x10ffff,
    ]
    let value = random.chance(3) ? random.pick(edges) : UInt32(random.pick(1...0x2ff))
    return Unicode.Scalar(value) ?? "x"
  }
}
