import Basics
import CommandTestSupport
import Testing
import Wording

/// Stores that cannot serve: exit code 2, a message with the store's name and the remedy, nothing changed.
@Suite("Stores that fail")
struct StoreFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var message: StoreError
    var prepare: @Sendable (TestDirectory) throws -> Void

    init(
      _ description: String, _ message: StoreError,
      prepare: @escaping @Sendable (TestDirectory) throws -> Void
    ) {
      testDescription = description
      self.message = message
      self.prepare = prepare
    }
  }

  private static func table(_ columns: String) -> @Sendable (TestDirectory) throws -> Void {
    { try $0.sqlite("s", "CREATE TABLE device_tokens (\(columns));") }
  }

  /// As SQLite words it.
  private static let malformed = StoreError.damaged(.verbatim("database disk image is malformed"))

  static let cases: [Case] = [
    Case("no database", .notADatabase) {
      try $0.write(
        "SQLite this is not, but it is long enough for a header of one hundred bytes ........................\n",
        to: "s")
    },
    Case("a directory", .cannotOpen("it is a directory, not a database file")) { try $0.makeDirectory("s") },
    Case("a pipe", .cannotOpen("it is not a regular file")) { try $0.makePipe("s") },
    Case("an empty file", .noTable) { try $0.write("", to: "s") },
    Case("a newer version", .newerVersion(2, supported: 1)) {
      _ = try $0.apnsift("store", "register", "aa", "--store", "sqlite:s", "--create")
      try $0.sqlite("s", "PRAGMA user_version = 2;")
    },
    Case("a truncated database", malformed) {
      _ = try $0.apnsift("store", "register", "aa", "--store", "sqlite:s", "--create")
      try $0.write(try $0.bytes(of: "s").prefix(4096), to: "s")
    },
    Case("an overwritten database", malformed) {
      _ = try $0.apnsift("store", "register", "aa", "--store", "sqlite:s", "--create")
      try $0.write(try $0.bytes(of: "s").prefix(4096) + [UInt8](repeating: 0xa5, count: 4096), to: "s")
    },
    Case(
      "a table without the columns",
      misfit(.column("app"), "a column of that name", .onlyColumns(["token"])),
      prepare: table("token BLOB PRIMARY KEY")),
    Case(
      "a table with another key",
      misfit(.primaryKey, .columnNames(["app", "environment", "token"]), .columnNames(["token"])),
      prepare: table(
        "app TEXT, environment TEXT, token BLOB PRIMARY KEY, registered_at INTEGER, invalidated_at INTEGER")),
    Case(
      "a table with dates as text",
      misfit(.column("registered_at"), .columnType("INTEGER"), .columnType("TEXT")),
      prepare: table(
        "app TEXT, environment TEXT, token BLOB, registered_at TEXT, invalidated_at INTEGER, PRIMARY KEY (app, environment, token)"
      )),
    Case("a view", misfit(.tableName, .aTable, .relation("view"))) {
      try $0.sqlite("s", "CREATE VIEW device_tokens AS SELECT 1;")
    },
    Case(
      "an unreadable row",
      .unreadableRows(
        1,
        first: .inRow(
          .rowKey("token", "x'\(hex(token(1)))'"), of: "device_tokens",
          .timeNotInForm(.unixSeconds, "registered_at", "'x1450000000'")))
    ) {
      try $0.makeStore(in: "s")
      try $0.sqlite(
        "s",
        "INSERT INTO device_tokens (app, environment, token, registered_at) VALUES ('', 'production', x'\(hex(token(1)))', 'x' || '1450000000');"
      )
    },
  ]

  private static func misfit(_ subject: Message, _ expected: Message, _ found: Message) -> StoreError {
    .misfit("device_tokens", subject, expected: expected, found: found)
  }

  /// The bytes of a file; nil for anything else.
  private func content(_ directory: TestDirectory) throws -> [UInt8]? {
    var status = stat()
    guard stat(directory.path(of: "s"), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try directory.bytes(of: "s")
  }

  @Test("replay", arguments: cases, [false, true])
  func replay(_ test: Case, _ isDryRun: Bool) throws {
    let directory = try TestDirectory()
    try test.prepare(directory)
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let before = try content(directory)
    let outcome = try directory.apnsift(
      ["replay", "dump.bin", "--store", "sqlite:s"] + (isDryRun ? ["--dry-run"] : []))
    #expect(outcome.code == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.said(.storeFailed("sqlite:s", test.message)), "\(outcome.errors)")
    #expect(try content(directory) == before)
    #expect(try directory.names == ["dump.bin", "s"])
  }

  @Test("list and register fail with the same words", arguments: cases)
  func otherCommands(_ test: Case) throws {
    let directory = try TestDirectory()
    try test.prepare(directory)
    let before = try content(directory)
    let listed = try directory.apnsift("store", "list", "--store", "sqlite:s")
    #expect(listed.code == 2)
    #expect(listed.said(.storeFailed("sqlite:s", test.message)), "\(listed.errors)")
    let registered = try directory.apnsift("store", "register", hex(token(1)), "--store", "sqlite:s")
    #expect(registered.code == 2)
    #expect(try content(directory) == before)
  }

  @Test(
    "rows that are understood are listed whole before the error",
    arguments: [
      ("csv", "app,environment,token,registered_at,invalidated_at\n,production,aa,1970-01-01T00:00:00Z,\n"),
      (
        "json",
        "[\n"
          + #"{"app":"","environment":"production","token":"aa","registered_at":"1970-01-01T00:00:00Z","#
          + #""invalidated_at":null}"# + "\n]\n"
      ),
    ])
  func listAroundARowOfOthers(_ format: String, _ expected: String) throws {
    let directory = try TestDirectory()
    _ = try directory.apnsift("store", "register", "aa", "--at", "0", "--store", "sqlite:s", "--create")
    try directory.sqlite(
      "s", "INSERT INTO device_tokens VALUES (CAST(x'ff' AS TEXT), 'production', x'00', NULL, NULL);")
    let listed = try directory.apnsift("store", "list", "-t", format, "--store", "sqlite:s")
    #expect(listed.code == 2)
    #expect(listed.text == expected)
    let row = Message.inRow(
      .rowKey("token", "x'00'"), of: "device_tokens", "app is CAST(x'ff' AS TEXT), expected text in UTF-8")
    #expect(listed.said(.storeFailed("sqlite:s", .unreadableRows(1, first: row))))
  }

  @Test("a missing directory is named")
  func missingDirectory() throws {
    let outcome = try TestDirectory().apnsift(
      "store", "register", "aa", "--store", "sqlite:gone/s", "--create")
    #expect(outcome.code == 2)
    let reason = Message.directoryFailed("gone", error: String(cString: strerror(ENOENT)))
    #expect(outcome.said(.storeFailed("sqlite:gone/s", .cannotOpen(reason))))
  }

  @Test("a replay that fails leaves no store that it began to create")
  func unfinishedStore() throws {
    let directory = try TestDirectory()
    try directory.write(feedback(tuples(40)), to: "dump.bin")
    // SQLite can write some pages, but not all.
    let outcome = try directory.shell(
      "trap '' XFSZ; ulimit -f 4; \"$APNSIFT\" replay dump.bin --store sqlite:s --create")
    #expect(outcome.code == 2)
    #expect(try directory.shell("ls s").code != 0)
  }

  @Test("a store that another program has locked stays as it is; a dry run reads it", arguments: [0, 1])
  func locked(_ timeout: Int) throws {
    let directory = try TestDirectory()
    try directory.makeStore([StoredToken(token: token(0))])
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let holder = try LockHolder(of: "tokens.sqlite", in: directory)
    let arguments = [
      "replay", "dump.bin", "--store", "sqlite:tokens.sqlite", "--lock-timeout", String(timeout),
    ]
    let refused = try directory.apnsift(arguments)
    #expect(refused.code == 2)
    #expect(
      refused.said(.storeFailed("sqlite:tokens.sqlite", .locked(waited: .seconds(timeout)))))
    #expect(try directory.apnsift(arguments + ["--dry-run"]).code == 0)
    try holder.release()
    #expect(try directory.storedTokens().count == 1)
    #expect(try directory.apnsift(arguments).code == 0)
    #expect(try directory.storedTokens().count == 3)
  }

  @Test("a lock that is released in time is waited for")
  func lockWaitedFor() throws {
    let directory = try TestDirectory()
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
    let directory = try TestDirectory()
    let before = tuples(500).map { StoredToken(token: $0.token, registeredAt: 7) }
    try directory.makeStore(before)
    let stored = try directory.storedTokens()
    try directory.write(feedback(tuples(4000, from: 250)), to: "dump.bin")
    let line = "\"$APNSIFT\" replay dump.bin --store sqlite:tokens.sqlite"
    // Units of 512 bytes: more than the store has now, less than it needs.
    let size = try directory.bytes(of: "tokens.sqlite").count
    let full = try directory.shell("ulimit -f \(size / 512 + 40); \(line)")
    #expect(full.code == 2)
    // Which of them depends on the statement that meets the limit.
    let remedies = [StoreError.full(.verbatim("")), .failed(.verbatim(""))].map(\.remedy)
    #expect(full.errors.contains("sqlite:tokens.sqlite: ") && remedies.contains(where: full.said))
    #expect(try directory.sqlite("tokens.sqlite", "PRAGMA integrity_check;") == "ok")
    #expect(try directory.storedTokens() == stored)
    #expect(try directory.shell(line).code == 0)
    #expect(try directory.storedTokens().count == 4250)
  }

  @Test(
    "a store that may not be written, and one whose directory may not", .enabled(if: Unprivileged.isPossible))
  func readOnly() throws {
    let directory = try TestDirectory()
    try directory.makeStore()
    try directory.write(feedback(tuples(3)), to: "dump.bin")
    let line = Unprivileged.prefix + "\"$APNSIFT\" replay dump.bin --store sqlite:tokens.sqlite"
    chmod(directory.path(of: "tokens.sqlite"), 0o444)
    chmod(directory.path, 0o777)
    for mode in [mode_t(0o444), 0o666] {
      chmod(directory.path(of: "tokens.sqlite"), mode)
      chmod(directory.path, mode == 0o666 ? 0o555 : 0o777)
      let outcome = try directory.shell(line)
      chmod(directory.path, 0o777)
      #expect(outcome.code == 2)
      let remedies = [StoreError.readOnly(.verbatim("")), .cannotOpen(.verbatim(""))].map(\.remedy)
      #expect(outcome.errors.contains("sqlite:tokens.sqlite: "), "\(outcome.errors)")
      #expect(remedies.contains(where: outcome.said), "\(outcome.errors)")
    }
    #expect(try directory.shell(line + " --dry-run").code == 0)
    #expect(try directory.storedTokens().isEmpty)
  }
}
