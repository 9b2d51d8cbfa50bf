/// Restores the rows of a replay that are as it left them, inside a transaction.
struct MappedUndo {
  let rows: MappedRows
  let record: JournalRecord

  private var table: MappedTable { rows.table }
  private var words: SQLWords { rows.words }
  private var recorded: String { rows.temporary("apnsift_recorded") }
  private var judged: String { rows.temporary("apnsift_undone") }

  /// - Throws: `StoreFault.notUndoable`.
  func run(from journal: any MappedJournal) throws -> UndoAnswer {
    if record.undoes != nil { throw StoreFault.notUndoable(record.id, reason: "it is an undo itself") }
    if let undo = record.undoneBy {
      throw StoreFault.notUndoable(record.id, reason: "it was undone already, by \(undo)")
    }
    try gather(record.id, from: journal)
    try judge()
    var answer = UndoAnswer()
    try rows.visit(
      "SELECT reason, count(*) FROM \(judged) WHERE reason IS NOT NULL GROUP BY reason"
    ) { row in
      if let reason = row[0].text.flatMap(LeftRow.init(rawValue:)) {
        answer.left[reason] = Int(clamping: row[1].integer ?? 0)
      }
    }
    let sample =
      "SELECT token, reason FROM \(judged) WHERE reason IS NOT NULL ORDER BY token LIMIT \(UndoAnswer.sampleLength)"
    for row in try rows.all(sample) {
      guard let token = row[0].bytes, let reason = row[1].text.flatMap(LeftRow.init(rawValue:)) else {
        continue
      }
      answer.sample.append((token, reason))
    }
    answer.restored = try restore()
    return answer
  }

  /// Whether the replay is known to have been done, from what its rows are now; nil where all were changed since.
  func wasDone(by journal: any MappedJournal) throws -> Bool? {
    try gather(record.id, from: journal)
    try judge()
    defer { _ = try? rows.session.run("DROP TABLE \(recorded)", []) }
    defer { _ = try? rows.session.run("DROP TABLE \(judged)", []) }
    if try rows.number("SELECT count(*) FROM \(judged) WHERE reason IS NULL") > 0 { return true }
    return try rows.number("SELECT count(*) FROM \(judged) WHERE is_before = 1") > 0 ? false : nil
  }

  /// Makes `apnsift_recorded`: what the journal has of the replay.
  private func gather(_ replay: Int, from journal: any MappedJournal) throws {
    let columns = [
      "row_key", "token", "outcome", "registered_value", "value_before", "value_after", "whole_row",
    ]
    try rows.make(
      "apnsift_recorded",
      """
      row_key \(words.text) NOT NULL PRIMARY KEY, token \(words.bytes) NOT NULL, outcome \(words.text) NOT NULL,
      registered_value \(words.value), value_before \(words.value), value_after \(words.value), whole_row \(words.value)
      """)
    let changes =
      "SELECT \(columns.joined(separator: ", ")) FROM \(journal.rowChanges) WHERE replay = \(replay)"
    if journal.session === rows.session {
      try rows.session.run("INSERT INTO \(recorded) \(changes)", [])
    } else {
      try rows.session.fill(recorded, columns) { add in try journal.session.visit(changes, [], add) }
    }
  }

  /// Makes `apnsift_undone`: where each recorded row is, and why it is left, if it is.
  private func judge() throws {
    try rows.make(
      "apnsift_undone",
      """
      row_key \(words.text), token \(words.bytes), place \(table.placeType), reason \(words.text),
      is_before \(words.integer)
      """)
    table.death.isRemoval ? try judgeRemoved() : try judgeWritten()
  }

