import Basics

/// The rows of one app and environment, inside a transaction.
struct OwnedRows {
  let session: any SQLSession
  let table: MappedTable
  /// Nil for the rows of all owners.
  let owner: AppEnvironment?
  /// Called while all rows of a table are read because no index fits.
  var onScan: ScanObserver?
  /// Whether tokens may have other spellings than the one that an index finds: to search all rows for them takes long.
  var hasOtherSpellings = true

  private var dialect: SQLDialect { session.dialect }

  // MARK: - The owner

  /// The first parameter of statements is the app, the second the table's value for the environment.
  var parameters: [SQLValue] { owner.map(table.ownerValues) ?? [] }

  /// Whether a row `t` belongs to the owner.
  var isOwned: String {
    guard owner != nil else { return "1 = 1" }
    let conditions = [
      table.app.map { session.isEqual($0, dialect.parameter(1)) },
      table.environment.map { session.isEqual($0, dialect.parameter(2)) },
    ].compactMap { $0 }
    return conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND ")
  }

  /// Whether a row `t` is valid.
  var isAlive: String {
    guard let first = table.written.first else { return "1 = 1" }
    return switch first.content {
    case .time: "\(dialect.value(first.column)) IS NULL"
    case .text(let dead, _):
      "CASE WHEN \(session.text(first.column)) = \(dialect.literal(dead.text)) THEN 0 ELSE 1 END = 1"
    }
  }

  /// How many tokens of the owner are valid; `most` or more if there are at least `most`. Some rows are usually enough
  /// to know: reading all tokens of a large table takes long.
  func liveCount(upTo most: Int) throws -> Int {
    let live = "FROM \(table.name) AS t WHERE \(isOwned) AND \(isAlive)"
    if table.mapping.isDeviceTokens {
      let some = "SELECT count(*) FROM (SELECT 1 \(live) LIMIT \(most)) AS live"
      return Int(clamping: try session.number(some, parameters) ?? 0)
    }
    if most < .max / 2 {
      let looked = try distinctCount("\(live) LIMIT \(2 * most)")
      if looked >= most { return looked }
    }
    return try distinctCount(live)
  }

  /// Up to this many tokens, equal ones count once; beyond it each row counts.
  private static let mostDistinct = 1 << 22

  /// How many tokens some rows have; other values do not count.
  private func distinctCount(_ rows: String) throws -> Int {
    var seen: Set<Int> = []
    var more = 0
    var token: [UInt8] = []
    try session.visit(SQLQuery([session.read(table.token)], rows, parameters)) { row in
      guard table.readToken(row[0], into: &token) else { return }
      if seen.count < Self.mostDistinct { seen.insert(token.hashValue) } else { more += 1 }
    }
    return seen.count + more
  }

  // MARK: - Rows of tokens

  /// A lookup takes about as long as reading this many rows: with more rows for each token, tokens are looked up.
  private static let rowsForLookup = 8
  /// The most tokens, and bytes of tokens, of one query.
  private static let mostAsked = 1000
  private static let mostAskedBytes = 1 << 18
  /// How many rows are read between two calls of the observer.
  private static let observed = 1 << 16

  /// The token, then the columns of `RowFields`, with their kinds.
  private var columns: [SQLExpression] {
    ([table.token, table.registered?.column] + table.writtenRead).map(session.read)
      + table.description.locator + table.key.map(session.read)
  }

  /// Finds the rows of the batch's tokens, sorted by token. The rows of a repeated token have the number of its first.
  /// - Parameters:
  ///   - more: further expressions to read after the key.
  ///   - needsFields: whether the fields of a row are needed later, by the number of its token and its state.
  func find(
    _ batch: TokenBatch, and more: [SQLExpression] = [],
    needsFields: (Int, RowState) -> Bool = { _, _ in true }
  ) throws -> FoundRows {
    var found = FoundRows(of: table)
    if batch.count == 0 { return found }
    let query = SQLQuery(columns + more, "FROM \(table.name) AS t WHERE \(isOwned)", parameters)
    // The faster way depends on the number of rows, which is an estimate: a wrong one only costs time.
    if table.hasLookup, table.description.rowsGuessed > batch.count * Self.rowsForLookup {
      try lookUp(batch, query) { try found.add($0, $1, table, needsFields) }
    } else {
      try scan(batch, query) { try found.add($0, $1, table, needsFields) }
    }
    found.sort()
    return found
  }

