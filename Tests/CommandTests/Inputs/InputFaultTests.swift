import Basics
import CommandTestSupport
import Testing
import Wording

/// Inputs that fail: a message that names the input, the exit code 2, and all others processed.
@Suite("Inputs that cannot be read")
struct InputFaultTests {
  /// An input, and what makes it and knows its messages.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var prepare: @Sendable (TestDirectory) throws -> [Message]

    init(_ name: String, prepare: @escaping @Sendable (TestDirectory) throws -> [Message]) {
      (testDescription, self.prepare) = (name, prepare)
    }
  }

  static let cases: [Case] = [
    Case("missing.bin") { _ in [.cannotBeOpened("No such file or directory")] },
    Case("good.bin/inside") { _ in [.cannotBeOpened("Not a directory")] },
    Case("loop") {
      try $0.makeLink("loop", to: "loop")
      return [.cannotBeOpened("Too many levels of symbolic links")]
    },
    Case("empty") {
      try $0.makeDirectory("empty")
      return [.about("empty", .noInputInDirectory)]
    },
    Case("cut.gz") { directory in
      let packed = try directory.tool("gzip", ["-c"], input: .bytes(feedback(tuples(3))))
      try directory.write(packed.prefix(100), to: "cut.gz")
      return [.compressedTruncated("gzip", at: 100)]
    },
  ]

  @Test("export", arguments: cases)
  func export(_ test: Case) throws {
    let directory = TestDirectory(["good.bin": feedback(tuples(3))])
    let says = try test.prepare(directory)
    let outcome = try directory.apnsift("export", test.testDescription, "good.bin").exits(2)
    #expect(outcome.lines.count(where: { $0.hasPrefix("good.bin,") }) == 3, "the other input is processed")
    for message in says { #expect(outcome.said(message), "\(outcome.errors)") }
    #expect(outcome.messages.contains { $0.hasPrefix(test.testDescription) }, "\(outcome.errors)")
    #expect(outcome.messages.last?.hasSuffix("1 input not read in full, see above") == true)
  }

  @Test(
    "replay changes nothing, with --partial it replays the others", arguments: ["missing.bin", "cut.bin.gz"])
  func replay(_ name: String) throws {
    let directory = TestDirectory(["good.bin": feedback(tuples(3, from: 100))])
    let packed = try directory.tool("gzip", ["-c"], input: .bytes(feedback(tuples(3))))
    try directory.write(packed.prefix(100), to: "cut.bin.gz")
    try directory.makeStore()
    let arguments = ["replay", name, "good.bin", "--store", "sqlite:tokens.sqlite"]
    try directory.apnsift(arguments).exits(2, saying: .storeUnchanged("sqlite:tokens.sqlite", unreadable: 1))
    #expect(try directory.storedTokens().isEmpty)
    #expect(try directory.apnsift(arguments + ["--partial"]).code == 2)
    let dead = Set(try directory.storedTokens().map(\.token))
    #expect(dead.isSuperset(of: tuples(3, from: 100).map(\.token)))
  }

  @Test("a file that may not be read", .enabled(if: Unprivileged.isPossible))
  func forbiddenFile() throws {
    let directory = TestDirectory()
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
    let directory = TestDirectory(["in/x": feedback(tuples(3)), "good.bin": feedback(tuples(3))])
    chmod(directory.path(of: name), 0)
    let outcome = try directory.shell(Unprivileged.prefix + "\"$APNSIFT\" export in good.bin")
    chmod(directory.path(of: name), 0o700)
    #expect(outcome.code == 2 && outcome.lines.count == 4)
    #expect(outcome.messages.count { $0.hasPrefix("in") } == 1, "\(outcome.errors)")
    #expect(outcome.messages.first == Message.about(name, says).text)
    #expect(outcome.messages.last?.hasSuffix("; 1 input not read in full, see above") == true)
  }

  @Test("nothing at all is a dump without records", arguments: ["empty.bin", "-", "/dev/null"])
  func emptyInputs(_ name: String) throws {
    let directory = TestDirectory(["empty.bin": "".utf8])
    let exported = try directory.export(name)
    #expect(exported.outcome.code == 0)
    let summary = try #require(exported.objects.last)
    #expect(summary["stream_bytes"] as? Int == 0 && summary["feedback"] as? Int == 0)
  }

  @Test("closed standard input fails, and no file gets its descriptor")
  func closedStandardInput() throws {
    let directory = TestDirectory(["good.bin": feedback(tuples(3))])
    let outcome = try directory.shell("\"$APNSIFT\" export good.bin - <&-").exits(2)
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
    let directory = TestDirectory(["good.bin": feedback(tuples(3))])
    try directory.write(feedback(tuples(3)).dropLast(9), to: "cut.bin")
    // A flag is no finding.
    try directory.write(feedback([Tuple(1_400_000_000, token(1, length: 54))]), to: "odd-length.bin")
    for command in ["inspect", "export"] {
      #expect(try directory.apnsift([command] + arguments).code == code)
    }
    #expect(try directory.apnsift(["replay"] + arguments + ["--partial"]).code == code)
  }
}
