import Basics
import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// Misbehaving readers: each is terminated and leaves nothing.
@Suite("Misbehaving readers") struct VerifyProcessTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.addCase("one", feedback(tuples(3)), more: "chunks: [40]\n")
  }

  private func reading(_ arguments: [String]) throws -> Evidence.Object {
    try #require(try directory.readings(arguments, code: 1).first)
  }

  /// The processes whose ids a reader wrote to files `pid-*` are gone.
  private func expectNobodyLeft(_ count: Int) throws {
    let files = try directory.names.filter { $0.hasPrefix("pid-") }
    #expect(files.count == count)
    for file in files {
      let id = try #require(
        pid_t(try directory.text(of: file).trimmingCharacters(in: .whitespacesAndNewlines)))
      // Orphans are reaped by the system later.
      let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
      #expect(kill(id, 0) != 0 || status.contains(") Z "), "\(file): \(status)")
    }
  }

  /// Readers by what they do; each writes the ids of its processes to files. The outcome, a part of how it ended, and
  /// options. One that waits for a process that floods is ended by the limit alone; a line every tenth of a second does not
  /// reach the limit.
  @Test(
    "are terminated and reaped",
    arguments: Fixtures.rows("misbehaving readers", in: "lab-cases")
      as [(String, String, String, String?, String)])
  func ended(
    _ name: String, _ line: String, _ outcome: String, _ ending: String?, _ options: String
  ) throws {
    let row = try reading(["--reader", line] + options.words)
    #expect(row["outcome"] as? String == outcome, "\(row)")
    if let ending { #expect((row["ending"] as? String)?.contains(ending) == true, "\(row)") }
    try expectNobodyLeft(line.ranges(of: ">pid-").count)
  }

  @Test("output before a failure counts") func printedBefore() throws {
    let first = tuples(1).map { "\($0.time),\(hex($0.token))" }[0]
    let row = try reading(["--reader", "cat >/dev/null; echo \(first); kill -9 $$"])
    #expect(
      row["correct"] as? Int == 1 && row["missed"] as? Int == 2 && row["outcome"] as? String == "throws")
  }

  @Test("correct records with a failure are not right") func badEnd() throws {
    let row = try reading(["--reader", "\(Readers.right); exit 1"])
    #expect(row["correct"] as? Int == 3 && row["missed"] as? Int == 0)
    #expect(row["first_difference"] is Null)
    #expect((row["ending"] as? String)?.contains("exit code 1") == true)
  }

  @Test(
    "a reader that does not start",
    arguments: [
      (["--reader", "no-such-reader-anywhere"], nil), (["--reader", "./corpus/one/case.yml"], nil),
      (["--", "no-such-reader-anywhere", "-x"], ENOENT), (["--", "./corpus"], EACCES),
    ] as [([String], Int32?)])
  func notStarted(_ arguments: [String], _ error: Int32?) throws {
    let outcome = try directory.lab(["verify", "corpus"] + arguments).exits(
      2, saying: "cannot start the reader '\(arguments[1])'")
    if let error { #expect(outcome.said(": \(SystemError.text(error)); correct")) }
    #expect(outcome.output.isEmpty)
  }

  @Test("arguments after -- may contain blanks and quotes") func words() throws {
    try directory.write("import sys; sys.exit(0 if sys.argv[1:] == ['a b', \"$x'\"] else 9)", to: "check.py")
    let outcome = try directory.lab("verify", "corpus", "--", "python3", "check.py", "a b", "$x'")
    #expect(outcome.text.contains("completed"), "\(outcome.text)\(outcome.errors)")
  }

  /// Starts the command, and waits until the reader has written its id.
  private func start(_ arguments: [String]) throws -> ChildProcess {
    let child = try directory.start(["verify", "corpus"] + arguments, command: Command.lab)
    while try !directory.exists("pid-1") || directory.bytes(of: "pid-1").isEmpty { usleep(1000) }
    return child
  }

  @Test(
    "a signal terminates the readers, their children, and the command", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(_ signal: Int32) throws {
    let reader = "sleep 1000 & echo $! >pid-2; echo $$ >pid-1; cat; wait"
    let child = try start(["--junit", "out.xml", "--reader", reader])
    child.send(signal)
    #expect(try child.wait() == .signal(signal))
    try expectNobodyLeft(2)
    #expect(try directory.names == ["corpus", "pid-1", "pid-2"])
  }

  @Test("a signal also terminates served readers, and the certificate is removed", arguments: [1, 2])
  func interruptedServers(_ count: Int) throws {
    let child = try start(["--over", "tls", "--reader", "echo $$ >pid-1; exec sleep 1000"])
    for _ in 0..<count { child.send(SIGINT) }
    #expect(try child.wait() == .signal(SIGINT))
    try expectNobodyLeft(1)
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("no reader inherits a pipe of another") func inheritance() throws {
    for number in 0..<12 { try directory.addCase("case-\(number)", feedback(tuples(2))) }
    let rows = try directory.readings(
      ["--jobs", "12", "--reader", "ls /proc/self/fd >&2; cat >/dev/null; sleep 0.2"], code: 1)
    #expect(rows.count == 13)
    #expect(rows.allSatisfy { $0["outcome"] as? String == "completed" })
  }

  @Test(
    "readers inherit no output files of the command",
    .enabled(if: access("/proc/self/fd", F_OK) == 0, "the system lists no descriptors"))
  func ownFiles() throws {
    let outcome = try directory.testReader(
      "--junit", "out.xml", "--reader", "ls -l /proc/self/fd >open; cat >/dev/null")
    #expect(outcome.code == 1 && directory.exists("out.xml"))
    let open = try directory.text(of: "open")
    #expect(open.contains("/open") && !open.contains("out.xml"), "\(open)")
  }
}
