import TokenStores

/// Registers tokens of one app and environment, as `ReplayWriter` replays deaths. They come in any order and
/// repeatedly: each counts by what those before it came to, and the last state of a token is written.
struct RegistrationWriter {
  private let rows: OwnedRows
  private var batch: TokenBatch
  private var counts = RegistrationCounts()
  private var foreign = ForeignRows()

  init(_ rows: OwnedRows) {
    self.rows = rows
    batch = TokenBatch(mostTokens: rows.batchSize)
  }

  mutating func register(_ registrations: TimedTokens) throws -> RegistrationCounts {
    try registrations { token, time in
      if batch.isFull { try registerBatch() }
      batch.append(token, time)
    }
    try registerBatch()
    try foreign.report()
    return counts
  }

  private mutating func registerBatch() throws {
    batch.order()
    var found: [FoundRow] = []
    try RowSearch(batch: batch, table: rows).run { found.append($0) }
    found.sort { $0.token < $1.token }
    let writes = registered(found)
    if foreign.isEmpty {
      let new = writes.lazy.filter { $0.place == nil }
      let changed = writes.lazy.filter { $0.place != nil }
      let inserted = new.count { _ in true }
      try rows.insert(new, count: inserted, of: batch)
      try rows.update(changed, count: writes.count - inserted, of: batch)
    }
    batch.removeAll()
  }

  /// Counts each registration, and returns the rows that are to be written, in the order of their tokens.
  private mutating func registered(_ found: [FoundRow]) -> [RowWrite] {
    var writes: [RowWrite] = []
    var rest = found[...]
    var token = 0
    while token < batch.count {
      // A token that goes on from one statement of a search to the next is found twice.
      var stored: StoredRow?
      while let row = rest.first, row.token == token {
        stored = row.stored
        rest.removeFirst()
      }
      var end = token + 1
      while end < batch.count, batch.isRepeated(end) { end += 1 }
      do throws(StoreFault) {
        if let write = try registered(token..<end, stored) { writes.append(write) }
      } catch {
        foreign.add(error)
      }
      token = end
    }
    return writes
  }

  /// - Parameter tokens: the registrations of one token, in the order in which they came.
  private mutating func registered(_ tokens: Range<Int>, _ stored: StoredRow?) throws(StoreFault) -> RowWrite?
  {
    let before = try stored?.state()
    var after = before
    for token in tokens {
      let registered = ReplayRule.registering(after, at: batch.times[token])
      after = registered.state
      counts.add(registered.outcome)
    }
    guard let after, after != before else { return nil }
    // What the rule leaves as it is keeps its fraction of a second.
    let isSame = after.registeredAt == before?.registeredAt
    return RowWrite(
      token: tokens.lowerBound, place: stored?.place,
      registeredAt: isSame ? stored?.registeredAt : after.registeredAt.map { Timestamp.microseconds(of: $0) },
      invalidatedAt: after.isDead ? stored?.invalidatedAt : nil)
  }
}
