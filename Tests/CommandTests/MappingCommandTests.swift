import Testing

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
        "devices.yml: line 4, column 9: expected one of mark, flag, delete for action, found 'remove'; choose one of them"
      ])
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  /// Arguments after a valid mapping, and a part of the message.
  static let clashes: [(arguments: [String], part: String)] = [
    (
      ["replay", "dump.bin", "--create", "--store", "sqlite:own.sqlite"],
      "--create creates apnsift's own table"
    ),
    (
      ["store", "register", "aa", "--create", "--store", "sqlite:own.sqlite"],
      "--create creates apnsift's own table"
    ),
    (["replay", "dump.bin"], "no store is named"), (["store", "list"], "no store is named"),
    (["replay", "dump.bin", "--known-only", "--insert-unknown", "--store", "sqlite:own.sqlite"], "exclude"),
    (["replay", "dump.bin", "--journal", "sqlite:j", "--no-journal", "--store", "sqlite:o"], "--no-journal"),
    (["replay", "dump.bin", "--journal", "journal.sqlite", "--store", "sqlite:own.sqlite"], "--journal"),
    (["store", "list", "--store", "own.sqlite"], "expected sqlite:PATH"),
  ]

  @Test("what does not go with a mapping is wrong usage, and makes nothing", arguments: clashes)
  func clash(_ arguments: [String], _ part: String) throws {
    try directory.write(
      "table: devices\ntoken: {column: token, form: hex}\nregistered: none\naction: delete\n", to: "sound.yml"
    )
    let outcome = try directory.apnsift(arguments + ["--mapping", "sound.yml"])
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains(part), "\(outcome.errors)")
    #expect(try directory.names == ["devices.yml", "dump.bin", "sound.yml"])
  }

  @Test(
    "options that need a mapping are wrong usage without one",
    arguments: [
      ["replay", "dump.bin", "--insert-unknown"], ["store", "register", "aa", "--insert-unknown"],
    ])
  func without(_ arguments: [String]) throws {
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64 && outcome.errors.contains("--insert-unknown requires --mapping"))
    #expect(try directory.names == ["devices.yml", "dump.bin"])
  }

  /// Arguments, and what the message has.
  static let tries: [(arguments: [String], part: String)] = [
    (["replay", "dump.bin", "--table", "devices"], "--table and --token-column go together"),
    (["store", "list", "--token-column", "token"], "--table and --token-column go together"),
    (
      ["replay", "dump.bin", "--table", "devices", "--token-column", "token", "--mapping", "devices.yml"],
      "--mapping names the table"
    ),
    (["replay", "dump.bin", "--table", "devices", "--token-column", "token"], "require --dry-run"),
    (["store", "register", "aa", "--table", "devices", "--token-column", "token"], "require --dry-run"),
    (["store", "undo", "1", "--table", "devices", "--token-column", "token"], "require --dry-run"),
    (["store", "list", "--table", "a.b.c", "--token-column", "token"], "expected TABLE or SCHEMA.TABLE"),
    (["store", "list", "--table", "devices", "--token-column", ""], "the name of a column"),
    (["store", "list", "--token-form", "hex"], "unknown option '--token-form'"),
  ]

  @Test("a table that two options name can be read and tried, and no more", arguments: tries)
  func tryWrong(_ arguments: [String], _ part: String) throws {
    let outcome = try directory.apnsift(arguments + ["--store", "sqlite:own.sqlite"])
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains(part), "\(outcome.errors)")
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
    #expect(outcome.messages.first?.hasPrefix("cut.yml.gz: the gzip-compressed data is truncated") == true)
  }

  @Test("bytes that are not UTF-8 are reported with their position")
  func encoding() throws {
    try directory.write(Array("table: devices\napp: caf".utf8) + [0xe9, 0x0a], to: "latin.yml")
    let outcome = try directory.apnsift(
      "store", "list", "--store", "sqlite:own.sqlite", "--mapping", "latin.yml")
    #expect(outcome.code == 64)
    #expect(
      outcome.messages == [
        "latin.yml: line 2, column 9: the byte 0xe9 is not UTF-8; save the file as UTF-8"
      ])
  }

  @Test("a mapping comes from standard input, too")
  func standardInput() throws {
    let outcome = try directory.apnsift(
      ["store", "list", "--store", "sqlite:own.sqlite", "--mapping", "-"], input: .bytes(Array("x: y\n".utf8))
    )
    #expect(outcome.code == 64 && outcome.errors.contains("line 1, column 1: unknown key"))
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
