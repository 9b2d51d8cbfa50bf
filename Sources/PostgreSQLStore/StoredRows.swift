import TokenStores
import WireBytes

/// A row as the table has it: times in the server's microseconds, so that what does not change keeps its fraction.
struct StoredRow {
  var registeredAt: Int64?
  var invalidatedAt: Int64?
  var place: RowPlace

  /// - Throws: `StoreFault.foreignRows` where a time is infinity.
  func state() throws(StoreFault) -> TokenState {
    TokenState(
      registeredAt: try Timestamp.seconds(of: registeredAt, "registered_at"),
      invalidatedAt: try Timestamp.seconds(of: invalidatedAt, "invalidated_at"))
  }
}

/// A row of the table, and its token's number in the batch.
struct FoundRow {
  var token: Int
  var stored: StoredRow
}

/// Reads the rows that a table has of the tokens of a batch.
///
/// Either all rows between the first token and the last are read, or the tokens are asked for. Which takes less depends
/// on how many the table has, which is guessed: a wrong guess costs time alone.
struct RowSearch {
  /// From so many rows for each token on, it is asked for: a look-up takes about as long as reading so many rows.
  private static let rowsForLookUp = 8
  /// Tokens, and bytes of them, that one statement asks for.
  private static let mostAsked = 1000
  private static let mostAskedBytes = 1 << 20

  let batch: TokenBatch
  let table: OwnedRows

  /// Visits the rows, in no order.
  func run(_ visit: (FoundRow) -> Void) throws {
    if batch.count == 0 { return }
    if try table.rowsGuessed() > batch.count * Self.rowsForLookUp {
      try table.planning(by: .index) { try lookUp(visit) }
    } else {
      try table.planning(by: .scan) { try scan(visit) }
    }
  }

  @inline(__always)
  private func find(_ token: RawSpan, _ stored: StoredRow, _ visit: (FoundRow) -> Void) {
    if let number = batch.number(of: token) { visit(FoundRow(token: number, stored: stored)) }
  }

  private static let foreign = StoreFault.failed(detail: "the server sent a row that was not asked for")

  // MARK: - Reading all

  private func scan(_ visit: (FoundRow) -> Void) throws {
    let (first, last) = (batch.range(of: 0), batch.range(of: batch.count - 1))
    let query = try table.query(between: batch.bytes[first], and: batch.bytes[last])
    let output = try CopyOutput(query, on: table.connection)
    while let row = try output.next() {
      var fields = FieldReading(row)
      let token = fields.field()
      let (registeredAt, invalidatedAt) = (fields.integer(), fields.integer())
      let place = fields.field()
      guard fields.isSound, place.count == RowPlace.length else { throw Self.foreign }
      find(
        token.bytes,
        StoredRow(registeredAt: registeredAt, invalidatedAt: invalidatedAt, place: RowPlace(place.bytes)),
        visit)
    }
  }

  // MARK: - Asking for each

  private func lookUp(_ visit: (FoundRow) -> Void) throws {
    var start = 0
    while start < batch.count {
      var (end, length) = (start, 0)
      while end < batch.count, end - start < Self.mostAsked, length < Self.mostAskedBytes {
        length += batch.range(of: end).count
        end += 1
      }
      try ask(start..<end, visit)
      start = end
    }
  }

  private func ask(_ some: Range<Int>, _ visit: (FoundRow) -> Void) throws {
    let tokens = some.filter { !batch.isRepeated($0) || $0 == some.lowerBound }.map {
      batch.bytes[batch.range(of: $0)]
    }
    let found = try table.connection.run(table.queryOfTokens, with: table.key + [.array(tokens)])
    for row in 0..<found.count {
      let place = try found.withBytes(row, 3) { bytes in
        if bytes.byteCount != RowPlace.length { throw Self.foreign }
        return RowPlace(bytes)
      }
      let stored = StoredRow(
        registeredAt: found.integer(row, 1), invalidatedAt: found.integer(row, 2), place: place)
      // One that goes on in the next statement is found by that, too.
      found.withBytes(row, 0) { find($0, stored, visit) }
    }
  }
}
