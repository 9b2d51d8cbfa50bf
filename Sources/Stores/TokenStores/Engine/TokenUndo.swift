import Basics

/// Restores the rows of a replay that did not change since, inside a transaction.
struct TokenUndo {
  let rows: OwnedRows
  let record: JournalRecord
  let batchSize: Int

  private var table: MappedTable { rows.table }

  /// - Throws: `StoreError.notUndoable`, and `.refused` if a trigger keeps rows from being as they were.
  func run(from journal: Journal) throws -> UndoAnswer {
    if record.undoes != nil { throw StoreError.notUndoable(record.id, "it is an undo itself") }
    if let undo = record.undoneBy {
      throw StoreError.notUndoable(record.id, "it was undone already, by \(undo)")
    }
    let later = try journal.standing(after: record).filter(mayShareRows)
    var answer = UndoAnswer()
    try forEachBatch(of: journal, isLocked: true) { batch in
      for replay in later { try checkOrder(batch.tokens, replay, journal) }
      let restored = batch.verdicts.indices.filter { batch.verdicts[$0].restores }
      try restore(restored[...], of: &batch)
      try checkRestored(batch)
      for (change, verdict) in zip(batch.changes.changes, batch.verdicts) {
        if case .left(let reason, _) = verdict {
          answer.leave(Array(batch.changes.token(change)), reason)
        } else {
          answer.restored += 1
        }
      }
      answer.dropped.formUnion(batch.dropped)
    }
    return answer
  }

  /// Whether the replay was done, as its rows show; nil if all of them changed since.
  func wasDone(by journal: Journal) throws -> Bool? {
    var (isAfter, isBefore) = (false, false)
    try forEachBatch(of: journal) { batch in
      isAfter = isAfter || batch.verdicts.contains(where: \.restores)
      isBefore = isBefore || batch.verdicts.contains(where: \.isBefore)
    }
    return isAfter ? true : isBefore ? false : nil
  }

  /// Whether another replay may have changed the same rows: those of an owner, or all without columns of owners.
  private func mayShareRows(_ other: JournalRecord) -> Bool {
    other.entry.mapping == record.entry.mapping && (table.app == nil || other.owner.app == record.owner.app)
      && (table.environment == nil || other.owner.environment == record.owner.environment)
  }

  /// - Throws: `StoreError.notUndoable` if a later replay changed rows of these tokens, and its undo would restore them.
  private func checkOrder(_ tokens: TokenBatch, _ later: JournalRecord, _ journal: Journal) throws {
    let undo = TokenUndo(rows: rows, record: later, batchSize: batchSize)
    try undo.forEachBatch(of: journal, within: tokens) { batch in
      guard batch.verdicts.contains(where: \.restores) else { return }
      throw StoreError.notUndoable(
        record.id,
        "replay \(later.id) changed rows of the same tokens later; undo replay \(later.id) first; "
          + "nothing was changed")
    }
  }

  // MARK: - Judging

  private func forEachBatch(
    of journal: Journal, within tokens: TokenBatch? = nil, isLocked: Bool = false,
    _ body: (inout UndoBatch) throws -> Void
  ) throws {
    try journal.changes(of: record, in: table, batchSize: batchSize) { changes in
      var batch = try judged(changes, within: tokens, isLocked: isLocked)
      try body(&batch)
    }
  }

  /// - Parameter tokens: changes of other tokens are not judged; nil for all.
  private func judged(_ changes: RowChanges, within tokens: TokenBatch?, isLocked: Bool) throws -> UndoBatch {
    let gone = UndoVerdict.left(.gone, isBefore: false)
    var batch = UndoBatch(changes: changes, verdicts: Array(repeating: gone, count: changes.changes.count))
    for token in changes.changes.lazy.map(changes.token)
    where tokens?.number(of: token.span.bytes) != nil || tokens == nil {
      batch.tokens.append(token.span.bytes, StoreTime(seconds: 0))
    }
    batch.tokens.order()
    batch.found = isLocked ? try rows.findToChange(batch.tokens) : try rows.find(batch.tokens)
    for (number, change) in changes.changes.enumerated() {
      guard let token = batch.tokens.number(of: changes.token(change).span.bytes) else { continue }
      batch.verdicts[number] = verdict(change, of: changes, batch.found.rows(of: token), batch.found)
    }
    return batch
  }

