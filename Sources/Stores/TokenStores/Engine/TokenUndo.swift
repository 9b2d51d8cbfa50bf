import Basics

/// Restores the rows of a replay that did not change since, inside a transaction.
struct TokenUndo {
  let rows: OwnedRows
  let record: JournalRecord
  let batchSize: Int

  private var table: MappedTable { rows.table }

  /// - Parameter isPreview: whether to count what would be restored, and change nothing.
  /// - Throws: `StoreFault.notUndoable`.
  func run(from journal: Journal, isPreview: Bool = false) throws -> UndoAnswer {
    if record.undoes != nil { throw StoreFault.notUndoable(record.id, "it is an undo itself") }
    if let undo = record.undoneBy {
      throw StoreFault.notUndoable(record.id, "it was undone already, by \(undo)")
    }
    var answer = UndoAnswer()
    try forEachBatch(of: journal, isLocked: !isPreview) { batch in
      for (change, verdict) in zip(batch.changes.changes, batch.verdicts) {
        if case .left(let reason, _) = verdict {
          answer.leave(Array(batch.changes.token(change)), reason)
        } else if isPreview {
          answer.restored += 1
        }
      }
      if !isPreview { answer.restored += try restore(batch) }
    }
    return answer
  }

  /// Whether the replay was done, as its rows show; nil if all of them changed since.
  func wasDone(by journal: Journal) throws -> Bool? {
    var (isAfter, isBefore) = (false, false)
    try forEachBatch(of: journal, isLocked: false) { batch in
      for verdict in batch.verdicts {
        switch verdict {
        case .restores: isAfter = true
        case .left(_, let before): isBefore = isBefore || before
        }
      }
    }
    return isAfter ? true : isBefore ? false : nil
  }

  // MARK: - Judging

  private enum Verdict {
    /// The row did not change since the replay; nil if the replay removed it.
    case restores(FoundRow?)
    /// - Parameter isBefore: whether the row is in its state before the replay.
    case left(SkippedRow, isBefore: Bool)
  }

  /// Changes, the present rows of their tokens, and a verdict for each change.
  private struct JudgedBatch {
    var changes: RowChanges
    var found: FoundRows
    var verdicts: [Verdict]
  }

  private func forEachBatch(of journal: Journal, isLocked: Bool, _ body: (JudgedBatch) throws -> Void) throws
  {
    var changes = RowChanges()
    func judge() throws {
      if changes.changes.isEmpty { return }
      try body(try judged(changes, isLocked: isLocked))
      changes = RowChanges()
    }
    try journal.changes(of: record, in: table) { packed in
      let count = changes.changes.count
      try changes.add(packed)
      let added = changes.changes.count - count
      if changes.changes.count >= batchSize || changes.bytes.count >= TokenBatch.mostBytes { try judge() }
      return added
    }
    try judge()
  }

  private func judged(_ changes: RowChanges, isLocked: Bool) throws -> JudgedBatch {
    var batch = TokenBatch(mostTokens: .max)
    // Here the seconds of a token's time are the number of its change.
    for (number, change) in changes.changes.enumerated() {
      batch.append(changes.token(change).span.bytes, StoreTime(seconds: Int64(number)))
    }
    batch.order()
    let found = isLocked ? try rows.findToChange(batch) : try rows.find(batch)
    var verdicts = [Verdict](repeating: .left(.gone, isBefore: false), count: changes.changes.count)
    var next = 0
    var stored: ArraySlice<FoundRow> = []
    for token in 0..<batch.count {
      if !batch.isRepeated(token) {
        stored = found.rows(of: token, &next)
      }
      let number = Int(batch.time(token).seconds)
      verdicts[number] = try verdict(changes.changes[number], of: changes, stored, found)
    }
    return JudgedBatch(changes: changes, found: found, verdicts: verdicts)
  }

  private func verdict(
    _ change: RowChange, of changes: RowChanges, _ stored: ArraySlice<FoundRow>, _ found: FoundRows
  ) throws -> Verdict {
    try changes.with(change.fields) { fields in
      let key = fields.dropFirst(3)
      if table.invalidationColumn == nil {
        // A removed row is skipped if its key, or its token, has a row again.
        let isThere = try exists(key)
        return isThere || !stored.isEmpty ? .left(.back, isBefore: isThere) : .restores(nil)
      }
      guard let row = try stored.first(where: { try isRow($0, of: found, key) }) else {
        return .left(.gone, isBefore: change.outcome == .inserted)
      }
      return found.withFields(row) { now in
        let isRegistered = isSame(now.registered, fields[0])
        let isDead = isSame(now.invalidation, fields[2])
        if isRegistered, isDead { return .restores(row) }
        let isBefore = change.outcome != .inserted && isSame(now.invalidation, fields[1])
        let reason: SkippedRow = !row.state.isDead ? .revived : isDead ? .registeredSince : .invalidatedSince
        return .left(reason, isBefore: isBefore)
      }
    }
  }

  private func isRow(_ row: FoundRow, of found: FoundRows, _ key: ArraySlice<SQLField>) throws -> Bool {
    try found.withFields(row) { PackedFields.packed(try table.checked($0.key)) == PackedFields.packed(key) }
  }

  private func isSame(_ field: SQLField, _ other: SQLField) -> Bool {
    PackedFields.packed([field]) == PackedFields.packed([other])
  }

  /// Whether there is a row of that key, of any owner.
  private func exists(_ key: ArraySlice<SQLField>) throws -> Bool {
    let session = rows.session
    guard key.count == table.key.count else {
      throw StoreFault.refused(.columnsDiffer(from: table.shownName))
    }
    let conditions = zip(table.key, 1...).map {
      session.isEqual($0, session.dialect.parameter($1))
    }
    var isThere = false
    try session.visit(
      "SELECT 1 FROM \(table.name) AS t WHERE \(conditions.joined(separator: " AND "))", key.map(\.value),
      [.integer]
    ) { _ in isThere = true }
    return isThere
  }

  // MARK: - Restoring

  /// Returns how many rows it restored.
  private func restore(_ batch: JudgedBatch) throws -> Int {
    let changes = batch.changes
    var updated: [FoundRow] = []
    /// By the offset of the row's fields.
    var before: [Int: SQLValue] = [:]
    var removed: [FoundRow] = []
    var whole = 0
    for (change, verdict) in zip(changes.changes, batch.verdicts) {
      guard case .restores(let row) = verdict else { continue }
      guard let row else {
        try changes.with(change.whole) {
          try rows.session.restore($0, to: table.description, of: table.mapping)
        }
        whole += 1
        continue
      }
      guard change.outcome != .inserted else {
        removed.append(row)
        continue
      }
      updated.append(row)
      before[row.fields.lowerBound] = changes.with(change.fields) { $0[1].value }
    }
    let columns = table.invalidationColumn.map { [$0] } ?? []
    try rows.change(updated, of: batch.found, set: columns) { row, _ in before[row.fields.lowerBound] ?? .null
    }
    // Runs no DELETE without such rows: a role that never inserts may lack that privilege.
    try rows.change(removed, of: batch.found, set: []) { _, _ in .null }
    return updated.count + removed.count + whole
  }
}