  /// The most attempts to lock rows that other programs change at the same time.
  private static let mostAttempts = 200

  /// Finds rows as `find` does, and locks the rows of tokens that have a needed one: they are what they were until the
  /// transaction ends (docs/decisions/stores.md#51-row-locks). Rows that changed before they were locked are read again.
  func findToChange(
    _ batch: TokenBatch, and more: [SQLExpression] = [],
    needsFields: (Int, RowState) -> Bool = { _, _ in true }
  ) throws -> FoundRows {
    var found = try find(batch, and: more, needsFields: needsFields)
    guard dialect.isShared else { return found }
    var rows = self
    rows.hasOtherSpellings = found.hasOtherSpellings
    var open = found.tokensWithFields
    for _ in 0..<Self.mostAttempts where !open.isEmpty {
      let rowsToLock = open.flatMap { found.rows(of: $0) }.filter { !$0.fields.isEmpty }
      try session.lock(table.description, located(rowsToLock, of: found))
      let tokens = open
      let again = try rows.find(batch.part(tokens), and: more) { needsFields(tokens[$0], $1) }
      open = found.replace(tokens, by: again).filter { token in
        found.rows(of: token).contains { !$0.fields.isEmpty }
      }
    }
    if open.isEmpty { return found }
    throw StoreError.contended("\(Count.of(open.count, "row")) changed \(Self.mostAttempts + 1) times")
  }

  /// The locators of rows, in the order of the table, each with further values.
  /// - Parameter value: gives a value of a row, by its index.
  private func located(
    _ rows: [FoundRow], of found: FoundRows, _ values: Range<Int> = 0..<0,
    _ value: @escaping (FoundRow, Int) throws -> SQLValue = { _, _ in .null }
  ) -> RowSource {
    { add in
      let locators = table.description.locator.count
      let buffer = RowBuffer(count: locators + values.count)
      for row in inTableOrder(rows, of: found) {
        try found.withFields(row) { fields in
          for (index, field) in fields.locator.enumerated() { buffer.set(index, field) }
          for index in values { buffer.set(locators + index, copying: try value(row, index)) }
          try buffer.lend(add)
        }
      }
    }
  }

  private func scan(_ batch: TokenBatch, _ query: SQLQuery, _ add: (Int, SQLFields) throws -> Void) throws {
    var query = query
    if table.mapping.token.form == .bytes {
      // Only rows between the first token and the last.
      let column = dialect.value(table.token)
      query.sql += " AND \(column) BETWEEN \(dialect.parameter(3)) AND \(dialect.parameter(4))"
      query.parameters += Array(repeating: .null, count: 2 - parameters.count)
      query.parameters += [batch.token(0), batch.token(batch.count - 1)].map { .bytes(Array($0)) }
    }
    let observer = table.hasLookup ? nil : onScan
    var token: [UInt8] = []
    var read = 0
    try session.scan(query) { row in
      if let observer, read % Self.observed == 0 {
        observer(table.mapping.name, read, table.description.rowsGuessed)
      }
      read += 1
      if let number = number(row[0], in: batch, &token) { try add(number, row) }
    }
    if let observer, read >= Self.observed { observer(table.mapping.name, read, read) }
  }

  private func lookUp(_ batch: TokenBatch, _ query: SQLQuery, _ add: (Int, SQLFields) throws -> Void) throws {
    let isUpper = hasOtherSpellings ? table.mapping.token.form.isUpper : nil
    let other = isUpper.map { session.hasOtherSpelling(table.token, isUpper: $0) }
    var token: [UInt8] = []
    var start = 0
    while start < batch.count {
      var (end, length) = (start, 0)
      while end < batch.count, end - start < Self.mostAsked, length < Self.mostAskedBytes {
        length += batch.range(of: end).count
        end += 1
      }
      let asked = (start..<end).filter { $0 == start || !batch.isRepeated($0) }
      let values = asked.map { table.tokenValue(batch.bytes.span.bytes.extracting(batch.range(of: $0))) }
      try SQLField.withRow(of: values) { values in
        try session.visit(query, where: table.token, isOneOf: Array(values)) { row in
          guard let number = number(row[0], in: batch, &token) else { return }
          // A case-insensitive collation finds the other spellings, too.
          if other != nil, table.isOtherSpelling(row[0]) { return }
          try add(number, row)
        }
      }
      start = end
    }
    guard let other else { return }
    // Other spellings are rare: the database finds them without reading whole rows.
    var spelled = query
    spelled.sql += " AND \(other)"
    try session.visit(spelled) { row in
      guard table.isOtherSpelling(row[0]), let number = number(row[0], in: batch, &token) else { return }
      try add(number, row)
    }
  }

