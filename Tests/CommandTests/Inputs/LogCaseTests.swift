import Basics
import CommandTestSupport
import Testing
import Wording

/// Logs and lists of people who met them (Tests/Fixtures/cases, samples/corpus): what becomes of their records.
@Suite("Logs of libraries, loggers and databases")
struct LogCaseTests {
  private let directory = TestDirectory()

  private static let (first, second) = (
    "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0",
    "98ce94b2b196906ca4859e068b8ef92e6de9e641972d54de4af1d6eaa6431147"
  )

  private func path(_ name: String) -> String { Repository.path(of: "Tests/Fixtures/cases/\(name)") }

  /// `whole`: the times have whole seconds. `none`: the times have no zone.
  @Test(
    "the replay of a log invalidates the tokens that it should, and no other",
    arguments: [
      ("apnotic.log", "truth"), ("apns2-slog.ndjson", "whole"), ("base64tok.ndjson", "truth"),
      ("cri.log", "truth"), ("docker.log", "truth"), ("node-apn-pretty.log", "truth"),
      ("node-apn.ndjson", "truth"), ("own.csv", "truth"), ("plain.ndjson", "truth"),
      ("pretty.json", "truth"), ("pushy.log", "truth"), ("pyapns2.log", "truth"),
      ("rpush_feedback.csv", "whole"), ("stdtok.csv", "none"),
    ])
  func replay(_ name: String, _ expected: String) throws {
    try directory.shell("sqlite3 store.sqlite < '\(path("stores/devices.sql"))'").exits(0)
    try directory.write(
      """
      table: d
      token: {column: token, form: hex}
      registered: {column: reg, form: timestamp}
      action: mark
      invalidated: {column: dead, form: timestamp}
      """, to: "m.yml")
    _ = try directory.apnsift(
      "replay \(path("stores/logs/\(name)")) --store sqlite:store.sqlite --mapping m.yml --no-journal".words)
    let wrong =
      expected == "none"
      ? "SELECT count(*) FROM d WHERE dead IS NOT NULL"
      : "SELECT count(*) FROM d WHERE (dead IS NOT NULL) <> (id IN (SELECT id FROM \(expected)))"
    #expect(try directory.sqlite("store.sqlite", wrong) == "0")
  }

  /// The list has the latest time of each token.
  @Test(
    "the list that a dry run wrote, and other exports, are inputs with the same records",
    arguments: [("list.csv", "token"), ("own.ndjson", "time,token,flags")])
  func ownLists(_ name: String, _ columns: String) throws {
    let sample = Repository.path(of: "samples/tls-session.bin")
    _ = try directory.apnsift(
      "replay \(sample) --dry-run --include-flagged --create --store sqlite:new.sqlite -o list.csv".words)
    _ = try directory.apnsift("export \(sample) -t ndjson -o own.ndjson".words)
    let expected = try directory.apnsift("export", sample, "--columns", columns)
    let outcome = try directory.apnsift("export", name, "--columns", columns).exits(0)
    #expect(Set(outcome.lines) == Set(expected.lines))
  }

