import CommandTestSupport
import Testing

/// Replays that are reviewed first: as a list of rows, or as a script (docs/stores.md, "A reviewed list" and "A replay
/// as a script").
@Suite("Reviewed replays")
struct ReviewedReplayTests {
  private let directory = TestDirectory()

  /// A table with two rows of token 0, and one row each of tokens 1 to 4. Its key has texts that CSV quotes.
  init() throws {
    try directory.write(feedback(tuples(6)), to: "dump.bin")
    try map()
    let rows = [("a,1", 0), ("a \"2\"", 0), ("b", 1), ("c", 2), ("d", 3), ("e", 4)]
      .map { "INSERT INTO devices VALUES ('\($0)', '\(hex(token($1)))', 1300000000, NULL);" }
    try directory.sqlite(
      "own.sqlite",
      "CREATE TABLE devices (id TEXT PRIMARY KEY, token TEXT, seen INTEGER, gone INTEGER);"
        + rows.joined(separator: "\n"))
  }

  /// Writes the mapping, with these forms of times.
  private func map(seen: String = "seconds", gone: String = "seconds") throws {
    try directory.writeMapping(to: "devices.yml", seen: seen, gone: gone, "store: sqlite:own.sqlite")
  }

  private func replay(_ arguments: String...) throws -> Outcome { try replay(arguments) }

  private func replay(_ arguments: [String], limit: Int = 100) throws -> Outcome {
    try directory.apnsift(
      ["replay"] + arguments + ["--mapping", "devices.yml", "--max-invalidate", "\(limit)"])
  }

  /// The keys of dead rows.
  private func dead() throws -> [String] {
    try directory.sqlite("own.sqlite", "SELECT id FROM devices WHERE gone IS NOT NULL ORDER BY id")
      .split(separator: "\n").map(String.init)
  }

  /// The lines of the list of a dry run.
  private func list() throws -> [String] {
    try replay("dump.bin", "--dry-run", "-o", "all.csv").exits(0)
    return try directory.text(of: "all.csv").split(separator: "\n").map(String.init)
  }

