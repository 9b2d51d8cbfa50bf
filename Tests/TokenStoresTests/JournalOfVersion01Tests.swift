import Foundation
import GRDB
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// Journals of version 0.1 open and undo. Tests/Fixtures/journal-0.1.sql is a database that version 0.1 wrote (commit
/// f70675b, in which its formats are as they were): a replay of samples/tls-session.bin into device_tokens, and into two
/// tables of others.
@Suite("Journals of version 0.1") struct JournalOfVersion01Tests {
  private static let hex = "09fced57701f9d4ebe273b7c4949405eb19ff69230eb63a499f6f72e03ba8d07"

  private static let marking = TableMapping(
    table: "devices", token: TokenColumn(name: "token", form: .hex),
    registered: TimeColumn(name: "seen", form: .iso), action: .mark(TimeColumn(name: "gone", form: .seconds)))
  private static let deleting = TableMapping(
    table: "removed", token: TokenColumn(name: "token", form: .upperHex), action: .delete)

  private let directory: TemporaryFiles
  private let path: String

  init() throws {
    directory = try TemporaryFiles()
    path = directory.file()
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fixtures/journal-0.1.sql")
    try DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: String(contentsOf: fixture, encoding: .utf8))
    }
  }

  private func text(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: sql) }
  }

  private func store(_ mapping: TableMapping, _ replay: Int) throws -> TokenStore {
    let recorded = try text("SELECT mapping FROM apnsift_replays WHERE id = \(replay)").first ?? ""
    return TokenStore(
      SQLiteDatabase(path: path), mapping: mapping, text: recorded, owner: AppEnvironment(), inserts: false)
  }

  private static let entry = JournalEntry(
    at: 1, version: "test", inputs: [], options: "{}", tuples: 0, rejected: 0)

  @Test("list the rows that each replay changed")
  func changes() throws {
    var changes: [JournalChange] = []
    try TokenStore(SQLiteDatabase(path: path)).changes(of: 1) { changes.append($0) }
    #expect(changes.count == 38 && changes.count { $0.outcome == .invalidated } == 1)
    changes = []
    try store(Self.marking, 2).changes(of: 2) { changes.append($0) }
    #expect(changes.map(\.key) == ["3,'c'", "1,'it''s'", "2,'b'"])
    #expect(changes.map(\.before?.invalidatedAt) == [nil, nil, 7])
    #expect(changes.map(\.origin) == [nil, nil, nil])
  }

  /// The tables as the walk that made the fixture had them before the replays.
  @Test("are undone")
  func undo() throws {
    let devices = TokenStore(SQLiteDatabase(path: path))
    #expect(try devices.undo(1, entry: Self.entry).restored == 38)
    #expect(
      try text(
        "SELECT lower(hex(token)) || ' ' || registered_at || ' ' || (invalidated_at IS NULL) FROM device_tokens"
      )
        == ["\(Self.hex) 1356998400 1"])
    #expect(try store(Self.marking, 2).undo(2, entry: Self.entry).restored == 3)
    #expect(
      try text("SELECT id || name || coalesce(gone, '-') FROM devices ORDER BY id") == [
        "1it's-", "2b7", "3c-",
      ])
    #expect(try store(Self.deleting, 3).undo(3, entry: Self.entry).restored == 2)
    #expect(
      try text(
        "SELECT id || ' ' || typeof(note) || hex(note) || ' ' || typeof(x) || x FROM removed ORDER BY id")
        == ["5 blob00FF real0.1", "6 null real-1.5"])
    #expect(try devices.history().map(\.undoneBy) == [4, 5, 6, nil, nil, nil])
    #expect(try devices.history().map(\.rows) == [nil, nil, nil, 38, 3, 2])
  }

  @Test("take new replays, after which the old ones still undo")
  func both() throws {
    let devices = TokenStore(SQLiteDatabase(path: path))
    let deaths = [Dated(token: [1], time: 5), Dated(token: [2], time: 6)]
    let answer = try devices.replay(
      { visit in for death in deaths { try visit(death.token.span.bytes, death.storeTime) } },
      for: AppEnvironment(),
      options: ReplayOptions(), entry: { Self.entry })
    #expect(answer.replay == 4)
    #expect(try devices.undo(1, entry: Self.entry).restored == 38)
    #expect(try devices.undo(4, entry: Self.entry).restored == 2)
    #expect(try text("SELECT count(*) || '' FROM device_tokens") == ["1"])
  }
}
