import Basics
import CommandTestSupport
import Testing
import Wording

@Suite("store history and undo")
struct StoreHistoryTests {
  private let directory = TestDirectory()

  /// Four tokens of a dump: one not in the store, one alive, one dead before, one registered later.
  init() throws {
    try directory.makeStore(Self.before)
    try directory.write(feedback(Self.deaths), to: "dump.bin")
  }

  private static let store = "sqlite:tokens.sqlite"
  static let time: UInt32 = 1_450_000_000
  static let times = "2015-12-13T09:46:40Z"
  static let deaths = (1...4).map { Tuple(time, token($0)) }
  static let before = sorted([
    StoredToken(token: token(2), registeredAt: 1_400_000_000),
    StoredToken(token: token(3), invalidatedAt: 1_300_000_000),
    StoredToken(token: token(4), registeredAt: Int64(time) + 1),
  ])
  static let after = sorted([
    StoredToken(token: token(1), invalidatedAt: Int64(time)),
    StoredToken(token: token(2), registeredAt: 1_400_000_000, invalidatedAt: Int64(time)),
    StoredToken(token: token(3), invalidatedAt: Int64(time)),
    StoredToken(token: token(4), registeredAt: Int64(time) + 1),
  ])

  private static func sorted(_ rows: [StoredToken]) -> [StoredToken] {
    rows.sorted { $0.token.lexicographicallyPrecedes($1.token) }
  }

