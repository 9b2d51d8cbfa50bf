import CommandTestSupport
import Testing
import Wording

/// A store that version 1.0.0 wrote: a replay of six tuples, one of six later tuples, three of them with the same tokens, and its
/// undo. The expected rows are those that 1.0.0 lists.
@Suite("The journal of version 1.0.0")
struct ReleasedJournalTests {
  private let directory = TestDirectory()

  init() throws {
    let dump = Repository.path(of: "Tests/Fixtures/journal-1.0.sql")
    #expect(try directory.shell("sqlite3 store < '\(dump)'").code == 0)
  }

  @Test("is listed, with its changes")
  func listed() throws {
    let text = try directory.apnsift("store", "history", "--store", "sqlite:store").text
    for line in [
      "6 tuples, 6 tokens: 6 inserted", "6 tuples, 6 tokens: 3 updated, 3 inserted; undone by 3",
      "undid 2: 6 rows restored",
    ] {
      #expect(text.contains(line), "\(text)")
    }
    let changes = try directory.apnsift("store", "history", "2", "--changes", "--store", "sqlite:store")
    let outcomes = changes.text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[2] }
    #expect(outcomes.count == 6 && outcomes.count { $0 == "updated" } == 3, "\(changes.text)")
  }

  @Test("takes replays and undos")
  func continued() throws {
    #expect(try directory.apnsift("store", "undo", "1", "--store", "sqlite:store").code == 0)
    #expect(
      try directory.apnsift("store", "list", "--store", "sqlite:store").text.split(separator: "\n").count == 1
    )
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let arguments = ["replay", "dump.bin", "--store", "sqlite:store", "--app", "com.example.app"]
    #expect(try directory.apnsift(arguments).errors.contains("3 rows of sqlite:store changed"))
    #expect(
      try directory.apnsift("store", "undo", "5", "--store", "sqlite:store").errors.contains(
        "3 rows restored"))
    let changes = try directory.apnsift("store", "history", "2", "--changes", "--store", "sqlite:store")
    #expect(changes.text.split(separator: "\n").count == 7, "\(changes.text)")
  }
}
