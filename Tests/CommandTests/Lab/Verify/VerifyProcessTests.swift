import Basics
import CommandTestSupport
import Foundation
import Testing
import Wording

/// Misbehaving readers: each is terminated and leaves nothing.
@Suite("Misbehaving readers")
struct VerifyProcessTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    try directory.addCase("one", feedback(tuples(3)), more: "chunks: [40]\n")
  }

  /// Its reading; checks that the processes whose ids it wrote to files `pid-*` are gone.
  private func reading(_ arguments: [String]) throws -> Evidence.Object {
    try #require(try directory.readings(arguments, code: 1).first)
  }

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

  struct Reader: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var line: String
    var outcome: String
    var ending: Message?
    var children = 0
    var options: [String] = []
  }

  static let readers = [
    Reader(
      testDescription: "never ends", line: "echo $$ >pid-1; cat >/dev/null; exec sleep 1000",
      outcome: "hangs", ending: .readerStillRan(after: 0.7), children: 1, options: ["--timeout", "0.7"]),
    Reader(
      testDescription: "spins", line: "echo $$ >pid-1; while :; do :; done", outcome: "hangs",
      ending: .readerStillRan(after: 0.7), children: 1, options: ["--timeout", "0.7"]),
    Reader(
      testDescription: "ignores signals",
      line: "trap '' TERM INT HUP; echo $$ >pid-1; while :; do sleep 1; done", outcome: "hangs",
      ending: .readerStillRan(after: 0.7), children: 1, options: ["--timeout", "0.7"]),
    Reader(
      testDescription: "never reads, and ends", line: "echo $$ >pid-1", outcome: "completed", children: 1),
    Reader(
      testDescription: "closes its input at once", line: "exec <&-; sleep 0.2", outcome: "completed",
      ending: "the reader closed its input before offset 0"),
    Reader(testDescription: "closes its output", line: "exec >&-; cat >/dev/null", outcome: "completed"),
    Reader(
      testDescription: "fails", line: "cat >/dev/null; exit 7", outcome: "throws", ending: .readerExited(7)),
    Reader(
      testDescription: "is killed", line: "cat >/dev/null; kill -SEGV $$", outcome: "throws",
      ending: "the reader was terminated by signal 11"),
    Reader(
      testDescription: "floods", line: "echo $$ >pid-1; yes", outcome: "floods",
      ending: .readerFlooded(100 << 10), children: 1, options: ["--max-output", "100KiB"]),
    Reader(
      testDescription: "floods in one line", line: "tr '\\0' a </dev/zero", outcome: "floods",
      ending: .readerFlooded(64 << 20), options: []),
    Reader(
      testDescription: "complains without end", line: "cat >/dev/null; yes >&2 & sleep 0.3; exit 2",
      outcome: "throws", ending: .readerExited(2)),
    Reader(
      testDescription: "leaves child processes running",
      line: "sleep 1000 & echo $! >pid-1; (sleep 1000 & echo $! >pid-2); cat >/dev/null",
      outcome: "completed", children: 2),
    Reader(
      // It waits for the other process, which only the limit ends.
      testDescription: "waits for one that floods", line: "yes & echo $! >pid-1; wait", outcome: "floods",
      ending: .readerFlooded(1 << 20), children: 1, options: ["--max-output", "1MiB", "--timeout", "600"]),
    Reader(
      // A line every tenth of a second does not reach the output limit.
      testDescription: "leaves one that prints on",
      line: "(while echo more; do sleep 0.1; done) & echo $! >pid-1; cat >/dev/null", outcome: "completed",
      children: 1, options: ["--timeout", "600"]),
  ]

  @Test("are terminated and reaped", arguments: readers)
  func ended(_ reader: Reader) throws {
    let row = try reading(["--reader", reader.line] + reader.options)
    #expect(row["outcome"] as? String == reader.outcome, "\(row)")
    if let ending = reader.ending {
      #expect(row["ending"] as? String == ending.text, "\(row)")
    }
    try expectNobodyLeft(reader.children)
  }

  @Test("output before a failure counts")
  func printedBefore() throws {
    let first = tuples(1).map { "\($0.time),\(hex($0.token))" }[0]
    let row = try reading(["--reader", "cat >/dev/null; echo \(first); kill -9 $$"])
    #expect(
      row["correct"] as? Int == 1 && row["missed"] as? Int == 2 && row["outcome"] as? String == "throws")
  }

  @Test("correct records with a failure are not right")
  func badEnd() throws {
    let row = try reading(["--reader", "\(Readers.right); exit 1"])
    #expect(row["correct"] as? Int == 3 && row["missed"] as? Int == 0)
    #expect(row["first_difference"] is Null)
    #expect(row["ending"] as? String == Message.readerExited(1).text)
  }

  @Test(
    "a reader that does not start",
    arguments: [
      (["--reader", "no-such-reader-anywhere"], nil), (["--reader", "./corpus/one/case.yml"], nil),
      (["--", "no-such-reader-anywhere", "-x"], ENOENT), (["--", "./corpus"], EACCES),
    ] as [([String], Int32?)])
  func notStarted(_ arguments: [String], _ error: Int32?) throws {
    let outcome = try directory.lab(["verify", "corpus"] + arguments)
    #expect(outcome.code == 2)
    if let error {
      #expect(
        outcome.said(
          "cannot start the reader '\(arguments[1])': \(SystemError.text(error)); correct the command"),
        "\(outcome.errors)")
    } else {
      // What the shell says depends on the shell.
      let message = try #require(outcome.messages.first)
      let complaint = message.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
      #expect(complaint.contains(arguments[1]))
      #expect(message == Message.readerDidNotStart(arguments[1], complaint: String(complaint)).text)
    }
    #expect(outcome.output.isEmpty)
  }

  @Test("arguments after -- may contain blanks and quotes")
  func words() throws {
    try directory.write("import sys; sys.exit(0 if sys.argv[1:] == ['a b', \"$x'\"] else 9)", to: "check.py")
    let outcome = try directory.lab("verify", "corpus", "--", "python3", "check.py", "a b", "$x'")
    #expect(outcome.text.contains("completed"), "\(outcome.text)\(outcome.errors)")
  }

  @Test(
    "a signal terminates the readers, their children, and the command", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(_ signal: Int32) throws {
    let child = try directory.start(
      [
        "verify", "corpus", "--junit", "out.xml", "--reader",
        "sleep 1000 & echo $! >pid-2; echo $$ >pid-1; cat; wait",
      ], command: Command.lab)
    while try !directory.exists("pid-1") || directory.bytes(of: "pid-1").isEmpty { usleep(1000) }
    child.send(signal)
    #expect(try child.wait() == .signal(signal))
    try expectNobodyLeft(2)
    #expect(try directory.names == ["corpus", "pid-1", "pid-2"])
  }

  @Test(
    "a signal also terminates served readers, and the certificate is removed", arguments: [1, 2])
  func interruptedServers(_ count: Int) throws {
    let child = try directory.start(
      [
        "verify", "corpus", "--over", "tls", "--reader", "echo $$ >pid-1; exec sleep 1000",
      ], command: Command.lab)
    while try !directory.exists("pid-1") || directory.bytes(of: "pid-1").isEmpty { usleep(1000) }
    for _ in 0..<count { child.send(SIGINT) }
    #expect(try child.wait() == .signal(SIGINT))
    try expectNobodyLeft(1)
    #expect(try directory.temporaryNames.isEmpty)
  }

  @Test("no reader inherits a pipe of another")
  func inheritance() throws {
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
