import GRDB
import TokenStores

/// A transaction on a table of others.
package final class MappedSQLiteSession: SQLiteSession, MappedSession {
  package let table: MappedTable
  private let columns: [MappedColumn]

  /// - Throws: `StoreFault.misfit` where the mapping does not fit the table.
  init(_ database: Database, _ mapping: TableMapping) throws {
    let found = try MappedTableReading(database, mapping)
    try found.check()
    columns = found.columns
    table = try found.table()
    super.init(database)
    MappedFunctions.add(to: database, for: mapping)
    // Temporary tables have a cache of their own, of 2 MiB unless told otherwise, and rows of the table come in any order.
    try run("PRAGMA temp.cache_size = -\(SQLiteTokenStore.pageCacheBytes >> 10)", [])
    try MappedRows(self, mapping, of: nil).checkValues(mapping)
  }

  package func stage(_ tokens: TimedTokens, areDistinct: Bool) throws -> Int {
    try run(
      "CREATE TEMPORARY TABLE apnsift_staged (token BLOB NOT NULL PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID",
      [])
    let insert = try PreparedStatement(
      database,
      """
      INSERT INTO temp.apnsift_staged (token, time) VALUES (?1, ?2)
      ON CONFLICT (token) DO UPDATE SET time = max(time, excluded.time)
      """)
    var count = 0
    try tokens { token, time in
      insert.bind(token, at: 1)
      insert.bind(Int64(time), at: 2)
      try insert.run()
      count += 1
    }
    return count
  }

  package func restore(wholes: String) throws -> Int {
    let kept = columns.filter { !$0.isGenerated }
    var (insert, width): (PreparedStatement?, Int) = (nil, 0)
    let encoding = try String.fetchOne(database, sql: "PRAGMA encoding") ?? ""
    var count = 0
    try visit(wholes, []) { row in
      let values = try unpacked(row.first, kept)
      if insert == nil || width != values.count {
        insert = try restoring(kept.prefix(values.count))
        width = values.count
      }
      insert?.bind(
        values.map { $0.readable(in: encoding) }.flatMap { [$0.value, .integer($0.isText ? 1 : 0)] })
      try insert?.run()
      count += 1
    }
    return count
  }

  /// A statement that adds a row of these columns; each value has two parameters.
  private func restoring(_ columns: ArraySlice<MappedColumn>) throws -> PreparedStatement {
    let values = columns.indices.map { place in
      "CASE ?\(2 * place + 2) WHEN 1 THEN CAST(?\(2 * place + 1) AS TEXT) ELSE ?\(2 * place + 1) END"
    }
    return try PreparedStatement(
      database,
      "INSERT INTO \(table.name) (\(MappedTableReading.names(of: Array(columns)))) "
        + "VALUES (\(values.joined(separator: ", ")))")
  }

  /// The values of a removed row. Columns that the table got since stand behind those that it had, and take their
  /// defaults.
  private func unpacked(_ whole: SQLValue?, _ columns: [MappedColumn]) throws -> [PackedValue] {
    let groups = whole?.bytes.flatMap(PackedRow.values)
    guard let groups, let names = groups.first?.value.bytes,
      case let values = groups.dropFirst().flatMap({ $0.value.bytes.flatMap(PackedRow.values) ?? [] }),
      values.count <= columns.count,
      MappedTableReading.names(of: Array(columns.prefix(values.count)))
        == String(decoding: names, as: UTF8.self)
    else {
      throw StoreFault.refused(
        detail: "removed rows had other columns than \(table.name) has now, as apnsift_row_changes tells")
    }
    return values
  }

  package func journal(makes: Bool) throws -> (any MappedJournal)? {
    guard try makes || Journal.isPresent(in: database) else { return nil }
    return try MappedSQLiteJournal(self, makes: makes)
  }
}

/// The journal of a database, for replays of mapped tables.
final class MappedSQLiteJournal: MappedJournal {
  let sqlite: SQLiteSession
  var session: any SQLSession { sqlite }
  let rowChanges = "apnsift_row_changes"

  init(_ session: SQLiteSession, makes: Bool) throws {
    sqlite = session
    guard makes else { return }
    _ = try Journal(session.database)
    try Self.make(in: session)
  }

  private static func make(in session: SQLiteSession) throws {
    try session.run(session.words.rowChangesDefinition("apnsift_row_changes"), [])
    try session.run(
      "CREATE INDEX IF NOT EXISTS apnsift_row_changes_by_replay ON apnsift_row_changes (replay)", [])
  }

  func record(
    _ entry: JournalEntry, of owner: AppEnvironment, counts: ReplayCounts, undoes: Int?
  ) throws -> Int {
    try Journal(sqlite.database).record(entry, of: owner, counts: counts, undoes: undoes)
  }

  func records() throws -> [JournalRecord] { try Journal.records(in: sqlite.database) }

  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int? {
    try Journal.replay(ofInput: sha256, for: owner, mapping: mapping, in: sqlite.database)
  }
}