  private func verdict(
    _ change: RowChange, of changes: RowChanges, _ stored: ArraySlice<FoundRow>, _ found: FoundRows
  ) -> UndoVerdict {
    changes.with(change.fields) { fields in
      let fields = ChangeFields(fields, written: table.writtenRead.count)
      let isRemoved = table.written.isEmpty
      if isRemoved, stored.isEmpty { return .restores(nil) }
      guard let row = found.rows(stored, withKey: fields.key).first else {
        return .left(isRemoved ? .back : .gone, isBefore: change.outcome == .inserted)
      }
      return found.withFields(row) { now in
        let isRegistered = now.registered.isSame(as: fields.registered)
        let isDead = now.written.elementsEqual(fields.after) { $0.isSame(as: $1) }
        if isRegistered, isDead, !isRemoved { return .restores(row) }
        let isBefore =
          change.outcome != .inserted && isRegistered
          && now.written.elementsEqual(fields.before) { $0.isSame(as: $1) }
        let reason: SkippedRow =
          isRemoved ? .back : !row.state.isDead ? .revived : isDead ? .registeredSince : .invalidatedSince
        return .left(reason, isBefore: isBefore)
      }
    }
  }

  // MARK: - Restoring

  /// Restores rows, by the numbers of their changes. If a unique index refuses one, each half is tried alone: it is
  /// skipped, and the others are restored.
  private func restore(_ numbers: ArraySlice<Int>, of batch: inout UndoBatch) throws {
    guard let first = numbers.first else { return }
    if try rows.session.attempt({ try write(numbers, of: &batch) }) { return }
    if numbers.count == 1 {
      batch.verdicts[first] = .left(.back, isBefore: false)
    } else {
      let middle = numbers.startIndex + numbers.count / 2
      try restore(numbers[..<middle], of: &batch)
      try restore(numbers[middle...], of: &batch)
    }
  }

  private func write(_ numbers: ArraySlice<Int>, of batch: inout UndoBatch) throws {
    let changes = batch.changes
    var updated: [FoundRow] = []
    /// By the offset of the row's fields.
    var before: [Int: [SQLValue]] = [:]
    var removed: [FoundRow] = []
    for number in numbers {
      let change = changes.changes[number]
      guard case .restores(let row) = batch.verdicts[number] else { continue }
      if let row, change.outcome == .inserted {
        removed.append(row)
      } else if let row {
        updated.append(row)
        before[row.fields.lowerBound] = changes.with(change.fields) {
          ChangeFields($0, written: table.writtenRead.count).before.map(\.value)
        }
      } else {
        let dropped = try changes.with(change.whole) {
          try rows.session.restore($0, to: table.description, of: table.mapping)
        }
        batch.dropped.formUnion(dropped)
      }
    }
    try rows.change(updated, of: batch.found, set: table.written.map(\.column)) { row, index in
      before[row.fields.lowerBound]?[index] ?? .null
    }
    // Runs no DELETE without such rows: a role that never inserts may lack that privilege.
    try rows.change(removed, of: batch.found, set: []) { _, _ in .null }
  }

  /// - Throws: `StoreError.refused` if a trigger keeps a restored row from being as it was.
  private func checkRestored(_ batch: UndoBatch) throws {
    guard table.description.hasTriggers else { return }
    let now = try judged(batch.changes, within: batch.tokens, isLocked: false)
    for (number, change) in batch.changes.changes.enumerated() {
      guard batch.verdicts[number].restores, change.outcome != .inserted else { continue }
      if now.verdicts[number].isBefore { continue }
      let columns = [table.registered?.column].compactMap { $0?.name } + table.mapping.written
      throw table.triggerError(columns.joined(separator: " or "), of: batch.changes.token(change))
    }
  }
}

private enum UndoVerdict {
  /// It did not change since the replay; nil if the replay removed it.
  case restores(FoundRow?)
  /// - Parameter isBefore: whether the row is in its state before the replay.
  case left(SkippedRow, isBefore: Bool)

  var restores: Bool { if case .restores = self { true } else { false } }
  var isBefore: Bool { if case .left(_, isBefore: true) = self { true } else { false } }
}

/// Changes, the present rows of their tokens, and a verdict for each change.
private struct UndoBatch {
  let changes: RowChanges
  var tokens = TokenBatch(mostTokens: .max)
  var found = FoundRows(of: nil)
  var verdicts: [UndoVerdict]
  /// Columns of restored rows that the table has no more.
  var dropped: Set<String> = []
}
