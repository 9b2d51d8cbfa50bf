import TokenStores

/// Restores the rows of a replay that are as it left them, in a transaction that holds the owner's lock and whose one
/// snapshot judges which those are.
struct Undo {
  let rows: OwnedRows
  let journal: Journal
  let record: JournalRecord

  private var connection: Connection { rows.connection }

  /// - Throws: `StoreFault.notUndoable`.
  func run(_ entry: JournalEntry) throws -> UndoAnswer {
    if record.undoes != nil { throw StoreFault.notUndoable(record.id, reason: "it is an undo itself") }
    if let undo = record.undoneBy {
      throw StoreFault.notUndoable(record.id, reason: "it was undone already, by \(undo)")
    }
    if record.entry.mapping != nil {
      throw StoreFault.notUndoable(record.id, reason: "it is of another table")
    }
    let id = try journal.begin(entry, of: record.owner, undoes: record.id)
    try stageChanges()
    var answer = try restore()
    answer.id = id
    var counts = ReplayCounts()
    counts.updated = answer.restored
    try journal.finish(id, counts)
    return answer
  }

  /// Unpacks what the journal has, row by row: a connection cannot read and copy at once.
  private func stageChanges() throws {
    try Staging.makeUndone(on: connection)
    var count = 0
    try journal.packedChanges(of: record.id) { packed in
      count += 1
      try BinaryCopy.run(into: Staging.undone, on: connection) { copy in
        try PackedChanges.visit(packed) { change in
          try copy.beginRow(fields: 5)
          try copy.add(change.token.span.bytes)
          try copy.add(change.before == nil)
          try copy.add(change.after.registeredAt)
          try copy.add(change.before?.invalidatedAt)
          try copy.add(change.after.invalidatedAt)
        }
      }
    }
    // A row of the journal has some hundreds of changes.
    if count > 1 { try Staging.analyze(Staging.undone, on: connection) }
  }

  private func restore() throws -> UndoAnswer {
    try Staging.makeChanges(on: connection)
    let judged = try connection.run(statement, with: rows.key)
    var answer = UndoAnswer()
    var removed = 0
    for row in 0..<judged.count {
      let count = Int(judged.integer(row, 2) ?? 0)
      let reason = judged.text(row, 0).flatMap(LeftRow.init(rawValue:))
      if let reason, judged.isNull(row, 2) {
        answer.sample.append((judged.withBytes(row, 3) { $0.withUnsafeBytes { Array($0) } }, reason))
      } else if let reason {
        answer.left[reason, default: 0] += count
      } else {
        answer.restored += count
        if judged.flag(row, 1) { removed = count }
      }
    }
    let updated = answer.restored - removed
    if updated > 0, try rows.update() != updated { throw OwnedRows.ignoredRow }
    if removed > 0, try rows.remove() != removed { throw OwnedRows.ignoredRow }
    return answer
  }

  /// Judges each staged change, and stages what is to be restored. Returns rows of why they are left (null
  /// where they are not), whether they are removed, and their number; then rows of a reason, nulls and a token.
  private var statement: String {
    """
    WITH judged AS MATERIALIZED (
      SELECT change.token, change.removes, stored.ctid AS place, change.registered_at,
        change.invalidated_before, \(Self.reason) AS reason
      FROM \(Staging.undone) AS change LEFT JOIN \(rows.table.name) AS stored
        ON stored.app = $1 AND stored.environment = $2 AND stored.token = change.token
    ), recorded AS (
      INSERT INTO \(Staging.changes) (token, place, registered_at, invalidated_at, removes)
      SELECT token, place, registered_at, invalidated_before, removes
      FROM judged WHERE reason IS NULL
    )
    SELECT reason, removes, count(*), NULL::bytea FROM judged GROUP BY reason, removes
    UNION ALL (SELECT reason, NULL, NULL, token FROM judged WHERE reason IS NOT NULL
      ORDER BY token LIMIT \(UndoAnswer.sampleLength))
    ORDER BY 4 NULLS FIRST
    """
  }

  /// Why a row is left, as `LeftRow` says it; the tests hold both together.
  private static let reason = """
    CASE WHEN stored.token IS NULL THEN '\(LeftRow.gone.rawValue)'
      WHEN stored.registered_at IS NOT DISTINCT FROM change.registered_at
        AND stored.invalidated_at IS NOT DISTINCT FROM change.invalidated_at THEN NULL
      WHEN stored.invalidated_at IS NULL THEN '\(LeftRow.revived.rawValue)'
      WHEN stored.registered_at IS DISTINCT FROM change.registered_at THEN '\(LeftRow.registeredSince.rawValue)'
      ELSE '\(LeftRow.diedLater.rawValue)' END
    """
}
