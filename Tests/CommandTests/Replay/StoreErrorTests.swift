import Basics
import CommandTestSupport
import Testing
import Wording

/// Stores that cannot serve: exit code 2, a message with the store's name and the remedy, nothing changed. What can be
/// wrong with a store is SQLiteErrorTests' business.
@Suite("Stores that cannot serve")
struct StoreErrorTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])

  @Test(
    "every command fails with the same words, and changes nothing",
    arguments: [
      ["replay", "dump.bin"], ["replay", "dump.bin", "--dry-run"], ["store", "list"],
      ["store", "register", "aa"],
    ])
  func unfit(_ command: [String]) throws {
    let text = String(repeating: "no database ", count: 99)
    try directory.write(text, to: "s")
    let outcome = try directory.apnsift(command + ["--store", "sqlite:s"]).exits(
      2, saying: .storeFailed("sqlite:s", .notADatabase))
    #expect(outcome.output.isEmpty)
    #expect(try directory.text(of: "s") == text && directory.names == ["dump.bin", "s"])
  }

  @Test("a replay that fails leaves no store that it began to create")
  func unfinishedStore() throws {
    try directory.write(feedback(tuples(40)), to: "dump.bin")
    // SQLite can write some pages, but not all.
    try directory.shell(
      "trap '' XFSZ; ulimit -f 4; \"$APNSIFT\" replay dump.bin --store sqlite:s --create"
    ).exits(2)
    #expect(!directory.exists("s"))
  }

  @Test("a store that another program has locked stays as it is; a dry run reads it", arguments: [0, 1])
  func locked(_ timeout: Int) throws {
    try directory.makeStore([StoredToken(token: token(0))])
    let holder = try LockHolder(of: "tokens.sqlite", in: directory)
    let arguments = ["replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--lock-timeout", "\(timeout)"]
    try directory.apnsift(arguments).exits(
      2, saying: .storeFailed("sqlite:tokens.sqlite", .locked(waited: .seconds(timeout))))
    #expect(try directory.apnsift(arguments + ["--dry-run"]).code == 0)
    try holder.release()
    #expect(try directory.storedTokens().count == 1)
    #expect(try directory.apnsift(arguments).code == 0)
    #expect(try directory.storedTokens().count == 3)
  }

  @Test("a lock that is released in time is waited for")
  func lockWaitedFor() throws {
    try directory.makeStore()
    try directory.makePipe("input")
    let holder = try LockHolder(of: "tokens.sqlite", in: directory)
    let child = try directory.start(
      ["replay", "input", "--store", "sqlite:tokens.sqlite", "--lock-timeout", "600"])
    let writer = try #require(try openForWriting(fifo: directory.path(of: "input"), readBy: child))
    try writer.write(feedback(tuples(3)))
    writer.close()
    try holder.release()
    #expect(try child.wait() == .exit(0))
    #expect(try directory.storedTokens().count == 3)
  }

  @Test(
    "a store that may not be written, and one whose directory may not", .enabled(if: Unprivileged.isPossible),
    arguments: [(0o444, 0o777), (0o666, 0o555)] as [(mode_t, mode_t)])
  func readOnly(_ file: mode_t, _ parent: mode_t) throws {
    try directory.makeStore()
    let line = Unprivileged.prefix + "\"$APNSIFT\" replay dump.bin --store sqlite:tokens.sqlite"
    chmod(directory.path(of: "tokens.sqlite"), file)
    chmod(directory.path, parent)
    let outcome = try directory.shell(line)
    let trial = try directory.shell(line + " --dry-run")
    chmod(directory.path, 0o777)
    #expect(outcome.code == 2 && trial.code == 0)
    let remedies = [StoreError.readOnly(.verbatim("")), .cannotOpen(.verbatim(""))].map(\.remedy)
    #expect(outcome.errors.contains("sqlite:tokens.sqlite: "), "\(outcome.errors)")
    #expect(remedies.contains(where: outcome.said), "\(outcome.errors)")
    #expect(try directory.storedTokens().isEmpty)
  }
}
