import Platform
import Testing

/// Inputs that fail: a message that names the input, the exit code 2, and all others processed.
@Suite("Inputs that cannot be read")
struct InputFaultTests {
  /// An input, what makes it, and what its message says.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var says: [String]
    var prepare: @Sendable (TestDirectory) throws -> Void
    var testDescription: String { "\(name): \(says.joined(separator: ", "))" }

    init(_ name: String, _ says: String..., prepare: @escaping @Sendable (TestDirectory) throws -> Void) {
      self.name = name
      self.says = says
      self.prepare = prepare
    }
  }

  static let cases: [Case] = [
    Case("missing.bin", "No such file") { _ in },
    Case("good.bin/inside", "Not a directory") { _ in },
    Case("loop", "symbolic links") { try $0.makeLink("loop", to: "loop") },
    Case("nowhere", "No such file") { try $0.makeLink("nowhere", to: "gone") },
    Case("empty", "no input in this directory") { try $0.makeDirectory("empty") },
    Case("unrelated", "no input in this directory", "unrelated/a.txt: skipped", "unrelated/b/c.bin: skipped")
    {
      try $0.write("no dump\n", to: "unrelated/a.txt")
      try $0.write([UInt8](repeating: 0xfe, count: 500), to: "unrelated/b/c.bin")
    },
    Case("reserved.pcap", "reserved bits set", "expected a number below 65536") {
      try $0.write(
        [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [1, 0, 0x30, 0],
        to: "reserved.pcap")
    },
    Case("other.sqlite", "is an SQLite database", "--store") {
      try $0.write(Array("SQLite format 3\0".utf8), to: "other.sqlite")
    },
    Case("cut.gz", "gzip-compressed data is truncated at offset 100 of the compressed file") { directory in
      let packed = try directory.tool("gzip", ["-c"], input: .bytes(feedback(tuples(3))))
      try directory.write(packed.prefix(100), to: "cut.gz")
    },
    Case("trailing.zst", "zstd-compressed data is followed by other data") { directory in
      let packed = try directory.tool("zstd", ["-c"], input: .bytes(feedback(tuples(3))))
      try directory.write(packed + [1, 2, 3, 4], to: "trailing.zst")
    },
    Case("odd.hex", "line 1, column 151", "truncated") {
      try $0.write(String(hex(feedback(tuples(2))).dropLast()), to: "odd.hex")
    },
    Case("cut.xxd", "line 3", "truncated") { directory in
      let text = try directory.tool("xxd", [], input: .bytes(feedback(tuples(3))))
      try directory.write(text.prefix(67 * 2 + 30), to: "cut.xxd")
    },
    Case("letter.hex", "line 1, column 11", "(\"g\")") { directory in
      var digits = Array(hex(feedback(tuples(2))))
      digits[10] = "g"
      try directory.write(String(digits) + "\n", to: "letter.hex")
    },
  ]

  @Test("export", arguments: cases)
  func export(_ test: Case) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "good.bin")
    try test.prepare(directory)
    let outcome = try directory.apnsift("export", test.name, "good.bin")
    #expect(outcome.code == 2)
    #expect(outcome.lines.count(where: { $0.hasPrefix("good.bin,") }) == 3, "the other input is processed")
    let about = outcome.messages.filter { $0.hasPrefix(test.name) }.joined(separator: "\n")
    for part in test.says {
      #expect(about.contains(part) || outcome.errors.contains(part), "\(outcome.errors)")
    }
    #expect(!about.isEmpty, "\(outcome.errors)")
    #expect(outcome.messages.last?.hasSuffix("1 input not read in full, see above") == true)
  }

  @Test("replay changes nothing, with --partial it replays the others", arguments: cases)
  func replay(_ test: Case) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3, from: 100)), to: "good.bin")
    try test.prepare(directory)
    try directory.makeStore()
    let arguments = ["replay", test.name, "good.bin", "--store", "sqlite:tokens.sqlite"]
    let refused = try directory.apnsift(arguments)
    #expect(refused.code == 2)
    #expect(refused.errors.contains("unchanged") && refused.errors.contains("--partial"))
    #expect(try directory.storedTokens().isEmpty)

    let partial = try directory.apnsift(arguments + ["--partial"])
    #expect(partial.code == 2)
    let dead = Set(try directory.storedTokens().map(\.token))
    #expect(dead.isSuperset(of: tuples(3, from: 100).map(\.token)))
  }

  @Test("a file that may not be read", .enabled(if: Unprivileged.isPossible))
  func forbiddenFile() throws {
    let directory = try TestDirectory()
    for name in ["private.bin", "good.bin"] { try directory.write(feedback(tuples(3)), to: name) }
    chmod(directory.path(of: "private.bin"), 0)
    let outcome = try directory.shell(Unprivileged.prefix + "\"$APNSIFT\" export private.bin good.bin")
    #expect(outcome.code == 2)
    #expect(outcome.messages.first == "private.bin: cannot be opened: Permission denied")
    #expect(outcome.lines.count == 4)
  }

  /// What cannot be read of a directory, and how it begins to be said.
  static let forbidden = [("in", "in: cannot be listed"), ("in/x", "in/x: cannot be opened")]

  @Test(
    "a directory, or the one file in it, that may not be read is said and counted once",
    .enabled(if: Unprivileged.isPossible), arguments: forbidden)
  func forbiddenDirectory(_ name: String, _ says: String) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "in/x")
    try directory.write(feedback(tuples(3)), to: "good.bin")
    chmod(directory.path(of: name), 0)
    let outcome = try directory.shell(Unprivileged.prefix + "\"$APNSIFT\" export in good.bin")
    chmod(directory.path(of: name), 0o700)
    #expect(outcome.code == 2 && outcome.lines.count == 4)
    #expect(outcome.messages.count { $0.hasPrefix("in") } == 1, "\(outcome.errors)")
    #expect(outcome.messages.first == "\(says): Permission denied")
    #expect(outcome.messages.last?.hasSuffix("; 1 input not read in full, see above") == true)
  }

  @Test("inspect of a directory with some unrecognised files is no failure")
  func mixedDirectory() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "dumps/a/good.bin")
    try directory.write("notes\n", to: "dumps/z.txt")
    try directory.makePipe("dumps/pipe")
    try directory.makeLink("dumps/loop", to: "../dumps")
    let outcome = try directory.apnsift("inspect", "dumps")
    #expect(outcome.code == 0)
    #expect(outcome.text.hasPrefix("dumps/a/good.bin\n"))
    for name in ["dumps/z.txt", "dumps/pipe", "dumps/loop"] {
      #expect(
        outcome.messages.contains { $0.hasPrefix("\(name): skipped") }, "\(name): \(outcome.errors)")
    }
  }

  @Test("a named file of no known format is read as a raw dump, with a warning")
  func unrecognisedFile() throws {
    let directory = try TestDirectory()
    try directory.write("hello, world\n", to: "notes.txt")
    let outcome = try directory.apnsift("export", "notes.txt", "--records", "findings")
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("notes.txt: warning: no known format"))
    #expect(
      parseCSV(outcome.text).dropFirst().map { $0[7] }.sorted() == ["skipped-bytes", "unrecognised-input"])
    #expect(outcome.errors.contains("Use --from raw if that is right"))
    let quiet = try directory.apnsift("export", "notes.txt", "--from", "raw")
    #expect(!quiet.errors.contains("warning"))
  }

  @Test("nothing at all is a dump without records", arguments: [["empty.bin"], ["-"], ["/dev/null"]])
  func emptyInputs(_ arguments: [String]) throws {
    let directory = try TestDirectory()
    try directory.write("", to: "empty.bin")
    let outcome = try directory.apnsift(["export"] + arguments + ["-t", "ndjson"])
    #expect(outcome.code == 0)
    let summary = try #require(try Evidence.lines(outcome.text).last)
    #expect(summary["stream_bytes"] as? Int == 0)
    #expect(summary["feedback"] as? Int == 0)
  }

  @Test("closed standard input fails, and no file gets its descriptor")
  func closedStandardInput() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "good.bin")
    let outcome = try directory.shell("\"$APNSIFT\" export good.bin - <&-")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("-: cannot be read: Bad file descriptor"))
    #expect(outcome.lines.count == 4)
  }

  /// Whether an error finding, with and without an input that fails, and the exit code.
  static let strict: [(arguments: [String], code: Int32)] = [
    (["cut.bin"], 0), (["cut.bin", "--strict"], 1), (["good.bin", "--strict"], 0),
    (["odd-length.bin", "--strict"], 0),
    (["cut.bin", "missing.bin", "--strict"], 2), (["good.bin", "missing.bin", "--strict"], 2),
  ]

  @Test("--strict makes 1 of an error finding, and 2 comes before 1", arguments: strict)
  func strictness(_ arguments: [String], _ code: Int32) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "good.bin")
    try directory.write(feedback(tuples(3)).dropLast(9), to: "cut.bin")
    // A flag is no finding.
    try directory.write(feedback([Tuple(1_400_000_000, token(1, length: 54))]), to: "odd-length.bin")
    for command in ["inspect", "export"] {
      #expect(try directory.apnsift([command] + arguments).code == code)
    }
    #expect(try directory.apnsift(["replay"] + arguments + ["--partial"]).code == code)
  }
}
