import Basics
import CommandTestSupport
import Testing
import Wording

/// Inputs that fail: a message that names the input, the exit code 2, and all others processed.
@Suite("Inputs that cannot be read")
struct InputFaultTests {
  private let directory = TestDirectory([
    "good.bin": feedback(tuples(3)), "cut.bin": feedback(tuples(3)).dropLast(9),
  ])

  init() throws {
    try directory.makeLink("loop", to: "loop")
    try directory.makeDirectory("empty")
    let packed = try directory.tool("gzip", ["-c", "good.bin"])
    try directory.write(packed.prefix(100), to: "cut.gz")
  }

  static let cases: [(name: String, message: Message)] = [
    ("missing.bin", .cannotBeOpened("No such file or directory")),
    ("good.bin/inside", .cannotBeOpened("Not a directory")),
    ("loop", .cannotBeOpened("Too many levels of symbolic links")),
    ("empty", .about("empty", .noInputInDirectory)), ("cut.gz", .compressedTruncated("gzip", at: 100)),
  ]

  @Test("export", arguments: cases)
  func export(_ name: String, _ message: Message) throws {
    let outcome = try directory.apnsift("export", name, "good.bin").exits(2, saying: message)
    #expect(outcome.lines.count { $0.hasPrefix("good.bin,") } == 3, "the other input is processed")
    #expect(outcome.messages.contains { $0.hasPrefix(name) }, "\(outcome.errors)")
    #expect(outcome.messages.last?.hasSuffix("1 input not read in full, see above") == true)
  }

  @Test("replay changes nothing, with --partial it replays the others", arguments: ["missing.bin", "cut.gz"])
  func replay(_ name: String) throws {
    try directory.write(feedback(tuples(3, from: 100)), to: "good.bin")
    try directory.makeStore()
    let arguments = "replay \(name) good.bin --store sqlite:tokens.sqlite".words
    try directory.apnsift(arguments).exits(2, saying: .storeUnchanged("sqlite:tokens.sqlite", unreadable: 1))
    #expect(try directory.storedTokens().isEmpty)
    try directory.apnsift(arguments + ["--partial"]).exits(2)
    let dead = Set(try directory.storedTokens().map(\.token))
    #expect(dead.isSuperset(of: tuples(3, from: 100).map(\.token)))
  }

  /// What may not be read, what is given, and what is said.
  static let forbidden: [(name: String, input: String, says: Message)] = [
    ("in", "in", "cannot be listed: Permission denied"),
    ("in/x", "in", .cannotBeOpened("Permission denied")),
    ("in/x", "in/x", .cannotBeOpened("Permission denied")),
  ]

  @Test(
    "a directory, or the one file in it, that may not be read is said and counted once",
    .enabled(if: Unprivileged.isPossible), arguments: forbidden)
  func forbiddenInput(_ name: String, _ input: String, _ says: Message) throws {
    try directory.write(feedback(tuples(3)), to: "in/x")
    chmod(directory.path(of: name), 0)
    let outcome = try directory.shell(Unprivileged.prefix + "\"$APNSIFT\" export \(input) good.bin").exits(2)
    chmod(directory.path(of: name), 0o700)
    #expect(outcome.lines.count == 4)
    #expect(outcome.messages.count { $0.hasPrefix("in") } == 1, "\(outcome.errors)")
    #expect(outcome.messages.first == Message.about(name, says).text)
    #expect(outcome.messages.last?.hasSuffix("; 1 input not read in full, see above") == true)
  }

  @Test("closed standard input fails, and no file gets its descriptor")
  func closedStandardInput() throws {
    let outcome = try directory.shell("\"$APNSIFT\" export good.bin - <&-")
      .exits(2, saying: .about("-", .cannotBeRead("Bad file descriptor")))
    #expect(outcome.lines.count == 4)
  }

  /// Whether an error finding, with and without an input that fails, and the exit code.
  static let strict: [(inputs: String, code: Int32)] = [
    ("cut.bin", 0), ("cut.bin --strict", 1), ("good.bin --strict", 0), ("odd-length.bin --strict", 0),
    ("cut.bin missing.bin --strict", 2), ("good.bin missing.bin --strict", 2),
  ]

  @Test("--strict makes 1 of an error finding, and 2 comes before 1", arguments: strict)
  func strictness(_ inputs: String, _ code: Int32) throws {
    // A flag is no finding.
    try directory.write(feedback([Tuple(1_400_000_000, token(1, length: 54))]), to: "odd-length.bin")
    for command in ["inspect", "export", "replay --partial"] {
      try directory.apnsift("\(command) \(inputs)".words).exits(code)
    }
  }
}
