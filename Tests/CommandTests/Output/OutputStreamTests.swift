import Basics
import CommandTestSupport
import TestSupport
import Testing
import Wording

@Suite("Standard output and standard error") struct OutputStreamTests {
  private let directory = TestDirectory()

  /// Enough that no pipe holds the output of it.
  private func writeLarge() throws { try directory.write(feedback(tuples(20_000)), to: "large.bin") }

  static let formats = [
    "export", "export -t ndjson", "export -t json", "inspect --json", "inspect",
    "export --findings wrong.csv",
    "store list", "store list -t json", "replay --max-invalidate 100%",
    "replay --json --max-invalidate 100% --dry-run",
  ].map { line in
    line + (line.hasPrefix("store") ? "" : " large.bin")
      + (line.hasPrefix("export") || line.hasPrefix("inspect") ? "" : " --store sqlite:large.sqlite")
  }

  @Test("a reader that leaves early ends the command in silence", arguments: formats)
  func closedPipe(_ line: String) throws {
    try writeLarge()
    // Dead ones: unknown tokens are no wonder then, and nothing is said of them.
    try directory.makeStore(
      tuples(3000).map { StoredToken(token: $0.token, invalidatedAt: 1) }, in: "large.sqlite")
    // The reader is gone before the command begins to write.
    let (reading, writing) = try makePipe()
    reading.close()
    let errors = directory.temporaryPath + "/errors"
    let messages = try Descriptor(opening: errors, O_RDWR | O_CREAT)
    let null = try Descriptor(opening: "/dev/null", O_RDONLY)
    let child = try directory.start(
      Command.path, line.words.map { Array($0.utf8) }, input: null.number, output: writing.number,
      errors: messages.number)
    #expect(try child.wait() == .exit(0))
    #expect(try directory.text(of: errors) == "")
  }

  @Test("a reader that leaves does not make a named output whole") func closedPipeOfOutputFile() throws {
    try writeLarge()
    try directory.makePipe("pipe")
    try directory.shell(
      "head -c 100 pipe >/dev/null & \"$APNSIFT\" export large.bin -o pipe --findings wrong.csv; code=$?; wait; exit $code"
    ).exits(0)
    #expect(try directory.names == ["large.bin", "pipe"])
  }

  static let failing: [(redirection: String, error: Int32)] = [
    (">/dev/full", ENOSPC), (">&-", EBADF), ("1</dev/null", EBADF),
  ]

  @Test(
    "standard output that cannot be written is exit code 2 and a message", .enabled(if: canOpen("/dev/full")),
    arguments: failing, ["export large.bin", "inspect large.bin", "export -t json large.bin"])
  func unwritable(_ failing: (redirection: String, error: Int32), _ arguments: String) throws {
    try writeLarge()
    let outcome = try directory.shell("\"$APNSIFT\" \(arguments) \(failing.redirection)").exits(2)
    #expect(outcome.messages == ["standard output cannot be written: \(SystemError.text(failing.error))"])
  }

  @Test("no file gets the descriptor of a closed standard output or standard error")
  func closedStandardStreams() throws {
    try writeLarge()
    try directory.shell("\"$APNSIFT\" export large.bin --findings wrong.csv >&-").exits(2)
    #expect(!directory.exists("wrong.csv"))
    try directory.shell("\"$APNSIFT\" export large.bin missing.bin -o out.csv 2>&-").exits(2)
    let text = try directory.text(of: "out.csv")
    #expect(text.hasPrefix("source,stream,"))
    #expect(!text.contains("apnsift:"))
    try directory.shell("\"$APNSIFT\" replay large.bin missing.bin --partial <&- >&- 2>&-").exits(2)
    #expect(
      try directory.sqlite("tokens.sqlite", "PRAGMA integrity_check; SELECT count(*) FROM device_tokens")
        == "ok\n20000")
  }

  @Test("a replay whose outcome cannot be printed says that the store has changed")
  func unprintedOutcome() throws {
    try writeLarge()
    let outcome = try directory.shell("\"$APNSIFT\" replay large.bin --json >&-")
      .exits(2, saying: "standard output cannot be written")
    #expect(outcome.messages.last?.contains("20000 rows of sqlite:tokens.sqlite changed") == true)
  }

  @Test(
    "an output into the input is refused before anything is written",
    arguments: [
      ("export dump.bin >>dump.bin", "standard output (dump.bin)"),
      ("export dumps 1<>dumps/dump.bin", "standard output (dumps/dump.bin)"),
      ("export - <dump.bin >>dump.bin", "standard output (/dev/stdin)"),
      ("inspect dump.bin >>dump.bin", "standard output (dump.bin)"),
      ("export - -o dump.bin --force <dump.bin", "dump.bin"),
    ])
  func outputIntoInput(_ arguments: String, _ name: String) throws {
    let bytes = feedback(tuples(3))
    try directory.write(bytes, to: "dump.bin")
    try directory.makeDirectory("dumps")
    try directory.makeLink("dumps/dump.bin", to: "../dump.bin")
    let outcome = try directory.shell("\"$APNSIFT\" \(arguments)").exits(2)
    #expect(outcome.messages == [Message.outputIsRead(name, ReadFiles.input).text])
    #expect(try directory.bytes(of: "dump.bin") == bytes)
  }

  @Test(
    "the last message says what was done",
    arguments: Fixtures.rows("last messages", in: "command-cases") as [(String, String)])
  func lastMessage(_ line: String, _ message: String) throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    try directory.write([], to: "empty.bin")
    try directory.makeStore(in: "s")
    let outcome = try directory.apnsift(line.words).exits(0)
    #expect(outcome.errors.hasSuffix("\n") && outcome.messages.last == message)
  }
}

/// Whether a device is there: not every system has all.
func canOpen(_ path: String) -> Bool { access(path, W_OK) == 0 }