  private func replay(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["replay"] + arguments)
  }

  private func history(_ options: String...) throws -> [Evidence.Object] { try directory.history(options) }

  private func undo(_ id: Int) throws -> Outcome { try directory.apnsift("store", "undo", String(id)) }

  /// The message of an undo that restores all its rows.
  private func undid(_ id: Int, as undo: Int, restored rows: Int) -> Message {
    .undid(id, of: Self.store, as: undo, restored: rows, skipped: 0, reasons: [])
  }

  /// A second dump, with token 3 at a later time.
  private func writeLater() throws {
    try directory.write(feedback([Tuple(Self.time + 5, token(3))]), to: "later.bin")
  }

  // MARK: - Replayed before

  @Test("a second replay says that it is one, with a note, and changes nothing")
  func again() throws {
    #expect(try replay("dump.bin").said(.noProblems))
    #expect(try directory.storedTokens() == Self.after)
    for number in 1...2 {
      let outcome = try replay("dump.bin", "--strict")
      #expect(outcome.code == 0, "a note is no error")
      #expect(outcome.messages.first == Message.about("dump.bin", .alreadyReplayed(by: number)).text)
      #expect(outcome.errors.contains("1 note (already-replayed 1)"))
      #expect(try directory.storedTokens() == Self.after)
    }
    #expect(try history().map { $0["unchanged"] as? Int } == [0, 3, 3])
  }

  @Test("one journal file knows two databases of one relative name")
  func journalOfTwo() throws {
    let other = TestDirectory(["dump.bin": feedback(Self.deaths)])
    try other.makeStore(Self.before)
    let options = ["--journal", "sqlite:\(directory.path(of: "journal.sqlite"))"]
    for directory in [directory, other] {
      try directory.apnsift(["replay", "dump.bin", "--skip-replayed"] + options).exits(0)
      #expect(try directory.storedTokens() == Self.after)
    }
    // A path from the root names the same database.
    let store = ["--store", "sqlite:\(other.path(of: "tokens.sqlite"))"]
    try directory.apnsift(["store", "undo", "last"] + store + options).exits(0)
    #expect(try other.storedTokens() == Self.before && directory.storedTokens() == Self.after)
  }

  /// What leaves nothing in the journal.
  @Test("neither a dry run nor --no-journal leaves an entry", arguments: [["--dry-run"], ["--no-journal"]])
  func unrecorded(_ options: [String]) throws {
    let counts = try directory.apnsift(["replay", "dump.bin", "--json"] + options).json()
    #expect(try counts["replay"] is Null && history().isEmpty)
    #expect(try !replay("dump.bin").errors.contains("already-replayed"))
  }

  @Test(
    "--skip-replayed reads what is new in a directory alone; nothing new is no failure and leaves no entry")
  func skip() throws {
    try directory.write(feedback(Self.deaths), to: "spool/a.bin")
    #expect(try replay("spool", "--skip-replayed").code == 0)
    try directory.write(feedback(tuples(2, from: 10)), to: "spool/b.bin")
    let outcome = try replay("spool", "--skip-replayed", "--json")
    #expect(outcome.messages.first == Message.inputSkipped("spool/a.bin", replayedBy: 1).text)
    try outcome.json(["inputs": 1, "inserted": 2, "replay": 2])
    let again = try replay("spool", "--skip-replayed", "--json").exits(0)
    #expect(again.messages.first == "2 inputs skipped: already replayed by replays 1, 2")
    try again.json(["inputs": 0])
    let inputs = try history().map { ($0["inputs"] as? [Evidence.Object])?.map { $0["source"] as? String } }
    #expect(inputs == [["spool/a.bin"], ["spool/b.bin"]])
    // Other options may take other records of them.
    try replay("spool", "--skip-replayed", "--include-flagged", "--json").json(["inputs": 2])
    try directory.makeDirectory("empty")
    try replay("empty", "--skip-replayed").exits(2, saying: .about("empty", .noInputInDirectory))
  }

  // MARK: - The journal

  @Test("the list has inputs and outcomes of replays and undos")
  func list() throws {
    _ = try replay("dump.bin", "--app", "mail", "--environment", "sandbox", "--known-only")
    _ = try replay("dump.bin")
    _ = try undo(2)
    let digest = try directory.digest(directory.path(of: "dump.bin"))
    let input = "   dump.bin  152 bytes  SHA-256 \(digest)"
    let outcome = try directory.apnsift("store", "history")
    #expect(outcome.messages == ["listed 3 entries of the journal of sqlite:tokens.sqlite"])
    // The second field is when it was done.
    let lines = outcome.lines.map { line in
      line.hasPrefix(" ") ? line : line.replacing(#/  \S+Z  /#, with: "  ")
    }
    #expect(
      lines == [
        "1  mail, sandbox  4 tuples, 4 tokens: 4 unknown", input,
        "2  production  4 tuples, 4 tokens: 1 invalidated, 1 updated, 1 inserted, 1 kept; undone by 3", input,
        "3  production  undid 2: 3 rows restored",
      ])
    let objects = try history()
    #expect(objects.map { $0["id"] as? Int } == [1, 2, 3])
    #expect(objects.map { $0["undone_by"] as? Int } == [nil, 3, nil])
    #expect(objects.map { $0["undoes"] as? Int } == [nil, nil, 2])
    #expect(objects.map { $0["environment"] as? String } == ["sandbox", "production", "production"])
    let options = try #require(objects[0]["options"] as? Evidence.Object)
    #expect(options["known_only"] as? Bool == true)
    #expect(options["max_invalidate"] as? String == "25% of more than 1000")
    let inputs = try #require(objects[1]["inputs"] as? [Evidence.Object])
    #expect(inputs.map { $0["sha256"] as? String } == [digest] && inputs[0]["bytes"] as? Int == 152)
    #expect(Set(objects.map { $0.keys.sorted() }).count == 1 && objects[0].keys.count == 22)
  }

  @Test("the rows of a replay, as CSV and as JSON")
  func rows() throws {
    _ = try replay("dump.bin")
    let header = ["token", "outcome", "registered_at", "invalidated_before", "invalidated_at"]
    let expected = [
      [hex(token(1)), "inserted", "", "", Self.times],
      [hex(token(2)), "invalidated", "2014-05-13T16:53:20Z", "", Self.times],
      [hex(token(3)), "updated", "", "2011-03-13T07:06:40Z", Self.times],
    ].sorted { $0[0] < $1[0] }
    let csv = try directory.apnsift("store", "history", "1")
    #expect(parseCSV(csv.text) == [header] + expected)
    #expect(csv.messages == ["listed 3 rows that replay 1 changed in sqlite:tokens.sqlite"])
    let objects = try history("1")
    #expect(objects.map { object in header.map { object[$0] as? String ?? "" } } == expected)
    #expect(objects.allSatisfy { $0.keys.count == header.count })
  }

  @Test(
    "a missing number is an error, and a store without a journal has an empty one",
    arguments: [0, 2])
  func missing(_ id: Int) throws {
    #expect(try history().isEmpty)
    _ = try replay("dump.bin")
    for command in ["history", "undo"] {
      try directory.apnsift("store", command, String(id)).exits(
        2, saying: .storeFailed(Self.store, .noReplay(id)))
    }
  }

  @Test("--last lists the last entries, and --trim-journal removes the rows of old replays")
  func trim() throws {
    _ = try replay("dump.bin")
    try writeLater()
    _ = try replay("later.bin")
    #expect(try history("--last", "1").map { $0["id"] as? Int } == [2])
    try directory.sqlite("tokens.sqlite", "UPDATE apnsift_replays SET at = at - 864000 WHERE id = 1")
    for (age, rows) in [("11d", "0 changed rows of 0 replays"), ("9d", "3 changed rows of 1 replay")] {
      let removed = Message("removed \(rows) before ")
      try directory.apnsift("store", "history", "--trim-journal", age).exits(0, saying: removed)
    }
    #expect(try history().count == 2 && replay("dump.bin", "--skip-replayed").code == 0)
    #expect(parseCSV(try directory.apnsift("store", "history", "--changes").text).count == 2)
    let reason: Message = "the journal does not have its changed rows (--trim-journal removes old ones)"
    for command in [["undo", "1"], ["undo", "1", "--dry-run"], ["history", "1"]] {
      try directory.apnsift(["store"] + command).exits(
        2, saying: .storeFailed(Self.store, .notUndoable(1, reason)))
    }
    #expect(try undo(2).code == 0)
    #expect(try directory.storedTokens() == Self.after)
  }

  // MARK: - Undo

  @Test("an undo restores every row, first on trial, and the input counts as new again")
  func undone() throws {
    _ = try replay("dump.bin")
    try directory.apnsift("store", "undo", "last", "--dry-run").exits(
      0, saying: "dry run of an undo of replay 1 of \(Self.store): 3 rows would be restored")
    #expect(try directory.storedTokens() == Self.after)
    let outcome = try undo(1).exits(0)
    #expect(outcome.output.isEmpty && outcome.messages == [undid(1, as: 2, restored: 3).text])
    #expect(try directory.storedTokens() == Self.before)
    for (id, reason) in [(1, Message("it was undone already, by 2")), (2, "it is an undo itself")] {
      try undo(id).exits(2, saying: .storeFailed(Self.store, .notUndoable(id, reason)))
    }
    #expect(try history().count == 2)
    #expect(try replay("dump.bin", "--skip-replayed").said(.noProblems))
    #expect(try directory.storedTokens() == Self.after)
  }

  @Test("rows that changed since are left, with the reason")
  func left() throws {
    _ = try replay("dump.bin")
    _ = try directory.apnsift("store", "register", hex(token(2)), "--at", "1500000000")
    try directory.sqlite(
      "tokens.sqlite",
      "DELETE FROM device_tokens WHERE token = x'\(hex(token(1)))'; "
        + "UPDATE device_tokens SET invalidated_at = 7 WHERE token = x'\(hex(token(3)))'")
    let rows = try directory.storedTokens()
    let outcome = try undo(1).exits(2)
    for (number, reason) in [(1, "gone"), (2, "alive again"), (3, "dead since another time")] {
      #expect(outcome.said("\(hex(token(number))): skipped: \(reason)"))
    }
    #expect(
      outcome.messages.last
        == "replay 1 of sqlite:tokens.sqlite is not undone: no row can be restored; 3 rows "
        + "skipped (gone 1, dead since another time 1, alive again 1)")
    #expect(try directory.storedTokens() == rows && history().count == 1)
    #expect(try directory.apnsift("store", "undo", "1", "--dry-run").messages == outcome.messages)
  }

  @Test("the last replay is the newest that changed rows, and a later one of the same tokens goes first")
  func last() throws {
    _ = try replay("dump.bin")
    try writeLater()
    for _ in 0..<2 { _ = try replay("later.bin") }
    let reason: Message =
      "replay 2 changed rows of the same tokens later; undo replay 2 first; nothing was changed"
    try undo(1).exits(2, saying: .storeFailed(Self.store, .notUndoable(1, reason)))
    for (number, id, rows) in [(2, 4, 1), (1, 5, 3)] {
      #expect(try directory.apnsift("store", "undo", "last").said(undid(number, as: id, restored: rows)))
    }
    #expect(try directory.storedTokens() == Self.before)
    try directory.apnsift("store", "undo", "last").exits(2, saying: "\(Self.store) has no replay to undo")
  }

  @Test("columns that were dropped since are named")
  func dropped() throws {
    try directory.writeMapping(to: "m.yml")
    try directory.sqlite(
      "devices.sqlite",
      "CREATE TABLE devices (id INTEGER PRIMARY KEY, token TEXT, note TEXT); "
        + "INSERT INTO devices VALUES (1, '\(hex(token(1)))', 'why')")
    let mapped = ["--store", "sqlite:devices.sqlite", "--mapping", "m.yml"]
    #expect(try directory.apnsift(["replay", "dump.bin"] + mapped).code == 0)
    try directory.sqlite("devices.sqlite", "ALTER TABLE devices DROP COLUMN note")
    try directory.apnsift(["store", "undo", "last"] + mapped).exits(
      0, saying: "column note was dropped since the replay: restored rows are without it")
    #expect(try directory.sqlite("devices.sqlite", "SELECT * FROM devices") == "1|\(hex(token(1)))")
  }

  // MARK: - A store of version 1.0.0

  /// A replay of six tuples, one of six later tuples, three of them with the same tokens, and its undo. The expected rows are
  /// those that 1.0.0 lists.
  private func makeReleased() throws {
    let dump = Repository.path(of: "Tests/Fixtures/journal-1.0.sql")
    try directory.shell("sqlite3 store < '\(dump)'").exits(0)
  }

  private func released(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["store"] + arguments + ["--store", "sqlite:store"])
  }

  @Test("a journal of version 1.0.0 is listed, with its changes")
  func releasedList() throws {
    try makeReleased()
    let text = try released("history").text
    for line in [
      "6 tuples, 6 tokens: 6 inserted", "6 tuples, 6 tokens: 3 updated, 3 inserted; undone by 3",
      "undid 2: 6 rows restored",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let changes = try released("history", "2", "--changes")
    let outcomes = changes.text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[2] }
    #expect(outcomes.count == 6 && outcomes.count { $0 == "updated" } == 3, "\(changes.text)")
  }

  @Test("a journal of version 1.0.0 takes replays and undos")
  func releasedContinues() throws {
    try makeReleased()
    #expect(try released("undo", "1").code == 0)
    #expect(try released("list").lines.count == 1)
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let arguments = ["replay", "dump.bin", "--store", "sqlite:store", "--app", "com.example.app"]
    #expect(try directory.apnsift(arguments).errors.contains("3 rows of sqlite:store changed"))
    #expect(try released("undo", "5").errors.contains("3 rows restored"))
    let changes = try released("history", "2", "--changes")
    #expect(changes.lines.count == 7, "\(changes.text)")
  }
}
