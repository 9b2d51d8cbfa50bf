import Basics
import CommandTestSupport
import Foundation
import TestSupport
import Testing
import Wording

/// Replays of a spool by the clock: what is left alone, moved, counted and printed (docs/how-to/unattended-replay.md).
@Suite("Replays of a spool")
struct SpoolTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.makeSpool()
    for name in ["done", "failed"] { try directory.makeDirectory(name) }
  }

  private func replay(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["replay", "spool", "--create"] + arguments)
  }

  // MARK: - Silence

  @Test("the cron line of the how-to page mails only what needs attention")
  func cron() throws {
    let page = try String(
      contentsOfFile: Repository.path(of: "docs/how-to/unattended-replay.md"), encoding: .utf8)
    let entry = try #require(page.split(separator: "\n").first { $0.hasPrefix("17 * * * *") })
    let line = entry.dropFirst("17 * * * *".count)
      .replacing("/usr/local/bin/apnsift", with: Command.path)
      .replacing("/var/spool/apnsift", with: "spool").replacing("/var/lib/apnsift/", with: "")
    func run() throws -> Outcome {
      let words = ["-i", "HOME=/", "PATH=/usr/bin:/bin", "/bin/sh", "-c", line]
      return try directory.run("/usr/bin/env", words.map { Array($0.utf8) })
    }
    _ = try directory.apnsift("store", "register", hex(token(0)), "--at", "1300000000", "--create")
    for _ in 0..<2 {
      let silent = try run()
      #expect(silent.isSilent, "\(silent.errors)")
    }
    #expect(try directory.storedTokens().count == 6)
    try directory.writeCut(to: "spool/cut.gz")
    let failed = try run()
    #expect(failed.code == 2 && failed.output.isEmpty)
    #expect(failed.messages.first?.hasPrefix("spool/cut.gz: ") == true, "\(failed.errors)")
    _ = try directory.shell("rm spool/*; touch spool/.partial")
    let empty = try run()
    #expect(empty.isSilent, "\(empty.errors)")
  }

  @Test(
    "--quiet prints messages only about problems",
    arguments: Fixtures.rows("quiet runs", in: "command-cases") as [([String], Int32, Bool)])
  func quiet(_ arguments: [String], _ code: Int32, _ isSilent: Bool) throws {
    try directory.write(feedback(tuples(2)).dropLast(), to: "cut.bin")
    let outcome = try directory.apnsift(arguments + ["--quiet"])
    #expect(outcome.code == code && outcome.errors.isEmpty == isSilent, "\(outcome.errors)")
    if arguments[0] == "replay" { #expect(outcome.output.isEmpty) }
  }

  // MARK: - Other apps

  /// The topics of a log's 410s, the exit code with `--app com.example.news`, the tokens stored, and those left out. Which
  /// topics stop a replay is StoreReplayTests' business.
  static let topics: [(topics: [String?], code: Int32, stored: Int, others: Int)] = [
    (["com.example.mail", "com.example.chat", "com.example.mail"], 0, 0, 3),
    (["com.example.mail", nil, "com.example.news"], 0, 2, 1), (["com.example.mail", nil], 2, 0, 0),
  ]

  @Test("pushes of other apps are left out, counted and named", arguments: topics)
  func otherApps(_ topics: [String?], _ code: Int32, _ stored: Int, _ others: Int) throws {
    try directory.writeLog(topics.enumerated().map { ($1, $0) }, at: 1_790_000_000, to: "hour.ndjson")
    let arguments = ["replay", "hour.ndjson", "--app", "com.example.news", "--create", "--json"]
    let outcome = try directory.apnsift(arguments).exits(code)
    guard code == 0 else { return }
    try outcome.json(["inserted": stored, "pushes_of_other_apps": others])
    let found = Message.noPushOfApp("com.example.news", but: ["com.example.mail", "com.example.chat"])
    #expect(outcome.said(found) == topics.contains("com.example.chat"))
    let quiet = try directory.apnsift(arguments.dropLast() + ["--quiet"])
    #expect(quiet.isSilent, "\(quiet.errors)")
  }

  // MARK: - Left alone

  @Test("names that begin with a dot are left alone in directories, and read if they are named")
  func hidden() throws {
    for name in ["spool/.3.bin.Xy12ab", "spool/.partial/4.bin", ".spool/5.bin"] {
      try directory.write(feedback(tuples(2, from: 50)), to: name)
    }
    let counts = try replay("--json").exits(
      0, saying: "left alone 2 names with a leading dot, such as spool/.3.bin.Xy12ab: name it to read it"
    ).json(["inserted": 6])
    #expect((counts["files"] as? Evidence.Object)?["left_alone"] as? Int == 2)
    #expect(
      try directory.apnsift("replay", "spool/.3.bin.Xy12ab").lines.first?.hasPrefix("inserted    2") == true)
    try directory.apnsift("replay", ".spool", "spool/.partial", "--json").json(["inputs": 2])
    #expect(try directory.apnsift("inspect", "spool").messages.last?.hasPrefix("inspected 5 inputs") == true)
  }

  @Test("a directory of nothing but such names is no failure")
  func onlyHidden() throws {
    _ = try directory.shell("rm spool/*; touch spool/.partial")
    #expect(try replay().code == 0)
    _ = try directory.shell("rm spool/.partial")
    #expect(try replay().code == 2)
  }

  /// Replays the spool and a pipe. The spool's first file grows after reading began, which the pipe shows, and before it
  /// ends, which waits for the pipe. The message says so.
  private func replayGrowing(pipe: String, _ options: String) throws {
    try directory.shell(
      """
      mkfifo pipe
      "$APNSIFT" replay spool pipe --create \(options) & exec 3>pipe
      printf 0123 >> spool/0.bin
      cat \(pipe) >&3; exec 3>&-
      wait $!
      """
    ).exits(2, saying: .about("spool/0.bin", .changed(from: 76, to: 80)))
  }

  @Test("a file that grows while it is read stops the replay")
  func grows() throws {
    try directory.write(feedback(tuples(1, from: 9)), to: "more.bin")
    try replayGrowing(pipe: "more.bin", "")
    #expect(!directory.exists("tokens.sqlite"))
    #expect(try replay().code == 0)
  }

  @Test("--skip-unreadable leaves out a file that grows, and it stays in the spool")
  func skipsGrowing() throws {
    try directory.writeCut(to: "cut.gz")
    try replayGrowing(pipe: "cut.gz", "--skip-unreadable --move-done done --move-failed failed")
    #expect(try directory.storedTokens().count == 4)
    #expect(try directory.names(in: "spool") == ["0.bin"])
    #expect(try directory.names(in: "done") == ["1.bin", "2.bin"])
    #expect(try directory.names(in: "failed").isEmpty)
  }

  // MARK: - Moves

  @Test("replayed files are moved, also those of an earlier replay, and no file is replaced")
  func moveDone() throws {
    try directory.write(Array("mine".utf8), to: "done/1.bin")
    try replay("--move-done", "done").exits(0, saying: .moved(3, to: "done"))
    #expect(try directory.names(in: "done") == ["0.bin", "1.bin", "1.bin.1", "2.bin"])
    #expect(try directory.text(of: "done/1.bin") == "mine")
    #expect(try directory.bytes(of: "done/1.bin.1") == feedback(tuples(2, from: 2)))
    try directory.write(feedback(tuples(2, from: 2)), to: "spool/sub/1.bin")
    #expect(try replay("--move-done", "done", "--skip-replayed", "--quiet").errors.isEmpty)
    #expect(try directory.names(in: "done") == ["0.bin", "1.bin", "1.bin.1", "1.bin.2", "2.bin"])
    #expect(try directory.names(in: "spool/sub").isEmpty)
  }

  @Test("files with errors are moved elsewhere; those of no known format stay unless they are failures")
  func moveFailed() throws {
    try directory.writeCut(to: "spool/cut.gz")
    try directory.write([0x17, 3, 3, 0, 5, 104, 101, 108, 108, 111], to: "spool/tls.bin")
    try directory.write("<html><title>502</title></html>\n", to: "spool/page.html")
    #expect(try replay("--move-done", "done").code == 2)
    #expect(try directory.names(in: "spool").count == 6, "one that stops the replay moves nothing")
    let options = ["--skip-unreadable", "--move-done", "done", "--move-failed", "failed"]
    #expect(try directory.apnsift(["replay", "spool", "--create"] + options).code == 2)
    #expect(try directory.names(in: "done") == ["0.bin", "1.bin", "2.bin"])
    #expect(try directory.names(in: "failed") == ["cut.gz", "tls.bin"])
    #expect(try directory.names(in: "spool") == ["page.html"])
    #expect(try directory.apnsift(["replay", "spool", "--fail-on", "unrecognised"] + options).code == 2)
    #expect(try directory.names(in: "failed") == ["cut.gz", "page.html", "tls.bin"])
  }

  /// Runs that change nothing, and their exit codes.
  static let unmoved: [(options: [String], code: Int32)] = [
    (["--dry-run"], 0), (["--dry-run", "--max-invalidate", "0"], 3), (["--max-invalidate", "0"], 3),
    (["--store", "sqlite:none/t.sqlite"], 2),
  ]

  @Test("nothing is moved unless the replay is committed", arguments: unmoved)
  func notMoved(_ options: [String], _ code: Int32) throws {
    _ = try directory.apnsift("store", "register", hex(token(0)), "--at", "1300000000", "--create")
    let outcome = try directory.apnsift(["replay", "spool", "--move-done", "done"] + options).exits(code)
    #expect(try directory.names(in: "spool").count == 3 && directory.names(in: "done").isEmpty)
    #expect(outcome.said("3 files would be moved to done; a dry run moves none") == (code == 0))
  }

  @Test(
    "a directory that cannot take the files, or is read itself, and a file that cannot take figures, are refused first",
    arguments: Fixtures.rows("targets that are refused", in: "command-cases") as [([String], Int32)])
  func target(_ options: [String], _ code: Int32) throws {
    try directory.makeDirectory("spool/sub")
    #expect(try directory.apnsift(["replay", "spool", "--create"] + options).code == code)
    #expect(!directory.exists("tokens.sqlite"))
  }

  // MARK: - Figures

  /// Runs, their exit codes, and figures.
  @Test(
    "--metrics writes figures on every exit",
    arguments: Fixtures.rows("figures of runs", in: "command-cases") as [([String], Int32, [String: Int])])
  func figuresOfRun(_ options: [String], _ code: Int32, _ figures: [String: Int]) throws {
    try directory.writeCut(to: "spool/cut.gz")
    try directory.write("", to: "spool/.partial")
    try directory.write("old", to: "news.prom")
    _ = try directory.apnsift("store", "register", hex(token(0)), "--at", "1300000000", "--create")
    try directory.apnsift(["replay", "spool", "--metrics", "news.prom"] + options).exits(code)
    let found = try Self.figures(directory.text(of: "news.prom"), replay: "news")
    #expect(found["exit_code"] == Double(code))
    #expect(found["duration_seconds"] != nil && (found["timestamp_seconds"] ?? 0) > 1_700_000_000)
    for (name, value) in figures { #expect(found[name] == Double(value), "\(name)") }
    try directory.shell("! command -v promtool > /dev/null || promtool check metrics < news.prom").exits(0)
    #expect(try directory.names.filter { $0.contains(".prom") } == ["news.prom"])
  }

  @Test("a name with quotes is escaped, and the file is for all who may read it")
  func metricsName() throws {
    // --quiet leaves the JSON that was asked for.
    try replay("--metrics", "a\"b\\c.prom", "--quiet", "--json").exits(0).json(["inserted": 6])
    let found = try Self.figures(directory.text(of: "a\"b\\c.prom"), replay: "a\\\"b\\\\c")
    #expect(found["rows"] == 6)
    let mode = try directory.shell(
      "umask 022; \"$APNSIFT\" replay spool --metrics b.prom && stat -c %a b.prom")
    #expect(mode.lines.last == "644")
  }

  /// The values by metric and label, as `tokens outcome=kept`, of a text in Prometheus' format.
  private static func figures(_ text: String, replay: String) throws -> [String: Double] {
    var figures: [String: Double] = [:]
    var names: Set<Substring> = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    #expect(lines.popLast() == "")
    while let help = lines.popFirst() {
      let name = try #require(help.wholeMatch(of: /# HELP apnsift_replay_([a-z_]+) [A-Z0-9].*\./)).output.1
      #expect(lines.popFirst() == "# TYPE apnsift_replay_\(name) gauge" && names.insert(name).inserted)
      let known = figures.count
      while let line = lines.first, !line.hasPrefix("#") {
        let start = "apnsift_replay_\(name){replay=\"\(replay)\""
        try #require(line.hasPrefix(start), "\(line)")
        let rest = try #require(
          line.dropFirst(start.count).wholeMatch(of: /(?:,([a-z]+)="([a-z_]+)")?\} ([0-9]+(?:\.[0-9]+)?)/))
        let label = rest.output.1.flatMap { label in rest.output.2.map { " \(label)=\($0)" } } ?? ""
        figures["\(name)\(label)"] = Double(String(rest.output.3))
        lines.removeFirst()
      }
      #expect(figures.count > known)
    }
    return figures
  }

  @Test("--json counts files, findings and flags")
  func json() throws {
    try directory.writeCut(to: "spool/cut.gz")
    try directory.write("", to: "spool/.partial")
    try directory.write(feedback(tuples(2, from: 20) + [Tuple(5, token(30))]), to: "spool/early.bin")
    try directory.write(feedback(tuples(2, from: 40)).dropLast(), to: "spool/short.bin")
    let future = #"{"token":"\#(hex(token(31)))","status":410,"invalidated_at":4000000000000}"#
    try directory.write(future + "\n", to: "spool/future.log")
    _ = try directory.apnsift("replay", "spool/0.bin", "--create")
    let counts = try replay("--skip-unreadable", "--skip-replayed", "--json").exits(2).json()
    let expected = [
      "files": ["read": 5, "unreadable": 1, "replayed_before": 1, "left_alone": 1],
      "flags": ["implausible-timestamp": 2], "findings": ["truncated-record": 1],
    ]
    for (name, numbers) in expected { #expect(counts[name] as? [String: Int] == numbers, "\(name)") }
  }
}
