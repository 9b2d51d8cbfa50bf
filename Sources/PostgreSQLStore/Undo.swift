import TokenStores

/// Restores the rows of a replay that are as it left them, in a transaction that holds the owner's lock.
///
/// As a replay does (docs/decisions/0020): one snapshot judges which rows those are, and each is written only if it
/// still is what was judged.
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
    try Staging.makeChanges(on: connection)
    var answer = try rows.inRounds { try attempt() }
    answer.id = id
    var counts = ReplayCounts()
    counts.updated = answer.restored
    try journal.finish(id, counts)
    return answer
  }

  /// One round; nil where a row that was judged had changed before it was restored.
  private func attempt() throws -> UndoAnswer? {
    let judged = try connection.run(statement, with: rows.key + [.integer(record.id)])
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
    if updated > 0, try rows.update() != updated { return nil }
    if removed > 0, try rows.remove() != removed { return nil }
    return answer
  }

  /// Judges each row of the replay `$3`, and records what is to be restored. Returns rows of why they are left (null
  /// where they are not), whether they are removed, and their number; then rows of a reason, nulls and a token.
  private var statement: String {
    """
    WITH judged AS MATERIALIZED (
      SELECT change.token, change.outcome = 'inserted' AS removes, stored.ctid AS place, change.registered_at,
        change.invalidated_before, change.invalidated_at, \(Self.reason) AS reason
      FROM \(journal.changes) AS change LEFT JOIN \(rows.table.name) AS stored
        ON stored.app = $1 AND stored.environment = $2 AND stored.token = change.token
      WHERE change.replay = $3
    ), recorded AS (
      INSERT INTO \(Staging.changes)
      SELECT token, place, registered_at, invalidated_at, registered_at, invalidated_before, removes
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
