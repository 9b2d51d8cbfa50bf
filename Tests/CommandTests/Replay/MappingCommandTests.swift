import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Options for a table of one's own")
struct MappingCommandTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    try directory.write(
      """
      table: devices
      token: {column: token, form: hex}
      registered: none
      action: remove
      """, to: "devices.yml")
  }

  private static let commands = [
    ["replay", "dump.bin"], ["store", "show", "aa"], ["store", "list"], ["store", "register", "aa"],
    ["store", "history"], ["store", "undo", "1"],
  ]

  @Test("every command that works on a store reads the mapping", arguments: commands)
  func everyCommand(_ command: [String]) throws {
    let outcome = try directory.apnsift(command + Self.store + ["--mapping", "devices.yml"]).exits(64)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.messages == [
        Message.about(
          "devices.yml: line 4, column 9",
          "expected one of mark, flag, delete for action, found 'remove'; choose one of them"
        ).text
      ])
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  private static let store = ["--store", "sqlite:own.sqlite"]

  @Test("a try says what the dump would do to the table, and writes nothing")
  func trial() throws {
    _ = try prepare("id INTEGER PRIMARY KEY")
    try directory.sqlite("own.sqlite", "INSERT INTO devices (token) VALUES ('ffff')")
    let table = Self.store + ["--table", "devices", "--token-column", "token"]
    let outcome = try directory.apnsift(["replay", "dump.bin", "--dry-run"] + table).exits(0)
    #expect(outcome.text.contains("invalidated 2"), "\(outcome.text)")
    let list = try directory.apnsift(["store", "list"] + table).exits(0)
    #expect((0..<2).allSatisfy { list.text.contains(hex(token($0))) }, "\(list.text)")
    #expect(try directory.sqlite("own.sqlite", "SELECT count(*) FROM devices") == "3")
  }

  /// Makes a table of two tokens of the dump, and a mapping that fits.
  private func prepare(_ id: String) throws -> [String] {
    let rows = (0..<2).map { "('\(hex(token($0)))')" }.joined(separator: ", ")
    try directory.sqlite(
      "own.sqlite",
      "CREATE TABLE devices (\(id), token TEXT, gone TEXT); INSERT INTO devices (token) VALUES \(rows);")
    try directory.writeMapping(to: "sound.yml", gone: "iso")
    return Self.store + ["--mapping", "sound.yml"]
  }

  @Test("a dry run says what the replay would be refused for", arguments: [[], ["--no-journal"]])
  func refusals(_ options: [String]) throws {
    let store = try prepare("id INTEGER")
    let outcome = try directory.apnsift(["replay", "dump.bin", "--dry-run"] + store + options).exits(0)
    let refused = "the replay would be refused: table devices does not fit: for the primary key"
    #expect(outcome.messages.last?.contains(refused) == options.isEmpty, "\(outcome.errors)")
    #expect(
      try directory.apnsift(["replay", "dump.bin"] + store + options).code == (options.isEmpty ? 2 : 0))
  }

  @Test(
    "without its mapping, the history of a table says what to give", arguments: [["history"], ["undo", "1"]])
  func unmapped(_ command: [String]) throws {
    let store = try prepare("id INTEGER PRIMARY KEY")
    #expect(try directory.apnsift(["replay", "dump.bin"] + store).code == 0)
    let outcome = try directory.apnsift(["store"] + command + store.prefix(2)).exits(
      2, saying: .storeFailed("sqlite:own.sqlite", .unmapped("devices")))
    #expect(outcome.errors.contains("--mapping FILE") && !outcome.errors.contains("--create"))
    #expect(try directory.apnsift(["store"] + command + store).code == 0)
  }

  /// The name of a file, its bytes, the exit code, and a part of the message.
  static let unreadable: [(name: String, bytes: [UInt8]?, code: Int32, part: String)] =
    [
      ("nowhere.yml", nil, 2, "nowhere.yml: "), (".", nil, 2, ".: "),
      (
        "latin.yml", Array("table: devices\napp: caf".utf8) + [0xe9, 0x0a], 64,
        "latin.yml: line 2, column 9: the byte 0xe9 is not UTF-8"
      ),
      ("-", Array("x: y\n".utf8), 64, "line 1, column 1"),
    ]
    // In a process's own stack, too.
    + ["[", "{a: ", "- ", "? "].map {
      ("deep.yml", Array(String(repeating: $0, count: 100_000).utf8), 64, "nested too deeply")
    }

  @Test("what is no mapping is named", arguments: unreadable)
  func noMapping(_ name: String, _ bytes: [UInt8]?, _ code: Int32, _ part: String) throws {
    if let bytes, name != "-" { try directory.write(bytes, to: name) }
    let outcome = try directory.apnsift(
      ["store", "list", "--mapping", name] + Self.store, input: .bytes(bytes ?? []))
    #expect(outcome.code == code && outcome.messages.count == 1)
    #expect(outcome.errors.contains(part), "\(outcome.errors)")
  }

  /// Of a mapping that is cut the end may be missing, even where what is left is one.
  @Test("a mapping that cannot be read whole is not used")
  func cutMapping() throws {
    let compressed = try directory.tool("gzip", ["-c", "devices.yml"])
    try directory.write(compressed.dropLast(8), to: "cut.yml.gz")
    let outcome = try directory.apnsift(["replay", "dump.bin", "--mapping", "cut.yml.gz"] + Self.store)
      .exits(2)
    let problem = Message.compressedTruncated("gzip", at: compressed.count - 8)
    #expect(outcome.messages.first == "cut.yml.gz: \(problem); expected a mapping file for --mapping")
  }
}