  @Test("--map names the columns of a list, --line-pattern its lines")
  func mappedList() throws {
    try directory.write("gone;when\n\(Self.first);1400000000\n", to: "a.csv")
    try directory.write("1400000000 = \(Self.first)!\n", to: "b.txt")
    for arguments in [
      ["a.csv", "--map", "token=gone,time=when"],
      ["b.txt", "--from", "feedback-list", "--line-pattern", #"(?<time>\d+) = (?<token>\w+)"#],
    ] {
      let outcome = try directory.apnsift(["export", "--columns", "timestamp,token"] + arguments)
      #expect(outcome.text == "timestamp,token\n1400000000,\(Self.first)\n", "\(outcome.errors)")
    }
  }

  @Test(
    "a list that does not say what its times are is not read as feedback",
    arguments: [
      "TOKEN 1400000000\n", "1400000000,TOKEN\n", "[\n{\"device\":\"TOKEN\",\"time\":1400000000}\n]\n",
    ])
  func unnamedList(_ text: String) throws {
    try directory.write(text.replacing("TOKEN", with: Self.first), to: "a.txt")
    try directory.apnsift("export", "a.txt").exits(2, saying: "--from feedback-list")
    let read = try directory.apnsift("export a.txt --from feedback-list --columns timestamp,token".words)
    #expect(read.text == "timestamp,token\n1400000000,\(Self.first)\n")
  }

  @Test("the inventory says what read how many lines")
  func inventory() throws {
    try directory.write(
      "{\"token\":\"\(Self.first)\",\"status\":200}\nnoise\ndevice \(Self.second): 410 Unregistered\n",
      to: "a.log")
    let outcome = try directory.apnsift("export a.log --records inputs --columns format,forms".words)
    #expect(outcome.text == "format,forms\nprovider-log,\"json 1, members 1 of 3 lines\"\n")
    let inspected = try directory.apnsift("inspect", "a.log").lines
    #expect(inspected.contains("    read by json 1, members 1 of 3 lines"))
  }

  @Test("apnsift forms prints a file that --forms takes, and --test reads its samples")
  func forms() throws {
    let printed = try directory.apnsift("forms").text
    #expect(printed.contains("\npushy:\n"))
    try directory.write(printed, to: "forms.yml")
    try directory.apnsift("forms", "--test", "forms.yml").exits(
      0, saying: "samples: all are read as they say")
    try directory.write(printed.replacing("status: 503", with: "status: 500"), to: "wrong.yml")
    try directory.apnsift("forms", "--test", "wrong.yml")
      .exits(1, saying: "wrong.yml: sample 3 of requests: status is 503, expected 500")
    try directory.write("a:\n  pattern: '('\n", to: "bad.yml")
    for line in ["forms --test bad.yml", "export wrong.yml --forms bad.yml"] {
      try directory.apnsift(line.words).exits(64, saying: "bad.yml: line 2, column 12: the pattern of a")
    }
  }

  // MARK: - Times: lines have times of their own

  private static let token = String(repeating: "ab", count: 32)
  private static let rfc3339 = failures(1) { _ in "\"2026-11-20T10:00:00.000Z\"" }

  /// Writes the log, and registers the token.
  private func prepare(_ log: String) throws {
    try directory.write(log, to: "a.log")
    _ = try directory.apnsift("store register \(Self.token) --at 2013-05-01T09:30:00Z --create".words)
  }

  private func findings() throws -> [String] {
    try directory.apnsift("export a.log --records findings --columns code,severity".words).lines
  }

  /// A log of failures alone, with a time as loggers write it.
  private static func failures(_ count: Int, _ time: (Int) -> String) -> String {
    (0..<count).map { #"{"timestamp":\#(time($0)),"event":"apns","token":"\#(token)","status":410}"# + "\n" }
      .joined()
  }

  /// Logs, and the number of their lines with doubtful times.
  private static let doubtful: [(name: String, log: String, count: Int)] = [
    ("RFC 3339", rfc3339, 1),
    ("rising milliseconds", failures(24) { "\(1_795_168_800_000 + $0 * 1700)" }, 24),
  ]

  @Test("Doubtful times stop the replay", arguments: doubtful)
  func stop(_ name: String, _ log: String, _ count: Int) throws {
    try prepare(log)
    let times = Message.logTimes(count, first: 1, areDoubtful: true)
    try directory.apnsift("replay", "a.log").exits(
      2,
      saying:
        "sqlite:tokens.sqlite is unchanged: a.log: \(times); with a name that is not in it, no time is taken")
    #expect(try directory.storedTokens().allSatisfy { $0.invalidatedAt == nil })
    #expect(try findings() == ["code,severity", "doubtful-times,error"])
  }

  @Test("--map decides", arguments: [("timestamp", [Int64(1_795_168_800)]), ("none", [])])
  func mapped(_ name: String, _ times: [Int64]) throws {
    try prepare(Self.rfc3339)
    try directory.apnsift("replay", "a.log", "--map", "timestamp=\(name)").exits(0)
    #expect(try directory.storedTokens().compactMap(\.invalidatedAt) == times)
  }

  @Test("Log times are a note, and invalidate nothing")
  func ofLines() throws {
    let line = #"{"timestamp":1795168800000,"level":"error","token":"\#(Self.token)","status":410}"#
    try directory.write(line + "\n", to: "a.log")
    try directory.apnsift("replay", "a.log", "--create").exits(0)
    #expect(try directory.storedTokens().isEmpty)
    #expect(try findings() == ["code,severity", "log-times,note"])
  }

  // MARK: - Lines that are longer than the head that decides the format

  private static let object = #"{"token":"\#(token)","status":200}"#
  private static let row = "\(token),200"

  private static let long: [(name: String, line: String)] = [
    ("hex", String(repeating: "0123456789abcdef", count: 1 << 17)),
    ("a push", #"{"token":"\#(token)","status":200,"x":""# + String(repeating: "f", count: 1 << 21) + "\"}"),
  ]

  /// Lines before the long one, and after it.
  private static let logs: [(name: String, before: [String], after: [String])] = [
    ("objects", [object], [object]), ("objects, the long line first", [], [object, object]),
    ("a table", ["token,status", row], [row]), ("a table, the long row first", ["token,status"], [row, row]),
  ]

  private func export(_ kind: String, _ columns: String) throws -> [String] {
    Array(
      try directory.apnsift("export a.log --records \(kind) --columns \(columns)".words).lines.dropFirst())
  }

  @Test("Long lines are skipped, and the other lines are read", arguments: logs.indices, long.indices)
  func lines(_ log: Int, _ long: Int) throws {
    let (_, before, after) = Self.logs[log]
    let line = Self.long[long].line
    try directory.write((before + [line] + after).joined(separator: "\n") + "\n", to: "a.log")
    #expect(try export("pushes", "token,status") == [Self.row, Self.row])
    let offset = before.reduce(0) { $0 + $1.utf8.count + 1 }
    let finding = "malformed-line,\(offset),\(line.utf8.count + 1)"
    #expect(try export("findings", "code,file_offset,length") == [finding])
  }

  @Test("A long line may have nearly 4 MiB", arguments: [(4 << 20) - 1, 4 << 20])
  func ends(_ length: Int) throws {
    let long = String(repeating: "0", count: length - Self.object.utf8.count - 2)
    try directory.write("\(long)\n\(Self.object)\n", to: "a.log")
    #expect(try export("pushes", "token,status") == [Self.row])
  }

  @Test("A dump in one line stays a dump", arguments: [true, false])
  func dump(_ isHex: Bool) throws {
    let dump = feedback(tuples(60_000))
    let text = isHex ? Array(hex(dump).utf8) : try directory.tool("base64", ["-w", "0"], input: .bytes(dump))
    try directory.write(text, to: "a.log")
    #expect(try directory.apnsift("export", "a.log").lines.count == 60_001)
  }
}
