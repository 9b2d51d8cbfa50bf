import Basics

/// A row that a batch inserts or changes. A batch has them in the order of its tokens: there may be a million.
struct BatchChange {
  /// The number of its token.
  var token: Int
  /// Its index among the rows that were found; nil if it is inserted.
  var row: Int?
  var outcome: ReplayOutcome
}

/// Records what a replay changed, batch by batch.
final class ChangeRecording {
  let replay: Int
  private let journal: Journal
  /// How many rows of packed changes it has.
  private(set) var written: Int
  @exclusivity(unchecked) private var packer = RowChangePacker()

  /// - Parameters:
  ///   - replay: the replay's number in the journal.
  ///   - written: its rows of packed changes so far.
  init(_ replay: Int, in journal: Journal, after written: Int = 0) {
    (self.replay, self.journal, self.written) = (replay, journal, written)
  }

  /// Records the rows that were inserted, written or removed.
  /// - Parameters:
  ///   - found: the rows as they were.
  ///   - now: those that may differ from what was written.
  func add(
    _ changes: [BatchChange], _ found: FoundRows, _ now: FoundRows?, of batch: TokenBatch,
    _ table: MappedTable
  ) throws {
    let count = table.writtenRead.count
    let nulls = Array(repeating: SQLField.null, count: count)
    // Those of `ChangeFields` without a key. Only the values after the change differ from row to row.
    let fields = RowBuffer(count: 1 + 2 * count)
    func setWritten(_ time: StoreTime) throws {
      for index in table.written.indices {
        fields.set(1 + count + index, copying: try table.invalidationValue(at: time, index))
      }
    }
    for change in changes {
      if let row = found.row(of: change) {
        try found.withFields(row) { before in
          let key = try table.checked(before.key)
          if let now, let same = now.rows(now.rows(of: row.token), withKey: key).first {
            return try now.withFields(same) { after in
              let fields = [after.registered] + before.written + after.written + key
              try add(change, row.state, fields, of: batch)
            }
          }
          try setWritten(batch.time(row.token))
          try fields.lend {
            let fields = [before.registered] + before.written + $0.suffix(count) + key
            try add(change, row.state, fields, whole: before.more, of: batch)
          }
        }
      } else if let now {
        // Not one of a device that another program registered meanwhile.
        for row in now.rows(of: change.token) where row.state.isDead {
          try now.withFields(row) { fields in
            let key = try table.checked(fields.key)
            try add(change, nil, [fields.registered] + nulls + fields.written + key, of: batch)
          }
        }
      } else {
        try setWritten(batch.time(change.token))
        try fields.lend { try add(change, nil, $0, of: batch) }
      }
    }
    try send()
  }

  @inline(__always)
  private func add(
    _ change: BatchChange, _ before: RowState?, _ fields: some Sequence<SQLField>,
    whole: ArraySlice<SQLField> = [], of batch: TokenBatch
  ) throws {
    if packer.rows.count >= Self.waiting { try send() }
    assert((change.row == nil) == (change.outcome == .inserted), "only new rows have no state before")
    let token = change.token
    let packed = RowChange(
      outcome: change.outcome, registered: before?.registered?.seconds,
      invalidatedBefore: before?.invalidatedAt?.seconds, invalidatedAt: batch.time(token).seconds,
      origin: batch.origin(token))
    let bytes = batch.bytes.span.bytes.extracting(batch.range(of: token))
    packer.add(packed, token: bytes, fields: fields, whole: whole)
  }

  /// How many rows of packed changes are written together.
  private static let waiting = 1024

  private func send() throws {
    let packed = packer.take()
    try journal.reporting { try journal.add(packed, to: replay, first: written) }
    written += packed.count
    assert(packer.rows.isEmpty, "no change is recorded after a later one")
  }
}

