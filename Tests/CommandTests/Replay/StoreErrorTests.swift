import Basics
import CommandTestSupport
import Testing
import Wording

/// Stores that cannot serve: exit code 2, a message with the store's name and the remedy, nothing changed. What can be
/// wrong with a store is SQLiteErrorTests' business.
@Suite("Stores that cannot serve")
struct StoreErrorTests {
  private let directory = TestDirectory(["dump.bin": feedback(tuples(3))])

  /// What the file is, and the error.
  private static let cases: [(prepare: @Sendable (TestDirectory) throws -> Void, error: StoreError)] = [
    ({ try $0.write(String(repeating: "no database ", count: 99), to: "s") }, .notADatabase),
    ({ try $0.makePipe("s") }, .cannotOpen("it is not a regular file")),
    (
      {
        try $0.sqlite(
          "s",
          "CREATE TABLE device_tokens (app TEXT, environment TEXT, token BLOB, registered_at TEXT, "
            + "invalidated_at INTEGER, PRIMARY KEY (app, environment, token));")
      },
      .misfit(
        "device_tokens", .column("registered_at"), expected: .columnType("INTEGER"),
        found: .columnType("TEXT"))
    ),
  ]

  @Test("every command fails with the same words, and changes nothing", arguments: cases.indices)
  func unfit(_ index: Int) throws {
    let (prepare, error) = Self.cases[index]
    try prepare(directory)
    let before = try index == 1 ? [] : directory.bytes(of: "s")
    for command in [
      ["replay", "dump.bin"], ["replay", "dump.bin", "--dry-run"], ["store", "list"],
      ["store", "register", "aa"],
    ] {
      let outcome = try directory.apnsift(command + ["--store", "sqlite:s"]).exits(
        2, saying: .storeFailed("sqlite:s", error))
      #expect(outcome.output.isEmpty)
    }
    #expect(try (index == 1 ? [] : directory.bytes(of: "s")) == before)
    #expect(try directory.names == ["dump.bin", "s"])
  }

  @Test("rows that are understood are listed whole before the error", arguments: ["csv", "json"])
  func listAroundARowOfOthers(_ format: String) throws {
    _ = try directory.apnsift("store", "register", "aa", "--at", "0", "--store", "sqlite:s", "--create")
    try directory.sqlite(
      "s", "INSERT INTO device_tokens VALUES (CAST(x'ff' AS TEXT), 'production', x'00', NULL, NULL);")
    let listed = try directory.apnsift("store", "list", "-t", format, "--store", "sqlite:s").exits(2)
    let expected = [
      "csv": "app,environment,token,registered_at,invalidated_at\n,production,aa,1970-01-01T00:00:00Z,\n",
      "json":
        #"[\#n{"app":"","environment":"production","token":"aa","registered_at":"1970-01-01T00:00:00Z","#
        + #""invalidated_at":null}\#n]\#n"#,
    ]
    #expect(listed.text == expected[format])
    let row = Message.inRow(
      .rowKey("token", "x'00'"), of: "device_tokens", "app is CAST(x'ff' AS TEXT), expected text in UTF-8")
    #expect(listed.said(.storeFailed("sqlite:s", .unreadableRows(1, first: row))))
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

  @Test("a full disk leaves the store as it was, and the next replay does it all")
  func fullDisk() throws {
    try directory.makeStore(tuples(500).map { StoredToken(token: $0.token, registeredAt: 7) })
    let stored = try directory.storedTokens()
    try directory.write(feedback(tuples(4000, from: 250)), to: "dump.bin")
    let line = "\"$APNSIFT\" replay dump.bin --store sqlite:tokens.sqlite"
    // Units of 512 bytes: more than the store has now, less than it needs.
    let size = try directory.bytes(of: "tokens.sqlite").count
    let full = try directory.shell("ulimit -f \(size / 512 + 40); \(line)").exits(2)
    // Which of them depends on the statement that meets the limit.
    let remedies = [StoreError.full(.verbatim("")), .failed(.verbatim(""))].map(\.remedy)
    #expect(full.errors.contains("sqlite:tokens.sqlite: ") && remedies.contains(where: full.said))
    #expect(try directory.sqlite("tokens.sqlite", "PRAGMA integrity_check;") == "ok")
    #expect(try directory.storedTokens() == stored)
    #expect(try directory.shell(line).code == 0)
    #expect(try directory.storedTokens().count == 4250)
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
