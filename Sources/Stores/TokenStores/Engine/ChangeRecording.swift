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
  /// How many rows of packed changes it has.
  private(set) var written: Int
  private var packer = RowChangePacker()

  /// - Parameters:
  ///   - replay: the replay's number in the journal.
  ///   - written: its rows of packed changes so far.
  init(_ replay: Int, in journal: Journal, after written: Int = 0) {
    (self.replay, self.journal, self.written) = (replay, journal, written)
  }

  /// Records the rows that were inserted, written or removed.
  /// - Parameter found: the rows as they were.
  func add(_ changed: BatchChanges, _ found: FoundRows, of batch: TokenBatch, _ rows: OwnedRows) throws {
    let table = rows.table
    let now = try rowsNow(changed, of: batch, rows)
    func withWritten(_ token: Int, _ body: (SQLField) throws -> Void) throws {
      try table.invalidationValue(at: batch.time(token)).withField(body)
    }
    try changed.visit { token in
      guard let now else {
        return try withWritten(token) {
          try add(RowChange(.inserted, token, of: batch), token, [.null, .null, $0], of: batch)
        }
      }
      for row in now.rows(of: token) {
        try now.found.withFields(row) { fields in
          let values = [fields.registered, .null, fields.invalidation] + (try table.checked(fields.key))
          try add(RowChange(.inserted, token, of: batch), token, values, of: batch)
        }
      }
    } written: { row, outcome in
      let change = RowChange(outcome, row.token, of: batch, before: row.state)
      try found.withFields(row) { before in
        let key = try table.checked(before.key)
        if let now, let same = now.row(of: row.token, key) {
          return try now.found.withFields(same) { after in
            let values = [after.registered, before.invalidation, after.invalidation] + key
            try add(change, row.token, values, of: batch)
          }
        }
        try withWritten(row.token) {
          let values = [before.registered, before.invalidation, $0] + key
          try add(change, row.token, values, whole: before.more, of: batch)
        }
      }
    }
    try send()
  }

  private func add(
    _ change: RowChange, _ token: Int, _ fields: [SQLField], whole: ArraySlice<SQLField> = [],
    of batch: TokenBatch
  ) throws {
    if packer.rows.count >= Self.waiting { try send() }
    let bytes = batch.bytes.span.bytes.extracting(batch.range(of: token))
    packer.add(change, token: bytes, fields: fields, whole: whole)
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
    if rows.table.key.isEmpty || rows.table.invalidationColumn == nil { return nil }
    // Without triggers, the new value of a written row is known.
    let changed =
      rows.keepsInvalidations
      ? changes.inserted : Set(changes.inserted).union(changes.written.map(\.token)).sorted()
    if changed.isEmpty { return nil }
    return RowsNow(found: try rows.find(batch.part(changed)), tokens: changed)
  }

  /// Rows by the tokens of a batch.
  private struct RowsNow {
    let found: FoundRows
    /// The batch's numbers of the tokens that were looked for, ascending.
    let tokens: [Int]

    func rows(of token: Int) -> ArraySlice<FoundRow> {
      let index = tokens.partitioningIndex { $0 >= token }
      return index < tokens.count && tokens[index] == token ? found.rows(of: index) : []
    }

    func row(of token: Int, _ key: ArraySlice<SQLField>) -> FoundRow? {
      let packed = PackedFields.packed(key)
      return rows(of: token).first { found.withFields($0) { PackedFields.packed($0.key) } == packed }
    }
  }
}

extension RowChange {
  fileprivate init(_ outcome: ReplayOutcome, _ token: Int, of batch: TokenBatch, before: RowState? = nil) {
    self.init(
      outcome: outcome, registered: before?.registered?.seconds,
      invalidatedBefore: before?.invalidatedAt?.seconds, invalidatedAt: batch.time(token).seconds,
      origin: batch.origin(token))
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
        "replay \(record.id)", of: "apnsift_changes",
        "\(Count.of(count, "change")), expected \(record.rows), the changed_rows of the replay in "
          + "apnsift_replays"))
  }
}