  private func write(_ lines: [String], to name: String = "rows.csv") throws {
    try directory.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  // MARK: - Lists

  @Test("a list changes its rows alone, and says what it does not change")
  func rowsAlone() throws {
    let lines = try list()
    #expect(lines.count == 7)
    try write(lines.filter { !$0.contains("a,1") && !$0.hasPrefix("'c'") })
    try directory.sqlite(
      "own.sqlite",
      "UPDATE devices SET seen = 4000000000 WHERE id = 'b'; DELETE FROM devices WHERE id = 'd';")
    for (arguments, dead) in [(["--dry-run"], []), ([], ["a \"2\"", "e"])] {
      let messages = try replay(["rows.csv"] + arguments).exits(0).messages
      #expect(
        messages.contains {
          $0.hasPrefix("2 rows of the list are not changed, ") && $0.contains("row 'b' (kept)")
            && $0.contains("row 'd' (gone)")
        }, "\(messages)")
      #expect(
        messages.contains { $0.hasPrefix("1 row of the same tokens is not in the list") }, "\(messages)")
      #expect(try self.dead() == dead)
    }
  }

  @Test("a list may come back from a spreadsheet", arguments: [";", "\t"])
  func spreadsheet(_ separator: String) throws {
    let columns = try list().map { line -> [String] in
      // Of all keys only two are quoted, and none of these has a line end.
      guard line.hasPrefix("\""), let end = line.dropFirst().range(of: "\",")?.lowerBound else {
        return line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let key = String(line[...end])
      let rest = line[line.index(end, offsetBy: 2)...].split(
        separator: ",", omittingEmptySubsequences: false)
      return [key] + rest.map(String.init)
    }
    try write(columns.filter { $0[0] != "'c'" }.map { $0.reversed().joined(separator: separator) })
    try replay("rows.csv").exits(0)
    #expect(try dead() == ["a \"2\"", "a,1", "b", "d", "e"])
  }

  @Test("a list keeps the milliseconds of a 410")
  func milliseconds() throws {
    let answer = #"{"device": "\#(hex(token(1)))", "status": 410, "timestamp": 1500000000123}"#
    try directory.write(answer + "\n", to: "sent.log")
    try map(gone: "milliseconds")
    try replay("sent.log", "--dry-run", "-o", "rows.csv").exits(0)
    #expect(try directory.text(of: "rows.csv").contains(",2017-07-14T02:40:00.123Z,"))
    try replay("rows.csv").exits(0)
    #expect(try directory.sqlite("own.sqlite", "SELECT gone FROM devices WHERE id = 'b'") == "1500000000123")
  }

  /// The number of lines of a list, what follows them, a further input, and the first message or a part of it.
  static let refusals: [(lines: Int, more: [String], inputs: [String], part: String)] = [
    (7, [], ["dump.bin"], "replay the list alone"),
    (1, [], [], "rows.csv: the list has no rows; nothing was replayed"), (7, ["x,y"], [], "line 8, column 1"),
  ]

  @Test(
    "a list with another input, without rows, or with a line that is no row, ends the replay",
    arguments: refusals)
  func refused(_ lines: Int, _ more: [String], _ inputs: [String], _ part: String) throws {
    try write(try list().prefix(lines) + more)
    let outcome = try replay(["rows.csv"] + inputs).exits(2)
    #expect(outcome.messages[0].contains(part), "\(outcome.errors)")
    if lines == 1 { #expect(outcome.messages == [part], "it is not read as something else") }
    #expect(try dead().isEmpty)
  }

  // MARK: - Scripts

  @Test("a script does what the replay does, and its undo takes it back")
  func script() throws {
    let outcome = try replay("dump.bin", "--to-sql", "replay.sql", "--batch", "2")
    #expect(outcome.code == 0 && outcome.messages.last?.hasPrefix("dry run of ") == true, "\(outcome.errors)")
    #expect(try dead().isEmpty && !directory.exists("tokens.sqlite"))
    let script = try directory.text(of: "replay.sql")
    #expect(script.split(separator: "\n").filter { $0 == "COMMIT;" }.count == 3)
    #expect(script.contains("-- Input dump.bin, "))
    try directory.sqlite("own.sqlite", script)
    #expect(try dead() == ["a \"2\"", "a,1", "b", "c", "d", "e"])
    try directory.sqlite("own.sqlite", directory.text(of: "replay.undo.sql"))
    #expect(try dead().isEmpty)
  }

  @Test("a reviewed list becomes a script, too")
  func scriptOfList() throws {
    try write(try list().filter { !$0.hasPrefix("'b'") })
    #expect(try replay("rows.csv", "--to-sql", "replay.sql").code == 0)
    try directory.sqlite("own.sqlite", directory.text(of: "replay.sql"))
    #expect(try dead() == ["a \"2\"", "a,1", "c", "d", "e"])
  }

  @Test("no script is written if the limit is exceeded, a file exists, or an input is cut")
  func noScript() throws {
    try replay(["dump.bin", "--to-sql", "replay.sql"], limit: 4).exits(3)
    try directory.writeCut(to: "cut.bin.gz")
    #expect(try replay("cut.bin.gz", "--to-sql", "replay.sql").code == 2)
    #expect(try !directory.names.contains { $0.hasPrefix("replay") })
    try directory.write("mine", to: "replay.undo.sql")
    let refused = try replay("dump.bin", "--to-sql", "replay.sql")
    #expect(refused.code == 2 && refused.messages[0].contains("replay.undo.sql"), "\(refused.errors)")
    #expect(try directory.text(of: "replay.undo.sql") == "mine" && !directory.exists("replay.sql"))
    #expect(try replay("dump.bin", "--to-sql", "replay.sql", "--force").code == 0)
  }

  // MARK: - Times

  @Test("registrations in the future, or before the service began, are warned of; 0 is none")
  func implausible() throws {
    for (id, seen) in [("b", 4_000_000_000), ("c", 511_111_111), ("d", 0)] {
      try directory.sqlite("own.sqlite", "UPDATE devices SET seen = \(seen) WHERE id = '\(id)'")
    }
    let outcome = try replay("dump.bin", "--dry-run")
    #expect(
      outcome.messages.contains { $0.hasPrefix("warning: 2 tokens of 5 with a registration ") },
      "\(outcome.errors)")
  }

  @Test("an earlier invalidation that stays is not called a later one")
  func earlierInvalidation() throws {
    try directory.sqlite("own.sqlite", "UPDATE devices SET gone = 1310000000 WHERE id = 'b'")
    let outcome = try replay("dump.bin").exits(0)
    #expect(outcome.text.contains("unchanged   1  already invalidated\n"), "\(outcome.text)")
  }

  @Test(
    "a list's time in the future, or before the service began, is doubtful",
    arguments: ["2099-12-31T00:00:00Z", "20140506"])
  func implausibleInvalidation(_ time: String) throws {
    let rows = "\(hex(token(1))),\(time)\n\(hex(token(2))),2015-01-01T00:00:00Z\n"
    try directory.write("token,invalidated_at\n\(rows)", to: "gone.csv")
    let outcome = try replay("gone.csv").exits(0)
    #expect(outcome.errors.contains("implausible-timestamp"), "\(outcome.errors)")
    #expect(try dead() == ["c"])
  }

  @Test("a registration on the day of an invalidation makes a token live again")
  func sameDay() throws {
    for form in ["date", "iso"] {
      try map(gone: form)
      try replay("dump.bin").exits(0)
      // Another program may have written a date without a time.
      try directory.sqlite("own.sqlite", "UPDATE devices SET gone = '2014-05-13' WHERE id = 'b'")
      try directory.apnsift(
        "store", "register", hex(token(1)), "--at", "2014-05-13T20:00:00Z", "--mapping", "devices.yml"
      ).exits(0)
      #expect(try !dead().contains("b") && dead().contains("c"), "\(form)")
    }
  }

  @Test(
    "a zone on which many outcomes depend is warned of", arguments: [("timestamp", true), ("iso", false)])
  func zone(_ form: String, _ isWarned: Bool) throws {
    try map(seen: form)
    let rows = tuples(20).map { "('\(hex($0.token))', datetime(\($0.time) - 3600, 'unixepoch'))" }
    try directory.sqlite(
      "own.sqlite",
      """
      DROP TABLE devices; CREATE TABLE devices (id INTEGER PRIMARY KEY, token TEXT, seen TEXT, gone INTEGER);
      INSERT INTO devices (token, seen) VALUES \(rows.joined(separator: ", "))
      """)
    try directory.write(feedback(tuples(20)), to: "dump.bin")
    let outcome = try replay("dump.bin", "--dry-run")
    let warning = outcome.messages.first { $0.contains("were registered within 14 hours") }
    #expect((warning != nil) == isWarned, "\(outcome.errors)")
  }
}