  /// The number of a field's token; nil if it is not in the batch.
  /// - Parameter token: a buffer.
  private func number(_ field: SQLField, in batch: TokenBatch, _ token: inout [UInt8]) -> Int? {
    if case .bytes(let bytes) = field, table.mapping.token.form == .bytes {
      return batch.number(of: bytes.bytes)
    }
    guard table.readToken(field, into: &token) else { return nil }
    return batch.number(of: token.span.bytes)
  }

  // MARK: - Writing

  /// The columns of the owner, with the values of a new row.
  var ownership: [(column: TableColumn, value: SQLValue)] {
    let values = parameters
    return [table.app.map { ($0, values[0]) }, table.environment.map { ($0, values[1]) }].compactMap { $0 }
  }

  /// Inserts rows of tokens, in their order.
  /// - Parameters:
  ///   - columns: further columns of a row.
  ///   - value: gives the value of such a column, by its index, for a token, by its number in the batch.
  func insert(
    _ tokens: [Int], of batch: TokenBatch, _ columns: [TableColumn], _ value: (Int, Int) throws -> SQLValue
  ) throws {
    if tokens.isEmpty { return }
    let ownership = ownership
    let isBytes = table.mapping.token.form == .bytes
    let all = ownership.map(\.column) + [table.token] + columns
    let written = try SQLField.withRow(of: ownership.map(\.value)) { owner in
      try session.insert(into: table.name, all) { add in
        let row = RowBuffer(count: all.count)
        for index in owner.indices { row.set(index, owner[index]) }
        try batch.bytes.withUnsafeBytes { bytes in
          for token in tokens {
            let field = UnsafeRawBufferPointer(rebasing: bytes[batch.range(of: token)])
            if isBytes {
              row.set(owner.count, .bytes(field))
            } else {
              row.set(owner.count, copying: table.tokenValue(field.bytes))
            }
            for index in columns.indices {
              row.set(owner.count + 1 + index, copying: try value(token, index))
            }
            try row.lend(add)
          }
        }
      }
    }
    try check(written, is: tokens.count)
  }

  /// Sets columns of rows that were found, or removes the rows if there are no columns to set.
  /// - Parameter value: gives the value of a column, by its index, for a row.
  func change(
    _ rows: [FoundRow], of found: FoundRows, set columns: [TableColumn],
    _ value: (FoundRow, Int) throws -> SQLValue
  ) throws {
    if rows.isEmpty { return }
    let written = try withoutActuallyEscaping(value) { value in
      try session.change(table.description, set: columns, located(rows, of: found, columns.indices, value))
    }
    try check(written, is: rows.count)
  }

  /// Sorts rows by their position in the table, where neighbours are written several times faster.
  private func inTableOrder(_ rows: [FoundRow], of found: FoundRows) -> [FoundRow] {
    guard !table.mapping.isDeviceTokens, rows.count > 1 else { return rows }
    let keyed = rows.map { row in
      let position = found.withFields(row) { fields -> UInt64 in
        switch fields.locator.first {
        case .integer(let number): UInt64(bitPattern: number)
        case .bytes(let bytes): bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        case .null, .real, .text, nil: 0
        }
      }
      return (position: position, row: row)
    }
    return keyed.sorted { $0.position < $1.position }.map(\.row)
  }

  /// - Throws: if the database wrote another number of rows than requested.
  func check(_ written: Int, is expected: Int) throws {
    guard written != expected else { return }
    throw StoreError.refused(
      "\(written) of \(expected) rows of \(table.mapping.name) were written: a trigger or a policy "
        + "ignored the others")
  }
}

/// Receives the table, how many of its rows have been read, and about how many there are.
package typealias ScanObserver = @Sendable (_ table: String, _ read: Int, _ guess: Int) -> Void

extension MappedTable {
  func ownerValues(_ owner: AppEnvironment) -> [SQLValue] {
    [
      .text(owner.app),
      .text(mapping.environment?.value(of: owner.environment) ?? owner.environment.rawValue),
    ]
  }
}