  private func judgeWritten() throws {
    let now = rows.temporary("apnsift_now")
    try rows.make(
      "apnsift_now",
      """
      row_key \(words.text) NOT NULL PRIMARY KEY, place \(table.placeType), registered_value \(words.value),
      value \(words.value), is_dead \(words.integer)
      """)
    try rows.run(
      """
      INSERT INTO \(now) SELECT r.row_key, r.place, r.registered_value, r.value, r.is_dead
      FROM (\(rows.rows)) AS r CROSS JOIN \(recorded) AS w WHERE w.row_key = r.row_key
      """)
    try rows.run(
      """
      INSERT INTO \(judged)
      SELECT w.row_key, w.token, n.place,
        CASE WHEN n.row_key IS NULL THEN '\(LeftRow.gone.rawValue)'
          WHEN n.value \(words.isSame) w.value_after AND n.registered_value \(words.isSame) w.registered_value THEN NULL
          WHEN n.is_dead = 0 THEN '\(LeftRow.revived.rawValue)'
          WHEN n.value \(words.isSame) w.value_after THEN '\(LeftRow.registeredSince.rawValue)'
          ELSE '\(LeftRow.diedLater.rawValue)' END,
        CASE WHEN w.outcome = 'inserted' THEN CASE WHEN n.row_key IS NULL THEN 1 ELSE 0 END
          WHEN n.row_key IS NOT NULL AND n.value \(words.isSame) w.value_before THEN 1 ELSE 0 END
      FROM \(recorded) AS w LEFT JOIN \(now) AS n ON n.row_key = w.row_key
      """)
    try rows.session.run("DROP TABLE \(now)", [])
  }

  /// A removed row is left where its key, or its token, has a row again. Joins, because PostgreSQL searches the result of
  /// an IN that it takes for large from its beginning, for every row.
  private func judgeRemoved() throws {
    try rows.run(
      """
      INSERT INTO \(judged)
      SELECT w.row_key, w.token, \(rows.null(table.placeType)),
        CASE WHEN b.token IS NOT NULL OR k.row_key IS NOT NULL THEN '\(LeftRow.back.rawValue)' END,
        CASE WHEN k.row_key IS NOT NULL THEN 1 ELSE 0 END
      FROM \(recorded) AS w
        LEFT JOIN (SELECT DISTINCT token FROM (\(rows.rows)) AS r) AS b ON b.token = w.token
        LEFT JOIN (SELECT DISTINCT row_key FROM (\(rows.everyKey)) AS r) AS k ON k.row_key = w.row_key
      """)
  }

  /// Returns how many rows it restored.
  private func restore() throws -> Int {
    let expected = try rows.number("SELECT count(*) FROM \(judged) WHERE reason IS NULL")
    if expected == 0 { return 0 }
    let restored: Int
    switch table.death {
    case .removal:
      restored = try rows.session.restore(
        wholes: """
          SELECT w.whole_row FROM \(recorded) AS w JOIN \(judged) AS j ON j.row_key = w.row_key
          WHERE j.reason IS NULL ORDER BY w.row_key
          """)
    case .time(let time, let restore):
      restored = try write(time.column, restore) + remove()
    case .flag(let column, _, _, _, _, let restore):
      restored = try write(column, restore) + remove()
    }
    try rows.check(restored, is: expected)
    return restored
  }

  private func write(_ column: String, _ restore: (String) -> String) throws -> Int {
    try rows.run(
      """
      UPDATE \(table.name) AS t SET \(column) = \(restore("c.value_before"))
      FROM (SELECT j.place, w.value_before FROM \(judged) AS j JOIN \(recorded) AS w ON w.row_key = j.row_key
        WHERE j.reason IS NULL AND w.outcome <> 'inserted') AS c
      WHERE \(table.place) = c.place
      """)
  }

  /// A role that never inserts needs no leave to delete.
  private func remove() throws -> Int {
    let inserted = """
      SELECT j.place FROM \(judged) AS j JOIN \(recorded) AS w ON w.row_key = j.row_key
      WHERE j.reason IS NULL AND w.outcome = 'inserted'
      """
    guard try rows.number("SELECT count(*) FROM (\(inserted)) AS i") > 0 else { return 0 }
    return try rows.run("DELETE FROM \(table.name) AS t WHERE \(table.place) IN (\(inserted))")
  }
}

extension MappedRows {
  /// The keys of the rows of all owners, as a query of `row_key`.
  fileprivate var everyKey: String { "SELECT \(table.key ?? "''") AS row_key FROM \(table.name) AS t" }
}
