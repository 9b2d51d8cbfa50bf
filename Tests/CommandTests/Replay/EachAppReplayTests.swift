import Basics
import CommandTestSupport
import Testing
import Wording

/// One run for all apps of a table (docs/spec/interface.md#each-app).
@Suite("A replay for each app")
struct EachAppReplayTests {
  private static let registered: Int64 = 1_600_000_000
  private static let dead: Int64 = 1_700_000_000
  private static let mail = "com.example.mail"
  private static let chat = "com.example.chat"

  private let directory = TestDirectory()

  /// A store in which both apps have tokens 0 to 3, and a log of an hour.
  init() throws {
    try makeStore()
    try writeLog([(Self.mail, 0), (Self.chat, 1), (Self.mail, 0), (nil, 2), ("-", 3), (Self.chat, 2)])
  }

  private func makeStore() throws {
    for app in [Self.mail, Self.chat] {
      try directory.makeStore(
        (0..<4).map { StoredToken(token: token($0), registeredAt: Self.registered) }, app: app)
    }
  }

  private func writeLog(_ pushes: [(topic: String?, token: Int)]) throws {
    try directory.writeLog(pushes, at: Self.dead, to: "hour.ndjson")
  }

  private func replay(_ options: String..., input: String = "hour.ndjson") throws -> Outcome {
    try directory.apnsift(["replay", input, "--each-app"] + options)
  }

  /// The numbers of an app's dead tokens.
  private func dead(_ app: String) throws -> [Int] {
    let stored = Set(
      try directory.storedTokens(app: app).filter { $0.invalidatedAt == Self.dead }.map(\.token))
    return (0..<10).filter { stored.contains(token($0)) }
  }

  private func owners() throws -> [String] {
    try directory.sqlite("tokens.sqlite", "SELECT app FROM apnsift_replays ORDER BY id")
      .split(separator: "\n").map(String.init)
  }

  // MARK: - Outcomes

