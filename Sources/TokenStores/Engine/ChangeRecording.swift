/// Records what a replay changed, batch by batch.
final class ChangeRecording {
  let replay: Int
  private let journal: Journal
  private var written = 0
  private var packer = RowChangePacker()

  /// - Parameter replay: its number in the journal.
  init(_ replay: Int, in journal: Journal) {
    (self.replay, self.journal) = (replay, journal)
  }

  /// Records the rows that were inserted, and those that were written or removed with their outcomes.
  /// - Parameters:
  ///   - inserted: numbers of tokens of the batch.
  ///   - found: the rows as they were.
  func add(
    _ inserted: [Int], _ written: [FoundRow], _ outcomes: [ReplayOutcome], _ found: FoundRows,
    of batch: TokenBatch, _ rows: OwnedRows
  ) throws {
    let now = try rowsNow(inserted, written, of: batch, rows)
    var next = 0
    func addRest(before token: Int) throws {
      while next < written.count, written[next].token < token {
        if packer.rows.count >= Self.waiting { try send() }
        try addWritten(written[next], outcomes[next], found, now, of: batch, rows.table)
        next += 1
      }
    }
    for token in inserted {
      if packer.rows.count >= Self.waiting { try send() }
      try addRest(before: token)
      try addInserted(token, now, of: batch, rows.table)
    }
    try addRest(before: .max)
    try send()
  }

  /// Rows of packed changes that wait to be written together.
  private static let waiting = 1024

  private func send() throws {
    let packed = packer.take()
    try journal.add(packed, to: replay, first: written)
    written += packed.count
  }

  /// The rows of the changed tokens as they are now, by triggers and by what columns make of values; nil for
  /// `device_tokens`, which takes values as they are and whose key is the token, and where that is known otherwise.
  private func rowsNow(
    _ inserted: [Int], _ written: [FoundRow], of batch: TokenBatch, _ rows: OwnedRows
  ) throws -> RowsNow? {
    if rows.table.mapping.isDeviceTokens { return nil }
    if case .removal = rows.table.death { return nil }
    // Of a row that was written in a table without triggers, it is known what it is now.
    let changed =
      rows.keepsDeaths ? inserted : Set(inserted).union(written.map(\.token)).sorted()
    if changed.isEmpty { return nil }
    var tokens = TokenBatch(mostTokens: changed.count)
    for token in changed { tokens.append(batch.token(token).span.bytes, 0) }
    tokens.order()
    return RowsNow(try rows.find(tokens), tokens: changed)
  }

  /// Rows by the tokens of a batch, which are asked for in their order.
  private final class RowsNow {
    let found: FoundRows
    private let tokens: [Int]
    private var next = 0
    private var row = 0
    private var last: (token: Int, rows: ArraySlice<FoundRow>) = (-1, [])

    init(_ found: FoundRows, tokens: [Int]) {
      (self.found, self.tokens) = (found, tokens)
    }

    func rows(of token: Int) -> ArraySlice<FoundRow> {
      if last.token == token { return last.rows }
      while next < tokens.count, tokens[next] < token { next += 1 }
      guard next < tokens.count, tokens[next] == token else { return [] }
      while row < found.rows.count, found.rows[row].token < next { row += 1 }
      let first = row
      while row < found.rows.count, found.rows[row].token == next { row += 1 }
      last = (token, found.rows[first..<row])
      return last.rows
    }
  }

  private func addInserted(_ token: Int, _ now: RowsNow?, of batch: TokenBatch, _ table: MappedTable) throws {
    let bytes = batch.bytes.span.bytes.extracting(batch.range(of: token))
    var change = RowChange(outcome: .inserted, token: 0..<0)
    change.died = Int64(batch.times[token])
    change.origin = batch.origin(token)
    guard let now else {
      return try table.deathValue(at: batch.times[token]).withField {
        packer.add(change, token: bytes, fields: [.null, .null, $0], whole: [])
      }
    }
    for row in now.rows(of: token) {
      try now.found.withFields(row) { fields in
        let values = [fields[MappedTable.Field.registered], .null, fields[MappedTable.Field.death]]
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
    (change.registered, change.diedBefore) = (row.state.registered, row.state.died)
    change.died = Int64(batch.times[row.token])
    change.origin = batch.origin(row.token)
    try found.withFields(row) { before in
      let key = try table.key(before)
      let whole = table.deathColumn == nil ? before.dropFirst(table.wholeIndex) : []
      func add(_ registered: SQLField, _ after: SQLField) {
        let values = [registered, before[MappedTable.Field.death], after]
        packer.add(change, token: bytes, fields: values + key, whole: whole)
      }
      if let now,
        let same = now.rows(of: row.token).first(where: { now.found.hasKey($0, of: row, in: found, table) })
      {
        return now.found.withFields(same) {
          add($0[MappedTable.Field.registered], $0[MappedTable.Field.death])
        }
      }
      try table.deathValue(at: batch.times[row.token]).withField {
        add(before[MappedTable.Field.registered], $0)
      }
    }
  }
}

extension MappedTable {
  /// The index at which all of a row begins among its fields.
  fileprivate var wholeIndex: Int { Field.place + description.place.count + description.key.count }

  func keyFields(_ fields: [SQLField]) -> ArraySlice<SQLField> {
    let start = Field.place + description.place.count
    return fields[start..<start + description.key.count]
  }

  /// The key among the fields of a row; empty for `device_tokens`, whose rows are known by their tokens.
  /// - Throws: `StoreFault.refused` where a part of it is null, as SQLite lets it be.
  func key(_ fields: [SQLField]) throws -> ArraySlice<SQLField> {
    if mapping.isDeviceTokens { return [] }
    let key = keyFields(fields)
    if key.contains(where: \.isNull) {
      throw StoreFault.refused(
        detail: "the primary key of a row of \(shownName) is null, and an undo would not find it; "
          + "--no-journal goes without")
    }
    return key
  }
}

extension OwnedRows {
  /// Whether a death is in its column just as it was written.
  fileprivate var keepsDeaths: Bool {
    guard !table.description.hasTriggers, let column = table.deathColumn,
      let value = try? table.deathValue(at: UInt32(Int32.max))
    else { return false }
    return session.keeps(value, in: column)
  }
}

extension FoundRows {
  /// Whether a row has the same key as one that was found otherwise.
  fileprivate func hasKey(_ row: FoundRow, of other: FoundRow, in found: FoundRows, _ table: MappedTable)
    -> Bool
  {
    withPackedKey(row, table) { key in
      found.withPackedKey(other, table) {
        key.count == $0.count && key.elementsEqual($0)
      }
    }
  }

  func hasKey(_ row: FoundRow, _ key: ArraySlice<SQLField>, _ table: MappedTable) throws -> Bool {
    try withFields(row) { fields in
      PackedFields.packed(try table.key(fields)) == PackedFields.packed(key)
    }
  }
}
