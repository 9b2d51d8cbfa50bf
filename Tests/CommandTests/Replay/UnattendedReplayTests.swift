import Basics
import CommandTestSupport
import Foundation
import PrivateServers
import Testing
import Wording

/// Unattended replays of a spool, with all settings in a mapping file (docs/stores.md#unattended-replays).
@Suite("Unattended replays")
struct UnattendedReplayTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.makeSpool()
  }

  private func replay(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["replay", "spool", "--create"] + arguments)
  }

  @Test("--fail-on unrecognised: a page among the dumps is a failure, and nothing is replayed")
  func unrecognised() throws {
    // A page that a server sent instead of a dump.
    try directory.write("<html><head><title>502 Bad Gateway</title></head></html>\n", to: "spool/page.bin")
    // libmagic, where it is installed, names the kind of page.
    let skips = Message.about("spool/page.bin", .skipped(.verbatim(""))).text
    let usual = try replay("--dry-run")
    #expect(usual.code == 0 && usual.messages.contains { $0.hasPrefix(skips) })
    let failed = try replay("--fail-on", "unrecognised", "--quiet").exits(2)
    #expect(failed.messages.first?.hasPrefix(skips) == true)
    #expect(!directory.exists("tokens.sqlite"))
    try replay("--fail-on", "unrecognised", "--skip-unreadable", "--json").exits(2).json(["inserted": 6])
    #expect(try directory.apnsift("inspect", "spool/page.bin").code == 0)
    #expect(try directory.apnsift("inspect", "spool/page.bin", "--fail-on", "unrecognised").code == 2)
  }

  /// What is said to be a failure, and the exit code of a dump with a note, a warning and no error.
  static let severities: [(words: String, code: Int32)] = [
    ("unreadable", 0), ("error", 0), ("warning", 1), ("note", 1), ("error,note", 1),
    ("unrecognised,error", 0),
  ]

  @Test("--fail-on a severity counts findings of it and of worse ones", arguments: severities)
  func severity(_ words: String, _ code: Int32) throws {
    try directory.write(feedback(tuples(2)), to: "copy.bin")
    try directory.apnsift("inspect", "spool/0.bin", "copy.bin", "--fail-on", words).exits(code)
  }

  @Test("--skip-unreadable replays the other files, of the failed one nothing, and names it")
  func skipUnreadable() throws {
    try directory.writeCut(to: "spool/cut.bin.gz")
    try replay().exits(2, saying: .storeUnchanged("sqlite:tokens.sqlite", unreadable: 1))
    let trial = try replay("--dry-run", "--json").exits(
      2, saying: .storeWouldBeUnchanged("sqlite:tokens.sqlite", unreadable: 1))
    #expect(try (trial.json()["tokens"] as? Int ?? 0) >= 6)
    #expect(!directory.exists("tokens.sqlite"))
    let outcome = try replay("--skip-unreadable", "--json").exits(2)
    #expect(outcome.messages.count { $0.hasPrefix("spool/cut.bin.gz: ") } == 1)
    try outcome.json(["inputs": 3, "tokens": 6])
    #expect(try directory.storedTokens().count == 6)
    let quiet = try replay("--skip-unreadable", "--skip-replayed", "--quiet")
    #expect(quiet.code == 2 && quiet.messages.count == 2, "the failure, and the last line")
  }

  @Test("--skip-unreadable leaves out files, and nothing that can be read only once")
  func skipUnreadableUsage() throws {
    for more in [["--partial"], ["--join"]] {
      #expect(try directory.apnsift(["replay", "spool", "--skip-unreadable"] + more).code == 64)
    }
    try directory.writeCut(to: "spool/cut.bin.gz")
    try directory.apnsift(
      ["replay", "spool", "-", "--skip-unreadable", "--create"], input: .bytes(feedback(tuples(1)))
    ).exits(
      2,
      saying:
        "- can be read only once, but has to be read again because another input failed: save it to a file"
    )
    #expect(!directory.exists("tokens.sqlite"))
  }

  // MARK: - A file that says all

  @Test("a mapping file names store, journal, app and environment; options may not contradict it")
  func file() throws {
    try directory.sqlite(
      "own.sqlite",
      "CREATE TABLE devices (id INTEGER PRIMARY KEY, token TEXT, gone INTEGER); "
        + "INSERT INTO devices (token) VALUES ('\(hex(token(0)))')")
    try directory.writeMapping(
      to: "devices.yml", gone: "seconds",
      """
      store: sqlite:own.sqlite
      journal: sqlite:journal.sqlite
      app: {value: com.example.mail}
      environment: {value: sandbox}
      """)
    func mapped(_ arguments: String...) throws -> Outcome {
      try directory.apnsift(arguments + ["--mapping", "devices.yml"])
    }
    let replay = ["replay", "spool", "--json", "--max-invalidate", "100%", "--mapping", "devices.yml"]
    let counts = try directory.apnsift(replay).exits(0).json(["invalidated": 1])
    let texts = [
      "store": "sqlite:own.sqlite", "app": "com.example.mail", "environment": "sandbox",
    ]
    for (name, text) in texts { #expect(counts[name] as? String == text) }
    #expect(try directory.names.contains("journal.sqlite"))
    let history = try directory.history(["--mapping", "devices.yml"])
    #expect(history.map { $0["app"] as? String } == ["com.example.mail"])
    #expect(try mapped("store", "undo", "1").code == 0)
    try mapped("store", "list", "--store", "sqlite:none.sqlite").exits(2, saying: "none.sqlite")
    try mapped("replay", "spool", "--app", "other").exits(64, saying: "of devices are of com.example.mail")
    try mapped("store", "list", "--environment", "production").exits(64, saying: "are of sandbox")
  }

  @Test("the unit of samples/systemd replays into PostgreSQL by its mapping")
  func systemd() throws {
    let unit = try String(
      contentsOfFile: Repository.path(of: "samples/systemd/apnsift-replay.service"), encoding: .utf8)
    let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    let server = try PrivatePostgreSQL.shared.get()
    let database = try server.makeDatabase()
    let session = try PostgreSQLSession(server, database: database)
    try session.run(
      "CREATE TABLE devices (id serial PRIMARY KEY, device_token text, updated_at timestamptz, unregistered_at timestamptz)"
    )
    try session.run("INSERT INTO devices (device_token) VALUES ('\(hex(token(0)))'), ('\(hex(token(99)))')")
    // Replaces the settings of the unit's machine.
    let mapping = try String(
      contentsOfFile: Repository.path(of: "samples/systemd/devices.yml"), encoding: .utf8
    )
    .replacing("postgresql:///app", with: server.uri(database))
    .replacing("/var/lib/apnsift/", with: "")
    try directory.write(mapping, to: "devices.yml")
    let arguments = line.split(separator: " ").dropFirst().map {
      String($0).replacing("/var/spool/apnsift", with: "spool").replacing("/etc/apnsift/", with: "")
        .replacing("%%", with: "%")
    }
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.isSilent, "\(outcome.errors)")
    #expect(
      try session.run("SELECT device_token FROM devices WHERE unregistered_at IS NOT NULL") == [
        [hex(token(0))]
      ])
    #expect(try directory.apnsift(arguments).isSilent)
  }
}