  @Test("is one transaction and one entry of the journal for each, in order of the names")
  func outcomes() throws {
    let trial = try replay("--dry-run")
    #expect(trial.code == 0 && trial.text.ranges(of: "for example").count == 2)
    #expect(try dead(Self.chat).isEmpty && dead(Self.mail).isEmpty)
    let outcome = try replay().exits(0)
    #expect(
      outcome.text == """
        com.example.chat
        invalidated 2  active before, invalidated now

        com.example.mail
        invalidated 1  active before, invalidated now

        """)
    #expect(
      outcome.messages == [
        "skipped 2 pushes with an invalid token and no topic that names an app; --app names it",
        "replayed 4 invalidated pushes with 3 distinct tokens of 2 apps, production: 3 rows of "
          + "sqlite:tokens.sqlite changed; no problems found",
      ])
    #expect(try dead(Self.chat) == [1, 2] && dead(Self.mail) == [0])
    #expect(try owners() == [Self.chat, Self.mail])
    let undo = try directory.apnsift("store", "undo", "2")
    #expect(try undo.code == 0 && dead(Self.mail).isEmpty && dead(Self.chat) == [1, 2])
  }

  @Test("does what a replay of each app with --app does")
  func sameAsOneByOne() throws {
    #expect(try replay("--no-journal").code == 0)
    let all = try [Self.chat, Self.mail].map { try directory.storedTokens(app: $0) }
    _ = try directory.shell("rm tokens.sqlite")
    // Those without an app would count for any.
    try writeLog([(Self.mail, 0), (Self.chat, 1), (Self.mail, 0), (Self.chat, 2)])
    try makeStore()
    for app in [Self.mail, Self.chat] {
      #expect(try directory.apnsift("replay", "hour.ndjson", "--app", app).code == 0)
    }
    #expect(try [Self.chat, Self.mail].map { try directory.storedTokens(app: $0) } == all)
  }

  @Test("--json has the outcome of each app, and their sums")
  func json() throws {
    let counts = try replay("--json", "--metrics", "all.prom").json([
      "pushes": 4, "pushes_without_app": 2, "rows": 3, "invalidated": 3,
    ])
    #expect(counts["app"] is Null && counts["replay"] is Null)
    let apps = try #require(counts["apps"] as? [Evidence.Object])
    #expect(apps.map { $0["app"] as? String } == [Self.chat, Self.mail])
    #expect(apps.map { $0["replay"] as? Int } == [1, 2])
    #expect(apps.map { $0["pushes"] as? Int } == [2, 2])
    #expect(apps.map { $0["invalidated"] as? Int } == [2, 1])
    let figures = try directory.text(of: "all.prom")
    #expect(figures.contains("apnsift_replay_tokens{replay=\"all\",outcome=\"invalidated\"} 3\n"))
    #expect(figures.contains("apnsift_replay_rows{replay=\"all\"} 3\n"))
  }

  @Test("tokens of another kind count with --token-kind, for the app of their topic")
  func kinds() throws {
    try writeLog([("com.example.mail.voip", 0), ("pass.com.example.card", 1), (Self.chat, 2)])
    #expect(try replay().lines.first == Self.chat)
    #expect(try dead(Self.mail).isEmpty)
    #expect(try replay("--token-kind", "voip").lines.first == Self.mail)
    #expect(try dead(Self.mail) == [0])
  }

  @Test("records that name no app are left out, and a message counts them")
  func withoutTopic() throws {
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let outcome = try replay(input: "dump.bin")
    #expect(outcome.code == 0 && outcome.output.isEmpty)
    #expect(outcome.messages.first == "skipped 3 records without a topic; --app names the app")
    #expect(try replay("--quiet", input: "dump.bin").errors.isEmpty)
  }

  // MARK: - Limits and failures

  @Test("one app over its limit leaves all unchanged", arguments: [false, true])
  func limit(_ isDryRun: Bool) throws {
    let outcome = try replay("--max-invalidate", "1", "--json", isDryRun ? "--dry-run" : "--known-only")
      .exits(3)
    #expect(outcome.errors.contains("com.example.chat: 2 of 4 live tokens would be invalidated"))
    #expect(!outcome.errors.contains("com.example.mail: "))
    let counts = try outcome.json()
    #expect(counts["dry_run"] as? Bool == isDryRun && counts["stopped"] is String)
    let apps = try #require(counts["apps"] as? [Evidence.Object])
    #expect(apps.map { $0["stopped"] is String } == [true, false])
    #expect(try dead(Self.chat).isEmpty && dead(Self.mail).isEmpty)
    #expect(try replay("--max-invalidate", "2").code == 0)
  }

  @Test("a failure after the first app names it, and the same command continues")
  func failure() throws {
    try directory.sqlite(
      "tokens.sqlite",
      "CREATE TRIGGER stop BEFORE UPDATE ON device_tokens WHEN NEW.app = '\(Self.mail)' "
        + "BEGIN SELECT RAISE(ABORT, 'no'); END")
    let failed = try replay().exits(2)
    #expect(
      failed.messages.contains(
        "1 of 2 apps were replayed before com.example.mail failed; the same command continues"))
    #expect(failed.errors.contains("; \(Message.rowsStayChanged("2 rows")); "), "\(failed.errors)")
    #expect(try dead(Self.chat) == [1, 2] && dead(Self.mail).isEmpty)
    try directory.sqlite("tokens.sqlite", "DROP TRIGGER stop")
    // The input was not replayed for all apps.
    #expect(try replay("--skip-replayed").code == 0)
    #expect(try dead(Self.mail) == [0])
  }

  @Test("more apps than the limit change nothing")
  func manyApps() throws {
    try writeLog((0..<101).map { ("com.example.a\($0)", $0) })
    let outcome = try replay().exits(2)
    #expect(
      outcome.messages.last
        == "sqlite:tokens.sqlite is unchanged: the topics of pushes name more than 100 apps; --app replays one app"
    )
    #expect(try directory.sqlite("tokens.sqlite", "SELECT count(*) FROM device_tokens") == "8")
  }

  // MARK: - Replayed before

  @Test("--skip-replayed skips what was replayed for all its apps")
  func skips() throws {
    #expect(try replay("--skip-replayed").code == 0)
    let again = try replay("--skip-replayed")
    #expect(again.output.isEmpty)
    #expect(again.messages.first == "hour.ndjson: skipped: already replayed by replay 2")
    #expect(try owners().count == 2)
    _ = try directory.apnsift("store", "undo", "1")
    #expect(try replay("--skip-replayed").lines.first == Self.chat)
    #expect(try dead(Self.chat) == [1, 2])
    #expect(try replay("--skip-replayed").output.isEmpty)
  }

  @Test("--skip-replayed does not know a replay of one app for all")
  func oneAppBefore() throws {
    #expect(try directory.apnsift("replay", "hour.ndjson", "--app", Self.mail).code == 0)
    #expect(try replay("--skip-replayed").lines.contains(Self.chat))
    #expect(
      try directory.apnsift("replay", "hour.ndjson", "--app", Self.mail, "--skip-replayed").output.isEmpty)
  }

  // MARK: - Tables

  @Test("a mapped table has to have a column of apps")
  func mapping() throws {
    try directory.sqlite(
      "own.sqlite",
      """
      CREATE TABLE devices (id INTEGER PRIMARY KEY, bundle TEXT, token TEXT, gone INTEGER);
      INSERT INTO devices (bundle, token) VALUES ('\(Self.mail)', '\(hex(token(0)))'), ('\(Self.chat)', '\(hex(token(0)))');
      """)
    for (name, column) in [("one.yml", ""), ("all.yml", "column: bundle, ")] {
      try directory.writeMapping(
        to: name, gone: "seconds", "store: sqlite:own.sqlite\napp: {\(column)value: com.example.mail}")
    }
    try replay("--mapping", "one.yml").exits(64, saying: "--each-app needs a column of apps")
    try replay("--mapping", "all.yml", "--max-invalidate", "100%").exits(0)
    #expect(try directory.sqlite("own.sqlite", "SELECT bundle FROM devices WHERE gone > 0") == Self.mail)
  }
}
