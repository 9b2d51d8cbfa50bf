import Basics
import CommandTestSupport
import Testing
import Wording

/// Inputs that fail: a message that names the input, the exit code 2, and all others processed.
@Suite("Inputs that cannot be read")
struct InputFaultTests {
  /// An input, and what makes it and knows its messages.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var prepare: @Sendable (TestDirectory) throws -> [Message]
    var testDescription: String { name }

    init(_ name: String, prepare: @escaping @Sendable (TestDirectory) throws -> [Message]) {
      self.name = name
      self.prepare = prepare
    }
  }

  static let cases: [Case] = [
    Case("missing.bin") { _ in [.cannotBeOpened("No such file or directory")] },
    Case("good.bin/inside") { _ in [.cannotBeOpened("Not a directory")] },
    Case("loop") {
      try $0.makeLink("loop", to: "loop")
      return [.cannotBeOpened("Too many levels of symbolic links")]
    },
    Case("nowhere") {
      try $0.makeLink("nowhere", to: "gone")
      return [.cannotBeOpened("No such file or directory")]
    },
    Case("empty") {
      try $0.makeDirectory("empty")
      return [.about("empty", .noInputInDirectory)]
    },
    Case("unrelated") {
      try $0.write("no dump\n", to: "unrelated/a.txt")
      try $0.write([UInt8](repeating: 0xfe, count: 500), to: "unrelated/b/c.bin")
      return [
        .about("unrelated", .noInputInDirectory), .about("unrelated/a.txt", .skipped(.unknownFormat)),
        .about("unrelated/b/c.bin", .skipped(.unknownFormat)),
      ]
    },
    Case("reserved.pcap") {
      try $0.write(
        [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [1, 0, 0x30, 0],
        to: "reserved.pcap")
      return [.reservedLinkTypeBits(0x30_0001)]
    },
    Case("other.sqlite") {
      try $0.write(Array("SQLite format 3\0".utf8), to: "other.sqlite")
      return [.foreign(.sqliteDatabase, remedy: "use --store to name a store")]
    },
    Case("cut.gz") { directory in
      let packed = try directory.tool("gzip", ["-c"], input: .bytes(feedback(tuples(3))))
      try directory.write(packed.prefix(100), to: "cut.gz")
      return [.compressedTruncated("gzip", at: 100)]
    },
    Case("trailing.zst") { directory in
      let packed = try directory.tool("zstd", ["-c"], input: .bytes(feedback(tuples(3))))
      try directory.write(packed + [1, 2, 3, 4], to: "trailing.zst")
      return [.compressedWithOtherData("zstd", from: packed.count)]
    },
    Case("odd.hex") {
      try $0.write(String(hex(feedback(tuples(2))).dropLast()), to: "odd.hex")
      return [.located(.textEndsWithinByte, line: 1, column: 151)]
    },
    Case("cut.xxd") { directory in
      let text = try directory.tool("xxd", [], input: .bytes(feedback(tuples(3))))
      // Lines have 68 characters with their ends.
      try directory.write(text.prefix(67 * 2 + 30), to: "cut.xxd")
      return [.located(.dumpEndsWithinHex, line: 3, column: 29)]
    },
    Case("letter.hex") { directory in
      var digits = Array(hex(feedback(tuples(2))))
      digits[10] = "g"
      try directory.write(String(digits) + "\n", to: "letter.hex")
      return [.located(.expectedHex(found: UInt8(ascii: "g")), line: 1, column: 11)]
    },
  ]

  @Test("export", arguments: cases)
  func export(_ test: Case) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "good.bin")
    let says = try test.prepare(directory)
    let outcome = try directory.apnsift("export", test.name, "good.bin")
    #expect(outcome.code == 2)
    #expect(outcome.lines.count(where: { $0.hasPrefix("good.bin,") }) == 3, "the other input is processed")
    for message in says { #expect(outcome.said(message), "\(outcome.errors)") }
    #expect(outcome.messages.contains { $0.hasPrefix(test.name) }, "\(outcome.errors)")
    #expect(outcome.messages.last?.hasSuffix("1 input not read in full, see above") == true)
  }

  @Test("replay changes nothing, with --partial it replays the others", arguments: cases)
  func replay(_ test: Case) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3, from: 100)), to: "good.bin")
    _ = try test.prepare(directory)
    try directory.makeStore()
    let arguments = ["replay", test.name, "good.bin", "--store", "sqlite:tokens.sqlite"]
    let refused = try directory.apnsift(arguments)
    #expect(refused.code == 2)
    #expect(refused.said(.storeUnchanged("sqlite:tokens.sqlite", unreadable: 1)))
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
    let message = Message.about("private.bin", .cannotBeOpened("Permission denied"))
    #expect(outcome.messages.first == message.text)
    #expect(outcome.lines.count == 4)
  }

  /// What cannot be read of a directory, and why.
  static let forbidden: [(name: String, says: Message)] = [
    ("in", "cannot be listed: Permission denied"), ("in/x", .cannotBeOpened("Permission denied")),
  ]

  @Test(
    "a directory, or the one file in it, that may not be read is said and counted once",
    .enabled(if: Unprivileged.isPossible), arguments: forbidden)
  func forbiddenDirectory(_ name: String, _ says: Message) throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(3)), to: "in/x")
    try directory.write(feedback(tuples(3)), to: "good.bin")
    chmod(directory.path(of: name), 0)
    let outcome = try directory.shell(Unprivileged.prefix + "\"$APNSIFT\" export in good.bin")
    chmod(directory.path(of: name), 0o700)
    #expect(outcome.code == 2 && outcome.lines.count == 4)
    #expect(outcome.messages.count { $0.hasPrefix("in") } == 1, "\(outcome.errors)")
    #expect(outcome.messages.first == Message.about(name, says).text)
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
    let reasons: [(name: String, reason: Message)] = [
      ("dumps/z.txt", .unknownFormat), ("dumps/pipe", .neitherFileNorDirectory),
      ("dumps/loop", .linkToDirectory),
    ]
    for (name, reason) in reasons {
      let message = Message.about(name, .skipped(reason))
      #expect(outcome.messages.contains(message.text), "\(name): \(outcome.errors)")
    }
  }

  @Test("a named file of no known format is read as a raw dump, with a warning")
  func unrecognisedFile() throws {
    let directory = try TestDirectory()
    try directory.write("hello, world\n", to: "notes.txt")
    let outcome = try directory.apnsift("export", "notes.txt", "--records", "findings")
    #expect(outcome.code == 0)
    #expect(outcome.messages.contains(Message.about("notes.txt", .warning(.readAsRaw("feedback"))).text))
    #expect(
      parseCSV(outcome.text).dropFirst().map { $0[7] }.sorted() == ["skipped-bytes", "unrecognised-input"])
    let known = try directory.apnsift("export", "notes.txt", "--from", "raw")
    #expect(!known.said(.warning(.verbatim(""))) && !known.errors.contains("unrecognised-input"))
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
    #expect(outcome.said(.about("-", .cannotBeRead("Bad file descriptor"))))
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
