import GRDB
import TokenStores

/// A journal in a SQLite file of its own, for stores whose database takes none. It has the tables of any journal, and
/// one that says of which store each record is, and whether it was done.
package struct SQLiteJournalFile: JournalFile {
  package let name: String
  private let store: SQLiteTokenStore

  /// - Parameter path: the file, which is made if missing.
  package init(path: String, lockTimeout: Duration = SQLiteTokenStore.defaultLockTimeout) {
    store = SQLiteTokenStore(path: path, creates: true, lockTimeout: lockTimeout)
    name = store.name
  }

  package func check() throws {
    try store.reportingFaults {
      guard try store.isPresent() else { return try StorePath.checkDirectory(of: store.path) }
      _ = try store.openForWriting().read { try Self.isPresent(in: $0) }
    }
  }

  private static let outcomes = """
    CREATE TABLE IF NOT EXISTS apnsift_outcomes (
      replay INTEGER PRIMARY KEY REFERENCES apnsift_replays (id),
      store TEXT NOT NULL,
      is_done INTEGER NOT NULL
    )
    """

  private static func isPresent(in database: Database) throws -> Bool {
    try database.tableExists("apnsift_outcomes")
  }

  package func reading<Result>(
    of place: String, _ body: (any MappedJournal) throws -> Result
  ) throws -> Result? {
    try store.reportingFaults {
      guard try store.isPresent() else { return nil }
      return try store.openForReading().read { database in
        guard try Self.isPresent(in: database) else { return nil }
        return try body(FileJournal(SQLiteSession(database), place))
      }
    }
  }

  package func writing<Result>(
    of place: String, _ body: (any MappedJournal) throws -> Result
  ) throws -> Result {
    try changing { database in
      let journal = try MappedSQLiteJournal(SQLiteSession(database), makes: true)
      try database.execute(sql: Self.outcomes)
      return try body(FileJournal(journal.sqlite, place))
    }
  }

  private func changing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try store.reportingFaults {
      if try !store.isPresent() { try StorePath.checkDirectory(of: store.path) }
      var result: Result?
      try store.openForWriting().writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          result = try body(database)
          return .commit
        }
      }
      guard let result else { throw StoreFault.failed(detail: "the transaction was not run") }
      return result
    }
  }

  package func pending(of place: String) throws -> [Int] {
    try store.reportingFaults {
      guard try store.isPresent() else { return [] }
      return try store.openForReading().read { database in
        guard try Self.isPresent(in: database) else { return [] }
        return try Int.fetchAll(
          database,
          sql: "SELECT replay FROM apnsift_outcomes WHERE store = ? AND is_done = 0 ORDER BY replay",
          arguments: [place])
      }
    }
  }

  package func settle(_ id: Int, wasDone: Bool) throws {
    try changing { database in
      if wasDone {
        try database.execute(sql: "UPDATE apnsift_outcomes SET is_done = 1 WHERE replay = ?", arguments: [id])
        return
      }
      for (table, column) in [
        ("apnsift_outcomes", "replay"), ("apnsift_row_changes", "replay"), ("apnsift_inputs", "replay"),
        ("apnsift_replays", "id"),
      ] {
        try database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id])
      }
    }
  }
}

/// What a journal in a file says of one store.
private final class FileJournal: MappedJournal {
  private let journal: MappedSQLiteJournal
  private let store: String

  init(_ session: SQLiteSession, _ store: String) throws {
    journal = try MappedSQLiteJournal(session, makes: false)
    self.store = store
  }

  var session: any SQLSession { journal.session }
  var rowChanges: String { journal.rowChanges }

  func record(
    _ entry: JournalEntry, of owner: AppEnvironment, counts: ReplayCounts, undoes: Int?
  ) throws -> Int {
    let id = try journal.record(entry, of: owner, counts: counts, undoes: undoes)
    try session.run(
      "INSERT INTO apnsift_outcomes (replay, store, is_done) VALUES (?1, ?2, 0)",
      [.integer(Int64(id)), .text(store)])
    return id
  }

  func records() throws -> [JournalRecord] {
    var isDone: [Int: Bool] = [:]
    try session.visit("SELECT replay, is_done FROM apnsift_outcomes WHERE store = ?1", [.text(store)]) {
      row in
      if let id = row[0].integer { isDone[Int(id)] = row[1].integer == 1 }
    }
    return try journal.records().compactMap { record in
      guard let isDone = isDone[record.id] else { return nil }
      var record = record
      record.isPending = !isDone
      return record
    }
  }

  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int? {
    let same = try records().filter { record in
      record.owner == owner && record.entry.mapping == mapping && !record.isPending
        && record.entry.inputs.contains { $0.sha256 == sha256 }
    }
    // As of Journal.replay: one that was undone takes those before it with it.
    guard let last = same.last, let undone = same.compactMap(\.undoneBy).max() else { return same.last?.id }
    return last.id > undone ? last.id : nil
  }
}
