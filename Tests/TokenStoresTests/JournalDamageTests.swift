import Basics
import StoreTestSupport
import TestSupport
import Testing
import TokenStores
import Wording

/// A journal of SQLite into which another program wrote: SQLite stores any value in any column.
@Suite("Journals with values of other programs") struct JournalDamageTests {
  private let directory: TemporaryFiles
  private let store: TokenStore

  /// Two replays, of which the first one is altered.
  init() throws {
    directory = TemporaryFiles()
    store = TokenStore(SQLiteDatabase(path: directory.file()), creates: true)
    try store.replay([Dated(token: [1], time: 5), Dated(token: [2], time: 5)], as: .sample)
    try store.replay([Dated(token: [3], time: 6)], as: .sample)
  }

  private func error(_ first: Message) -> NamedStoreError {
    NamedStoreError(store: store.name, reason: .unreadableRows(1, first: first))
  }

  private static let counts = Message("an integer from 0 to \(1 << 48)")

  /// A column of a replay, a value, its literal in the message, and what is expected. Each of the counts trapped.
  static let alterations: [(column: String, value: String, literal: String, expected: Message)] =
    ["tuples", "invalidated", "updated", "inserted", "unchanged", "kept", "unknown", "rejected"].flatMap {
      column in
      [
        ("'x'", "'x'"), ("x'00'", "x'00'"), ("1e300", "1e+300"), ("-1", "-1"),
        ("9223372036854775807", "9223372036854775807"), ("281474976710657", "281474976710657"),
      ].map { (column, $0.0, $0.1, counts) }
    } + [
      ("at", "'2014-05-13'", "'2014-05-13'", "a time in the years 1 to 9999"),
      ("at", "253402300800", "253402300800", "a time in the years 1 to 9999"),
      ("version", "x'ff'", "x'ff'", .journalText),
      ("app", "CAST(x'ff' AS TEXT)", "CAST(x'ff' AS TEXT)", .journalText),
      ("options", "'{'", "'{'", .journalJSON), ("options", "x'7b7d'", "x'7b7d'", .journalJSON),
      ("mapping", "'a'", "'a'", .journalJSON), ("undoes", "'x'", "'x'", counts),
      ("changed_rows", "0.5", "0.5", counts), ("changed_rows", "NULL", "NULL", counts),
      ("first_change", "'x'", "'x'", counts),
      ("environment", "'test'", "'test'", "production or sandbox"),
    ]

  @Test(
    "a value that a replay cannot have is named, and the other replays are listed", arguments: alterations)
  func values(_ column: String, _ value: String, _ literal: String, _ expected: Message) throws {
    try sqlite(
      directory.file(),
      "PRAGMA foreign_keys = OFF; UPDATE apnsift_replays SET \(column) = \(value) WHERE id = 1")
    let error = error(
      .inRow(.rowKey("id", "1"), of: "apnsift_replays", .valueInsteadOf(expected, column, literal)))
    #expect(throws: error) { try store.history() }
    let (readable, found) = try store.readableHistory()
    #expect(readable.map(\.id) == [2] && found == error)
    #expect(throws: error) { try store.undo(1, entry: .sample) }
    #expect(try store.rows().count == 3)
    #expect(try store.undo(2, entry: .sample).restored == 1)
  }

  @Test(
    "an input that cannot be is named, and its replay is not listed",
    arguments: [
      ("source", "x'00'", "x'00'", Message.journalText),
      ("sha256", "'zz'", "'zz'", "a SHA-256 in lowercase hex"),
      ("bytes", "'many'", "'many'", counts), ("bytes", "-1", "-1", counts),
    ])
  func inputs(_ column: String, _ value: String, _ literal: String, _ expected: Message) throws {
    try sqlite(directory.file(), "UPDATE apnsift_inputs SET \(column) = \(value) WHERE replay = 1")
    let error = error(
      .inRow(.rowKey("replay", "1"), of: "apnsift_inputs", .valueInsteadOf(expected, column, literal)))
    let (readable, found) = try store.readableHistory()
    #expect(readable.map(\.id) == [2] && found == error)
  }

  /// These undos restored nothing, without a message, and the replay counted as undone.
  @Test(
    "an undo needs all changes of its replay",
    arguments: [
      "UPDATE apnsift_replays SET first_change = 2 WHERE id = 1",
      "UPDATE apnsift_replays SET first_change = 1 WHERE id = 2",
      "DELETE FROM apnsift_changes WHERE id = 1", "UPDATE apnsift_changes SET id = 9 WHERE id = 1",
      "UPDATE apnsift_changes SET packed = x'' WHERE id = 1",
    ])
  func missingChanges(_ sql: String) throws {
    try sqlite(directory.file(), sql)
    #expect(throws: NamedStoreError.self) { try store.undo(1, entry: .sample) }
    #expect(throws: NamedStoreError.self) { try store.changes(of: 1) { _ in } }
    #expect(try store.rows().count == 3)
    #expect(try store.history().count == 2)
  }

  @Test(
    "changes that are not packed are named by their row",
    arguments: [
      ("'text'", Message.valueInsteadOf("packed changes as bytes", "packed", "'text'")),
      ("x'ff'", .changeIsNotPacked),
      ("x'1000040101'", .changeIsNotPacked),
      // A change of one token without the values of its columns.
      ("x'10000001010000'", .changeIsNotPacked),
      // A number of ten bytes, and a length beyond the end.
      ("x'10ffffffffffffffffff7f'", .changeIsNotPacked), ("x'100000ffffffffffffffff7f'", .changeIsNotPacked),
    ])
  func changes(_ packed: String, _ problem: Message) throws {
    try sqlite(directory.file(), "UPDATE apnsift_changes SET packed = \(packed) WHERE id = 1")
    let error = error(.inRow(.rowKey("id", "1"), of: "apnsift_changes", problem))
    #expect(throws: error) { try store.undo(1, entry: .sample) }
    #expect(throws: error) { try store.changes(of: 1) { _ in } }
  }

  /// SQLite chooses any free number after the largest one, and an undo would not find the changes.
  @Test(
    "no replay is recorded after a row with the largest number",
    arguments: ["apnsift_changes", "apnsift_replays"])
  func largestNumber(_ table: String) throws {
    let largest = Int64.max
    try sqlite(
      directory.file(), "PRAGMA foreign_keys = OFF; UPDATE \(table) SET id = \(largest) WHERE id = 2")
    let error = error(
      .inRow(.rowKey("id", "\(largest)"), of: table, .valueInsteadOf(Self.counts, "id", "\(largest)")))
    #expect(throws: error) { try store.replay([Dated(token: [4], time: 7)], as: .sample) }
    #expect(try store.rows().count == 3)
  }
}
