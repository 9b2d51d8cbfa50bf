import Basics
import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TokenStores
import Wording

/// Everything that can be wrong with a store, each with a real file.
@Suite("Errors of stores in SQLite") struct SQLiteErrorTests {
  let directory: TemporaryFiles
  let path: String
  static let deaths = [Dated(token: [1], time: 9)]

  init() throws {
    directory = TemporaryFiles()
    path = directory.file("my tokens.sqlite")
  }

  private var locked: NamedStoreError {
    NamedStoreError(store: "sqlite:\(path)", reason: .locked(waited: .zero))
  }

  private func store(creates: Bool = false) -> TokenStore {
    TokenStore(SQLiteDatabase(path: path, lockTimeout: .zero), creates: creates)
  }

  /// Every way to use the store, with and without leave to create.
  private static let uses: [(String, @Sendable (TokenStore) throws -> Void)] = [
    ("check reading", { try $0.check(for: .reading) }), ("check writing", { try $0.check(for: .writing) }),
    ("owners", { _ = try $0.owners() }), ("rows of tokens", { _ = try $0.rows(of: [[1]], in: .any) }),
    ("list", { _ = try $0.rows() }), ("dry run", { try $0.replay(deaths, dryRun: true) }),
    ("replay", { try $0.replay(deaths) }), ("register", { try $0.register(deaths) }),
  ]

