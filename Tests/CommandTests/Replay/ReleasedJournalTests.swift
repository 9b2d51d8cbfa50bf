import CommandTestSupport
import Testing

/// A store that version 1.0.0 wrote: a replay of six tuples, one of six later tuples, three of them with the same tokens, and its
/// undo. The expected rows are those that 1.0.0 lists.
@Suite("The journal of version 1.0.0")
struct ReleasedJournalTests {
  private let directory = TestDirectory()

  init() throws {
    let dump = Repository.path(of: "Tests/Fixtures/journal-1.0.sql")
    #expect(try directory.shell("sqlite3 store < '\(dump)'").code == 0)
  }

  private func store(_ arguments: String...) throws -> Outcome {
    try directory.apnsift(["store"] + arguments + ["--store", "sqlite:store"])
  }

  @Test("is listed, with its changes")
  func listed() throws {
    let text = try store("history").text
    for line in [
      "6 tuples, 6 tokens: 6 inserted", "6 tuples, 6 tokens: 3 updated, 3 inserted; undone by 3",
      "undid 2: 6 rows restored",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let changes = try store("history", "2", "--changes")
    let outcomes = changes.text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[2] }
    #expect(outcomes.count == 6 && outcomes.count { $0 == "updated" } == 3, "\(changes.text)")
  }

  @Test("takes replays and undos")
  func continued() throws {
    #expect(try store("undo", "1").code == 0)
    #expect(try store("list").lines.count == 1)
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let arguments = ["replay", "dump.bin", "--store", "sqlite:store", "--app", "com.example.app"]
    #expect(try directory.apnsift(arguments).errors.contains("3 rows of sqlite:store changed"))
    #expect(try store("undo", "5").errors.contains("3 rows restored"))
    let changes = try store("history", "2", "--changes")
    #expect(changes.lines.count == 7, "\(changes.text)")
  }
}
