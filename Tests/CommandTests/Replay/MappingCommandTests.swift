import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("Options for a table of one's own")
struct MappingCommandTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
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
    let outcome = try directory.apnsift(
      command + ["--store", "sqlite:own.sqlite", "--mapping", "devices.yml"])
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(
      outcome.messages == [
        Message.about(
          "devices.yml: line 4, column 9",
          "expected one of mark, flag, delete for action, found 'remove'; choose one of them"
        ).text
      ])
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  /// Arguments after a valid mapping, and the message, or a part of it.
  static let clashes: [(arguments: [String], message: Message)] = [
    (
      ["replay", "dump.bin", "--create", "--store", "sqlite:own.sqlite"],
      .createWithMapping(of: "devices")
    ),
    (
      ["store", "register", "aa", "--create", "--store", "sqlite:own.sqlite"],
      .createWithMapping(of: "devices")
    ),
    (["replay", "dump.bin"], .noStoreNamed(forTable: "devices")),
    (["store", "list"], .noStoreNamed(forTable: "devices")),
    (
      ["replay", "dump.bin", "--known-only", "--insert-unknown", "--store", "sqlite:own.sqlite"],
      .exclusive("--known-only", "--insert-unknown")
    ),
    (
      ["replay", "dump.bin", "--journal", "sqlite:j", "--no-journal", "--store", "sqlite:o"],
      .exclusive("--journal", "--no-journal")
    ),
    (
      ["replay", "dump.bin", "--journal", "journal.sqlite", "--store", "sqlite:own.sqlite"],
      .verbatim("--journal")
    ),
    (["store", "list", "--store", "own.sqlite"], .notAStoreURL("own.sqlite")),
  ]

  @Test("what does not go with a mapping is wrong usage, and makes nothing", arguments: clashes)
  func clash(_ arguments: [String], _ message: Message) throws {
    try directory.write(
      "table: devices\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n", to: "sound.yml"
    )
    let outcome = try directory.apnsift(arguments + ["--mapping", "sound.yml"])
    #expect(outcome.code == 64)
    #expect(outcome.said(message), "\(outcome.errors)")
    #expect(try directory.names == ["devices.yml", "dump.bin", "sound.yml"])
  }

  @Test(
    "options that need a mapping are wrong usage without one",
    arguments: [
      ["replay", "dump.bin", "--insert-unknown"], ["store", "register", "aa", "--insert-unknown"],
    ])
  func without(_ arguments: [String]) throws {
    let outcome = try directory.apnsift(arguments)
    #expect(
      outcome.code == 64
        && outcome.said("--insert-unknown requires --mapping: add a mapping, or remove the option"))
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  /// Arguments, and the message, or a part of it.
  static let tries: [(arguments: [String], message: Message)] = [
    (
      ["replay", "dump.bin", "--table", "devices"],
      "--table and --token-column go together: give both, or neither"
    ),
    (
      ["store", "list", "--token-column", "token"],
      "--table and --token-column go together: give both, or neither"
    ),
    (
      ["replay", "dump.bin", "--table", "devices", "--token-column", "token", "--mapping", "devices.yml"],
      "--mapping names the table and the column: leave out --table and --token-column"
    ),
    (["replay", "dump.bin", "--table", "devices", "--token-column", "token"], .trialNeedsDryRun),
    (["store", "register", "aa", "--table", "devices", "--token-column", "token"], .trialNeedsDryRun),
    (["store", "undo", "1", "--table", "devices", "--token-column", "token"], .trialNeedsDryRun),
    (
      ["store", "list", "--table", "a.b.c", "--token-column", "token"],

      "--table a.b.c --token-column token: expected TABLE or SCHEMA.TABLE and the name of a column; "
        + "describe names with dots or blanks in a file for --mapping"
    ),
    (
      ["store", "list", "--table", "devices", "--token-column", ""],

      "--table devices --token-column : expected TABLE or SCHEMA.TABLE and the name of a column; "
        + "describe names with dots or blanks in a file for --mapping"
    ),
    (["store", "list", "--token-form", "hex"], .verbatim("'--token-form'")),
  ]

  @Test("a table that two options name can be read and tried, and no more", arguments: tries)
  func tryWrong(_ arguments: [String], _ message: Message) throws {
    let outcome = try directory.apnsift(arguments + ["--store", "sqlite:own.sqlite"])
    #expect(outcome.code == 64)
    #expect(outcome.said(message), "\(outcome.errors)")
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  @Test("a try says what the dump would do to the table, and writes nothing")
  func trial() throws {
    let tokens = (0..<2).map { hex(token($0)) }
    let rows = tokens.map { "('\($0)')" } + ["('ffff')"]
    _ = try directory.tool(
      "sqlite3",
      [
        "own.sqlite",
        "CREATE TABLE devices (id INTEGER PRIMARY KEY, token TEXT); INSERT INTO devices (token) VALUES "
          + rows.joined(separator: ", "),
      ])
    let table = ["--store", "sqlite:own.sqlite", "--table", "devices", "--token-column", "token"]
    let outcome = try directory.apnsift(["replay", "dump.bin", "--dry-run"] + table)
    #expect(outcome.code == 0)
    #expect(outcome.text.contains("invalidated 2"), "\(outcome.text)")
    let list = try directory.apnsift(["store", "list"] + table)
    #expect(list.code == 0 && tokens.allSatisfy { list.text.contains($0) }, "\(list.text)")
    #expect(
      try String(
        decoding: directory.tool("sqlite3", ["own.sqlite", "SELECT count(*) FROM devices"]), as: UTF8.self)
        == "3\n")
  }

  /// Makes a table of two tokens of the dump, and a mapping that fits.
  private func prepare(_ id: String) throws -> [String] {
    let rows = (0..<2).map { "('\(hex(token($0)))')" }.joined(separator: ", ")
    try directory.sqlite(
      "own.sqlite",
      "CREATE TABLE devices (\(id), token TEXT, gone TEXT); INSERT INTO devices (token) VALUES \(rows);")
    try directory.write(
      """
      table: devices
      token: {column: token, form: hex}
      registered: none
      action: mark
      invalidated: {column: gone, form: iso}
      """, to: "sound.yml")
    return ["--store", "sqlite:own.sqlite", "--mapping", "sound.yml"]
  }

  @Test("a dry run says what the replay would be refused for", arguments: [[], ["--no-journal"]])
  func refusals(_ options: [String]) throws {
    let store = try prepare("id INTEGER")
    let outcome = try directory.apnsift(["replay", "dump.bin", "--dry-run"] + store + options)
    #expect(outcome.code == 0)
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
    let outcome = try directory.apnsift(["store"] + command + store.prefix(2))
    #expect(outcome.code == 2 && outcome.said(.storeFailed("sqlite:own.sqlite", .unmapped("devices"))))
    #expect(outcome.errors.contains("--mapping FILE") && !outcome.errors.contains("--create"))
    #expect(try directory.apnsift(["store"] + command + store).code == 0)
  }

  @Test("a file that is not there is an input that fails", arguments: ["nowhere.yml", "."])
  func missingFile(_ name: String) throws {
    let outcome = try directory.apnsift("store", "list", "--store", "sqlite:own.sqlite", "--mapping", name)
    #expect(outcome.code == 2)
    #expect(outcome.messages.count == 1 && outcome.errors.contains("\(name): "))
  }

  /// Of a mapping that is cut the end may be missing, even where what is left is one.
  @Test("a mapping that cannot be read whole is not used")
  func cutMapping() throws {
    let compressed = try directory.tool("gzip", ["-c", "devices.yml"])
    try directory.write(compressed.dropLast(8), to: "cut.yml.gz")
    let outcome = try directory.apnsift(
      "replay", "dump.bin", "--store", "sqlite:own.sqlite", "--mapping", "cut.yml.gz")
    #expect(outcome.code == 2)
    let problem = Message.compressedTruncated("gzip", at: compressed.count - 8)
    #expect(outcome.messages.first == "cut.yml.gz: \(problem); expected a mapping file for --mapping")
  }

  @Test("bytes that are not UTF-8 are reported with their position")
  func encoding() throws {
    try directory.write(Array("table: devices\napp: caf".utf8) + [0xe9, 0x0a], to: "latin.yml")
    let outcome = try directory.apnsift(
      "store", "list", "--store", "sqlite:own.sqlite", "--mapping", "latin.yml")
    #expect(outcome.code == 64)
    #expect(
      outcome.messages == [Message.about("latin.yml: line 2, column 9", .yamlNotUTF8(byte: 0xe9)).text])
  }

  @Test("a mapping comes from standard input, too")
  func standardInput() throws {
    let outcome = try directory.apnsift(
      ["store", "list", "--store", "sqlite:own.sqlite", "--mapping", "-"], input: .bytes(Array("x: y\n".utf8))
    )
    let keys = [
      "table", "token", "app", "environment", "registered", "action", "invalidated", "flag", "set",
      "store", "journal",
    ]
    let problem = Message.yamlUnknownKey("x", nearest: "app", keys: keys)
    #expect(outcome.code == 64 && outcome.said(.located(problem, line: 1, column: 1)))
  }

  @Test(
    "text nested too deep is refused in a process's own stack, too", arguments: ["[", "{a: ", "- ", "? "])
  func nesting(_ opening: String) throws {
    try directory.write(String(repeating: opening, count: 100_000), to: "deep.yml")
    let outcome = try directory.apnsift(
      "store", "list", "--store", "sqlite:own.sqlite", "--mapping", "deep.yml")
    #expect(outcome.code == 64 && outcome.messages.count == 1)
  }
}
