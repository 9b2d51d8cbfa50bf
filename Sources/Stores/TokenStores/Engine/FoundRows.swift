import Basics

/// A row that was found: the number of its token in the batch, its state, and the range of its packed fields, without
/// the token.
struct FoundRow {
  var token: Int
  var state: RowState
  var fields: Range<Int>
}

struct RowFields {
  var registered: SQLField
  /// Of the columns that an invalidation writes; a null if it removes the row.
  var written: ArraySlice<SQLField>
  var locator: ArraySlice<SQLField>
  /// As `MappedTable.key`.
  var key: ArraySlice<SQLField>
  /// Of the further expressions that were read.
  var more: ArraySlice<SQLField>
}

/// The rows of a batch. They share one buffer: there may be a million.
struct FoundRows {
  private(set) var rows: [FoundRow] = []
  /// Whether a row has its token in another spelling than the form's own.
  private(set) var hasOtherSpellings = false
  private var packed: [UInt8] = []
  private var unreadable = UnreadableRows()
  /// The offsets of the locator, the key and the further fields of a row.
  private let starts: (locator: Int, key: Int, more: Int)

  init(of table: MappedTable?) {
    let locator = 1 + (table?.writtenRead.count ?? 1)
    let key = locator + (table?.description.locator.count ?? 0)
    starts = (locator, key, key + (table?.key.count ?? 0))
  }

  /// The row that a change is of; nil if it is inserted.
  func row(of change: BatchChange) -> FoundRow? { change.row.map { rows[$0] } }

  /// The rows of a token, for tokens in any order.
  func rows(of token: Int) -> ArraySlice<FoundRow> {
    rows[rows.partitioningIndex { $0.token >= token }...].prefix { $0.token == token }
  }

  /// The tokens that have rows whose fields are needed, ascending.
  var tokensWithFields: [Int] {
    rows.reduce(into: []) { tokens, row in
      if !row.fields.isEmpty, tokens.last != row.token { tokens.append(row.token) }
    }
  }

  /// Replaces the rows of tokens by those that were found later. Returns the tokens whose rows differ.
  /// - Parameter later: its tokens are numbered by their index in `tokens`.
  mutating func replace(_ tokens: [Int], by later: FoundRows) -> [Int] {
    if later.unreadable.error != nil { unreadable = later.unreadable }
    let changed = tokens.indices.filter { content(of: tokens[$0]) != later.content(of: $0) }
    if changed.isEmpty { return [] }
    let old = Set(changed.map { tokens[$0] })
    rows.removeAll { old.contains($0.token) }
    for index in changed {
      for row in later.rows(of: index) {
        let start = packed.count
        packed += later.packed[row.fields]
        rows.append(FoundRow(token: tokens[index], state: row.state, fields: start..<packed.count))
      }
    }
    sort()
    return old.sorted()
  }

  /// What the rows of a token have, in any order.
  private func content(of token: Int) -> [FoundState: Int] {
    rows(of: token).reduce(into: [:]) {
      $0[FoundState(fields: packed[$1.fields], state: $1.state.state), default: 0] += 1
    }
  }

  private struct FoundState: Hashable {
    var fields: ArraySlice<UInt8>
    var state: TokenState
  }

  /// The rows of a token.
  /// - Parameter next: the index of the first one, if there are any; is advanced to the next token's.
  func rows(of token: Int, _ next: inout Int) -> ArraySlice<FoundRow> {
    let first = next
    while next < rows.count, rows[next].token == token { next += 1 }
    return rows[first..<next]
  }

  /// Gives tokens other numbers, in the same order.
  mutating func renumber(_ numbers: [Int]) {
    for index in rows.indices { rows[index].token = numbers[rows[index].token] }
  }

  func rows(_ rows: ArraySlice<FoundRow>, withKey key: ArraySlice<SQLField>) -> [FoundRow] {
    let packed = PackedFields.packed(key)
    return rows.filter { withFields($0) { PackedFields.packed($0.key) } == packed }
  }

  /// - Parameter needsFields: whether the fields of a row are needed later, by its token and state.
  mutating func add(
    _ token: Int, _ fields: SQLFields, _ table: MappedTable, _ needsFields: (Int, RowState) -> Bool
  ) throws {
    let state: RowState
    do throws(StoreError) { state = try table.state(fields[1], fields[2]) } catch {
      return try unreadable.add(error, in: table.rowName(fields[0]), of: table.mapping.name)
    }
    if !hasOtherSpellings, table.isOtherSpelling(fields[0]) { hasOtherSpellings = true }
    let start = packed.count
    if needsFields(token, state) {
      for index in 1..<fields.count { PackedFields.append(fields[index], to: &packed) }
    }
    rows.append(FoundRow(token: token, state: state, fields: start..<packed.count))
  }

  mutating func sort() {
    let isSorted = rows.indices.dropFirst().allSatisfy { rows[$0 - 1].token <= rows[$0].token }
    if !isSorted { rows.sort(byNumber: \.token, below: rows.reduce(0) { max($0, $1.token + 1) }) }
  }

  func withFields<Result>(_ row: FoundRow, _ body: (RowFields) throws -> Result) rethrows -> Result {
    try packed.withUnsafeBytes { bytes in
      let fields = PackedFields.fields(of: UnsafeRawBufferPointer(rebasing: bytes[row.fields])) ?? []
      return try body(
        RowFields(
          registered: fields[0], written: fields[1..<starts.locator],
          locator: fields[starts.locator..<starts.key], key: fields[starts.key..<starts.more],
          more: fields[starts.more...]))
    }
  }

  func checkReadable() throws { if let error = unreadable.error { throw error } }
}

extension MappedTable {
  /// Whether a token has another spelling than the one that an index finds.
  func isOtherSpelling(_ field: SQLField) -> Bool {
    guard case .text(let text) = field, let isUpper = mapping.token.form.isUpper else { return false }
    return !TokenForm.isHex(text, isUpper: isUpper)
  }
}
