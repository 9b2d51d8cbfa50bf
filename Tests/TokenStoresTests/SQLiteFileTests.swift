import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// What a store does to its file, and to the databases of others.
@Suite("Files of SQLite") struct SQLiteFileTests {
  private let directory: TemporaryFiles
  private let path: String
  private let store: TokenStore

  init() throws {
    directory = TemporaryFiles()
    path = directory.file()
    store = TokenStore(SQLiteDatabase(path: path), creates: true)
  }

  @Test("a new one is marked as ours, and only the user may read it")
  func new() throws {
    func mode(_ name: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
      return attributes[.posixPermissions] as? Int
    }
    try directory.write([], to: "before")
    try store.replay([])
    try directory.write([], to: "after")
    #expect(try directory.names == ["after", "before", "tokens.sqlite"])
    #expect(try integer(path, "PRAGMA application_id") == 0x4150_4e73)
    #expect(try integer(path, "PRAGMA user_version") == 1)
    #expect(try mode("tokens.sqlite") == 0o600)
    #expect(try mode("after") == mode("before"), "other new files of the process are as before")
  }

  @Test("a second replay, a dry run and a source that throws leave every byte as it is")
  func unchanged() throws {
    let deaths = (0..<200).map { Dated(token: [UInt8($0), 1], time: UInt32($0)) }
    #expect(try store.replay(deaths, dryRun: true).inserted == 200)
    #expect(try directory.names == [])
    try store.register((0..<100).map { Dated(token: [UInt8($0), 1], time: 50) })
    try store.replay(deaths)
    let before = try bytes(of: path)
    let second = try store.replay(deaths)
    #expect((second.changes, second.tokens) == (0, 200))
    #expect(try store.replay([Dated(token: [0, 1], time: 300)], dryRun: true).changes == 1)
    #expect(throws: SourceError()) {
      let source = { (visit: (RawSpan, StoreTime) throws -> Void) in
        try visit([UInt8(1)].span.bytes, StoreTime(9))
        throw SourceError()
      }
      _ = try store.replay(source, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
    }
    #expect(try bytes(of: path) == before && directory.names == ["tokens.sqlite"])
  }

  @Test("a database of others gets the table alone")
  func foreign() throws {
    try sqlite(path, "PRAGMA journal_mode = WAL; PRAGMA user_version = 7; CREATE TABLE users (name TEXT)")
    #expect(try error { try TokenStore(SQLiteDatabase(path: path)).replay([]) } == .noTable)
    #expect(throws: SourceError()) {
      _ = try store.register({ _ in throw SourceError() }, for: AppEnvironment())
    }
    #expect(try integer(path, "SELECT count(*) FROM sqlite_master") == 1)
    #expect(try store.owners() == [])
    #expect(try store.replay([Dated(token: [1], time: 1)]).inserted == 1)
    #expect(try integer(path, "PRAGMA application_id") == 0)
    #expect(try integer(path, "PRAGMA user_version") == 7)
    #expect(try integer(path, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'") == 1)
    #expect(try integer(path, "SELECT count(*) FROM users") == 0)
  }

  @Test("a database in UTF-16 is read")
  func encoding() throws {
    try sqlite(path, "PRAGMA encoding = 'UTF-16'; CREATE TABLE users (name TEXT)")
    let owner = AppEnvironment(app: "é", environment: .sandbox)
    try store.replay([Dated(token: [1], time: 1)], for: owner)
    #expect(try store.owners() == [owner])
    #expect(try store.rows(of: [[1]], in: .any).map(\.owner) == [owner])
  }
}