extension OwnedRows {
  /// The rows of the changed tokens after the change, if they need to be known: triggers and column types may alter
  /// values, and the database gives an inserted row its key.
  /// - Parameter found: the rows as they were.
  /// - Throws: `StoreError.refused` if a trigger changed the registration or the key of a written row: the rule would
  ///   take the device for registered since, and an undo would not find the row; or if it undid the invalidation.
  func rowsNow(
    _ changes: [BatchChange], _ found: FoundRows, of batch: TokenBatch, isRecorded: Bool
  ) throws -> FoundRows? {
    guard table.mayChangeMore || isRecorded && !table.key.isEmpty else { return nil }
    // Without triggers, the new value of a written row is known.
    let read = keepsInvalidations ? changes.filter { $0.row == nil } : changes
    let changed = read.reduce(into: [Int]()) { if $0.last != $1.token { $0.append($1.token) } }
    if changed.isEmpty { return nil }
    var now = try find(batch.part(changed))
    now.renumber(changed)
    let isKeyWritten = table.key.contains { table.mapping.written.contains($0.name) }
    for change in read {
      guard let column = undoneColumn(of: change, found, now, isKeyWritten: isKeyWritten) else { continue }
      throw table.triggerError(column, of: batch.token(change.token))
    }
    return now
  }

  /// What a trigger changed of a row; nil if the row is as the replay left it.
  private func undoneColumn(
    of change: BatchChange, _ found: FoundRows, _ now: FoundRows, isKeyWritten: Bool
  ) -> String? {
    let stored = now.rows(of: change.token)
    let mark = table.written.first?.column.name ?? "removed rows"
    // An inserted row has no key yet that is known.
    guard let row = found.row(of: change) else { return stored.contains(where: \.state.isDead) ? nil : mark }
    return found.withFields(row) { before in
      let same = isKeyWritten ? Array(stored) : now.rows(stored, withKey: before.key)
      if table.written.isEmpty { return same.isEmpty ? nil : mark }
      let kept = same.filter { now.withFields($0) { $0.registered.isSame(as: before.registered) } }
      if kept.contains(where: \.state.isDead) { return nil }
      return same.isEmpty ? "the primary key" : kept.isEmpty ? table.registered?.column.name ?? mark : mark
    }
  }

  /// Whether written rows have the values that were written, and the others as before.
  private var keepsInvalidations: Bool {
    guard !table.mayChangeMore, !table.key.contains(where: \.isGenerated),
      let values = try? table.invalidationValues(at: StoreTime(seconds: Int64(Int32.max)))
    else { return false }
    return zip(table.written, values).allSatisfy { $0.column.keeps($1) }
  }
}

extension Journal {
  /// Visits the changes of a replay of `table` in their order, about `batchSize` together.
  /// - Throws: `StoreError.unreadableRows`, also if there are not all changes that the replay made.
  func changes(
    of record: JournalRecord, in table: MappedTable, batchSize: Int, _ body: (RowChanges) throws -> Void
  ) throws {
    var count = 0
    var changes = RowChanges()
    func visit() throws {
      if !changes.changes.isEmpty { try body(changes) }
      count += changes.changes.count
      changes = RowChanges()
    }
    try packedChanges(of: record.id) { packed, row in
      try changes.add(packed, row)
      if changes.changes.count >= batchSize || changes.bytes.count >= TokenBatch.mostBytes { try visit() }
    }
    try visit()
    if count == 0, record.rows > 0, record.undoes == nil {
      throw StoreError.notUndoable(
        record.id, "the journal does not have its changed rows (--trim-journal removes old ones)")
    }
    // A trigger may have added rows, or removed some.
    guard record.undoes == nil, count != record.rows, !table.description.hasTriggers else { return }
    try reporting {
      throw StoreError.unreadableRows(
        1,
        first: .inRow(
          "replay \(record.id)", of: "apnsift_changes",
          "\(Count.of(count, "change")), expected \(record.rows), the changed_rows of the replay in "
            + "apnsift_replays"))
    }
  }
}
