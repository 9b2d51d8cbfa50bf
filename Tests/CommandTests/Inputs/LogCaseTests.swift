import Basics
import CommandTestSupport
import Testing

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
}
