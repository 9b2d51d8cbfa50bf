import Basics

/// What a batch inserts, by the numbers of its tokens, and which of the rows that were found it changes. Both are in
/// the order of the tokens.
struct BatchChanges {
  var inserted: [Int] = []
  var written: [FoundRow] = []
  var outcomes: [ReplayOutcome] = []

  /// Visits all of them in the order of their tokens.
  func visit(
    inserted visitInserted: (Int) throws -> Void,
    written visitWritten: (FoundRow, ReplayOutcome) throws -> Void
  ) throws {
    var next = 0
    func visitRest(before token: Int) throws {
      while next < written.count, written[next].token < token {
        try visitWritten(written[next], outcomes[next])
        next += 1
      }
    }
    for token in inserted {
      try visitRest(before: token)
      try visitInserted(token)
    }
    try visitRest(before: .max)
  }
}

/// Records what a replay changed, batch by batch.
final class ChangeRecording {
  let replay: Int
  private let journal: Journal
  private var written = 0
  private var packer = RowChangePacker()

  /// - Parameter replay: the replay's number in the journal.
  init(_ replay: Int, in journal: Journal) {
    (self.replay, self.journal) = (replay, journal)
  }

  /// Records the rows that were inserted, written or removed.
  /// - Parameter found: the rows as they were.
  func add(_ changed: BatchChanges, _ found: FoundRows, of batch: TokenBatch, _ rows: OwnedRows) throws {
    let now = try rowsNow(changed, of: batch, rows)
    try changed.visit { token in
      if packer.rows.count >= Self.waiting { try send() }
      try addInserted(token, now, of: batch, rows.table)
    } written: { row, outcome in
      if packer.rows.count >= Self.waiting { try send() }
      try addWritten(row, outcome, found, now, of: batch, rows.table)
    }
    try send()
  }

  /// How many rows of packed changes are written together.
  private static let waiting = 1024

  private func send() throws {
    let packed = packer.take()
    try journal.add(packed, to: replay, first: written)
    written += packed.count
  }

  /// The rows of the changed tokens after the change: triggers and column types may alter values. Nil for
  /// `device_tokens`, which stores values unaltered and whose key is the token, and if the result is known without
  /// reading.
  private func rowsNow(_ changes: BatchChanges, of batch: TokenBatch, _ rows: OwnedRows) throws -> RowsNow? {
    if rows.table.mapping.isDeviceTokens { return nil }
    if case .removal = rows.table.invalidation { return nil }
    // Without triggers, the new value of a written row is known.
    let changed =
      rows.keepsInvalidations
      ? changes.inserted : Set(changes.inserted).union(changes.written.map(\.token)).sorted()
    if changed.isEmpty { return nil }
    var tokens = TokenBatch(mostTokens: changed.count)
    for token in changed { tokens.append(batch.token(token).span.bytes, StoreTime(seconds: 0)) }
    tokens.order()
    return RowsNow(found: try rows.find(tokens), tokens: changed)
  }

  /// Rows by the tokens of a batch.
  private struct RowsNow {
    let found: FoundRows
    /// The batch's numbers of the tokens that were looked for, ascending.
    let tokens: [Int]

    func rows(of token: Int) -> ArraySlice<FoundRow> {
      let first = found.rows.partitioningIndex { tokens[$0.token] >= token }
      return found.rows[first...].prefix { tokens[$0.token] == token }
    }
  }

  private func addInserted(_ token: Int, _ now: RowsNow?, of batch: TokenBatch, _ table: MappedTable) throws {
    let bytes = batch.bytes.span.bytes.extracting(batch.range(of: token))
    var change = RowChange(outcome: .inserted, token: 0..<0)
    change.invalidatedAt = batch.time(token).seconds
    change.origin = batch.origin(token)
    guard let now else {
      return try table.invalidationValue(at: batch.time(token)).withField {
        packer.add(change, token: bytes, fields: [.null, .null, $0], whole: [])
      }
    }
    for row in now.rows(of: token) {
      try now.found.withFields(row) { fields in
        let values = [fields[MappedTable.Field.registered], .null, fields[MappedTable.Field.invalidation]]
        packer.add(change, token: bytes, fields: values + (try table.key(fields)), whole: [])
      }
    }
  }