  /// Expects that every use ends with `error`, and leaves the directory's files as they are.
  private func expectAlways(_ error: StoreError, creates: [Bool] = [false, true]) throws {
    let before = try directory.names.map { try? bytes(of: directory.file($0)) }
    for creates in creates {
      for (name, use) in Self.uses {
        #expect(throws: NamedStoreError(store: "sqlite:\(path)", reason: error), "\(name)") {
          try use(store(creates: creates))
        }
      }
    }
    #expect(try directory.names.map { try? bytes(of: directory.file($0)) } == before)
  }

  @Test func missingFile() throws {
    try expectAlways(.notFound, creates: [false])
    #expect(try directory.names == [])
  }

  /// Paths at which no store can be made.
  @Test(
    arguments: [
      ("none/tokens.sqlite", "directory DIR/none: \(String(cString: strerror(ENOENT)))"),
      ("file/tokens.sqlite", "\(String(cString: strerror(ENOTDIR)))"),
      ("../../../../../../../dev/null", "it is not a regular file"),
    ] as [(String, Message)])
  func badPath(_ name: String, _ problem: Message) throws {
    try directory.write([], to: "file")
    let store = TokenStore(SQLiteDatabase(path: directory.file(name)), creates: true)
    let reason = Message.verbatim(problem.text.replacing("DIR", with: directory.path))
    for use in [{ try store.check(for: .writing) }, { _ = try store.replay(Self.deaths) }] {
      #expect(try error(use) == .cannotOpen(reason))
    }
  }

  @Test func aDirectory() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try expectAlways(.cannotOpen("it is a directory, not a database file"))
  }

  @Test(arguments: [1, 1000]) func aTextFile(lines: Int) throws {
    try Data(String(repeating: "time,token\n", count: lines).utf8).write(to: URL(fileURLWithPath: path))
    try expectAlways(.notADatabase)
  }

  @Test func anEmptyFile() throws {
    try Data().write(to: URL(fileURLWithPath: path))
    try expectAlways(.noTable, creates: [false])
    #expect(try store(creates: true).rows().isEmpty)
    #expect(try store(creates: true).replay(Self.deaths).inserted == 1)
    #expect(try store().rows().count == 1)
  }

  @Test func aTruncatedDatabase() throws {
    try store(creates: true).replay(
      (0..<4000).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 1) })
    let whole = try bytes(of: path)
    try whole.prefix(whole.count / 8192 * 4096).write(to: URL(fileURLWithPath: path))
    try expectAlways(.damaged(.verbatim("database disk image is malformed")))
  }

  @Test func anotherProgramHoldsTheLock() throws {
    try store(creates: true).replay([])
    let other = try SQLiteClient(path)
    try other.run("BEGIN IMMEDIATE")
    #expect(throws: locked) { try store().replay(Self.deaths) }
    #expect(throws: locked) { try store().register(Self.deaths) }
    #expect(throws: Never.self) { try store().rows() }
    #expect(throws: Never.self) { try store().check(for: .writing) }
    #expect(try store().replay(Self.deaths, dryRun: true).inserted == 1)
    try other.run("ROLLBACK")
    #expect(try store().replay(Self.deaths).inserted == 1)
  }

  /// A reader stops no replay before its commit, and then all of it.
  @Test func anotherProgramReads() throws {
    try store(creates: true).replay([])
    let other = try SQLiteClient(path)
    try other.run("BEGIN; SELECT count(*) FROM device_tokens")
    #expect(throws: locked) { try store().replay(Self.deaths) }
    try other.run("COMMIT")
    #expect(try store().rows().isEmpty)
  }

  @Test func anotherProgramWrites() throws {
    try store(creates: true).replay([])
    let other = try SQLiteClient(path)
    try other.run("BEGIN EXCLUSIVE")
    try expectAlways(.locked(waited: .zero))
    try other.run("ROLLBACK")
  }

  @Test func aNewerVersion() throws {
    try store(creates: true).replay(Self.deaths)
    try sqlite(path, "PRAGMA user_version = 2")
    try expectAlways(.newerVersion(2, supported: 1))
  }

  /// SQLite reads a file whose header asks for a newer writer (byte 18 from 0), and never writes it: for it
  /// the file is read-only for every user.
  @Test func aReadOnlyDatabase() throws {
    try store(creates: true).replay(Self.deaths)
    var file = try bytes(of: path)
    file[18] = 3
    try file.write(to: URL(fileURLWithPath: path))
    try expectOnlyReading()
    #expect(try bytes(of: path) == file)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write a read-only file")) func aReadOnlyFile() throws {
    try store(creates: true).replay(Self.deaths)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    try expectOnlyReading()
  }

  private func expectOnlyReading() throws {
    let readOnly = NamedStoreError(store: "sqlite:\(path)", reason: .readOnly("it opens for reading only"))
    for (name, use) in Self.uses {
      if ["replay", "register", "check writing"].contains(name) {
        #expect(throws: readOnly, "\(name)") { try use(store()) }
      } else {
        #expect(throws: Never.self, "\(name)") { try use(store()) }
      }
    }
  }

  /// What a program that was killed in the middle of a large write leaves: half of its pages in the file,
  /// and a journal that undoes them.
  @Test(arguments: [false, true]) func aHotJournal(creates: Bool) throws {
    let killed = directory.file("killed.sqlite")
    let tokens = (0..<4000).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 1) }
    try TokenStore(SQLiteDatabase(path: killed), creates: true).replay(tokens)
    let other = try SQLiteClient(killed)
    try other.run("PRAGMA cache_size = 5; BEGIN IMMEDIATE; UPDATE device_tokens SET invalidated_at = 2")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: killed + suffix, toPath: path + suffix)
    }
    try other.run("ROLLBACK")
    #expect(try bytes(of: path) != bytes(of: killed))
    #expect(try Set(store(creates: creates).rows().map(\.state)) == [TokenState(invalidatedAt: 1)])
    #expect(try store().replay(tokens).unchanged == tokens.count)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read and write everything")) func withoutPermission() throws {
    let none = directory.file("none")
    try FileManager.default.createDirectory(
      atPath: none, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    let inside = TokenStore(SQLiteDatabase(path: "\(none)/tokens.sqlite"), creates: true)
    let denied = StoreError.cannotOpen("directory \(none): \(String(cString: strerror(EACCES)))")
    #expect(throws: NamedStoreError(store: inside.name, reason: denied)) { try inside.replay(Self.deaths) }

    try store(creates: true).replay(Self.deaths)
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: path)
    let unreadable = StoreError.cannotOpen(.verbatim(String(cString: strerror(EACCES))))
    #expect(throws: NamedStoreError(store: "sqlite:\(path)", reason: unreadable)) {
      try store().rows()
    }
  }

  private static let text = Message.verbatim("m")

  /// A full or failing disk is not available in a portable test: here SQLite's codes replace
  /// them (sqlite3.h), extended ones too.
  static let codes: [(code: Int, error: StoreError)] = [
    (5, .locked(waited: .seconds(2))), (6, .locked(waited: .seconds(2))),
    (261, .locked(waited: .seconds(2))), (8, .readOnly(text)), (264, .readOnly(text)),
    (1544, .readOnly(text)),
    (10, .failed("m, SQLite error 10")), (778, .failed("m, SQLite error 778")),
    (11, .damaged(text)), (13, .full(text)), (14, .cannotOpen(text)),
    (19, .refused(text)), (26, .notADatabase), (7, .failed("m, SQLite error 7")),
  ]

  @Test(arguments: codes)
  func meaningOfACode(_ code: Int, _ expected: StoreError) {
    let error = DatabaseError(sqlite: Int32(code), "m")
    #expect(StoreError(error, waited: .seconds(2)) == expected)
  }
}