  private func addWritten(
    _ row: FoundRow, _ outcome: ReplayOutcome, _ found: FoundRows, _ now: RowsNow?, of batch: TokenBatch,
    _ table: MappedTable
  ) throws {
    let bytes = batch.bytes.span.bytes.extracting(batch.range(of: row.token))
    var change = RowChange(outcome: outcome, token: 0..<0)
    (change.registered, change.invalidatedBefore) = (
      row.state.registered?.seconds, row.state.invalidatedAt?.seconds
    )
    change.invalidatedAt = batch.time(row.token).seconds
    change.origin = batch.origin(row.token)
    try found.withFields(row) { before in
      let key = try table.key(before)
      let whole = table.invalidationColumn == nil ? before.dropFirst(table.wholeIndex) : []
      func add(_ registered: SQLField, _ after: SQLField) {
        let values = [registered, before[MappedTable.Field.invalidation], after]
        packer.add(change, token: bytes, fields: values + key, whole: whole)
      }
      if let now {
        let packedKey = PackedFields.packed(key)
        let same = now.rows(of: row.token).first { row in
          now.found.withFields(row) { PackedFields.packed(table.keyFields($0)) } == packedKey
        }
        if let same {
          return now.found.withFields(same) {
            add($0[MappedTable.Field.registered], $0[MappedTable.Field.invalidation])
          }
        }
      }
      try table.invalidationValue(at: batch.time(row.token)).withField {
        add(before[MappedTable.Field.registered], $0)
      }
    }
  }
}

extension MappedTable {
  /// The index of the first field of `SQLSession.wholeRow`.
  fileprivate var wholeIndex: Int { Field.locator + description.locator.count + description.key.count }

  func keyFields(_ fields: [SQLField]) -> ArraySlice<SQLField> {
    let start = Field.locator + description.locator.count
    return fields[start..<start + description.key.count]
  }

  /// The key among the fields of a row; empty for `device_tokens`, whose rows are identified by their tokens.
  /// - Throws: `StoreFault.refused` if a part of it is null, which SQLite allows.
  func key(_ fields: [SQLField]) throws -> ArraySlice<SQLField> {
    if mapping.isDeviceTokens { return [] }
    let key = keyFields(fields)
    if key.contains(where: \.isNull) {
      throw StoreFault.refused(.nullKey(of: shownName))
    }
    return key
  }
}

extension OwnedRows {
  /// Whether the column stores an invalidation unaltered.
  fileprivate var keepsInvalidations: Bool {
    guard !table.description.hasTriggers, let column = table.invalidationColumn,
      let value = try? table.invalidationValue(at: StoreTime(seconds: Int64(Int32.max)))
    else { return false }
    return session.keeps(value, in: column)
  }
}

extension Journal {
  /// Visits the rows of packed changes of a replay of `table`, in their order.
  /// - Parameter body: returns how many changes it received.
  /// - Throws: `StoreFault.unreadableRows`, also if there are not all changes that the replay made.
  func changes(
    of record: JournalRecord, in table: MappedTable, _ body: (PackedChanges) throws -> Int
  ) throws {
    var count = 0
    try packedChanges(of: record.id) { count += try body($0) }
    // A trigger may have added rows, or removed some.
    guard record.undoes == nil, count != record.rows,
      table.mapping.isDeviceTokens || !table.description.hasTriggers
    else { return }
    throw StoreFault.unreadableRows(
      1,
      first: .inRow(
        .rowKey("replay", String(record.id)), of: "apnsift_changes",
        "\(Count.of(count, "change")), expected \(record.rows), the changed_rows of the replay in "
          + "apnsift_replays"))
  }
}
