/// Registers tokens of one app and environment, inside a transaction, as `TokenReplay` replays invalidations. They come
/// in any order and repeatedly: each applies to the result of those before it, and the last state of a row is written.
struct TokenRegistration {
  let rows: OwnedRows
  /// Whether tokens without a row get one.
  let inserts: Bool
  /// How many tokens are registered at once.
  let batchSize: Int
  private(set) var counts = RegistrationCounts()

  private var table: MappedTable { rows.table }

  mutating func run(_ registrations: TimedTokens) throws -> RegistrationCounts {
    try TokenBatch.visit(registrations, mostTokens: batchSize) { try register($0) }
    return counts
  }

  /// A row to write: its new state, and whether it becomes valid again.
  private struct RowWrite {
    var row: FoundRow
    var registered: StoreTime?
    var revives: Bool
  }

  private mutating func register(_ batch: TokenBatch) throws {
    let found = try rows.findToChange(batch) { token, state in
      var end = token
      repeat {
        if state.isDead || state.registered.map({ $0.seconds < batch.time(end).seconds }) ?? true {
          return true
        }
        end += 1
      } while end < batch.count && batch.isRepeated(end)
      return false
    }
    try found.checkReadable()
    var inserted: [Int] = []
    /// By the tokens of `inserted`.
    var times: [Int: Int64] = [:]
    var writes: [RowWrite] = []
    var next = 0
    var token = 0
    while token < batch.count {
      var end = token + 1
      while end < batch.count, batch.isRepeated(end) { end += 1 }
      let stored = found.rows(of: token, &next)
      if !stored.isEmpty {
        writes += registered(token..<end, of: batch, stored)
      } else if inserts {
        inserted.append(token)
        times[token] = added(token..<end, of: batch)
      } else {
        counts.unknown += end - token
      }
      token = end
    }
    try insert(inserted, of: batch, times)
    try write(writes, of: found)
  }

  /// Registers a token that has no row; returns its latest time.
  private mutating func added(_ tokens: Range<Int>, of batch: TokenBatch) -> Int64? {
    var state: TokenState?
    for token in tokens {
      let next = ReplayRule.registering(state, at: batch.time(token).seconds)
      state = next.state
      counts.add(next.outcome)
    }
    return state?.registeredAt
  }

  /// - Parameter tokens: the registrations of one token, in the order in which they came; each counts for all its rows.
  private mutating func registered(
    _ tokens: Range<Int>, of batch: TokenBatch, _ stored: ArraySlice<FoundRow>
  ) -> [RowWrite] {
    var writes = stored.map { RowWrite(row: $0, registered: $0.state.registered, revives: false) }
    var states = stored.map(\.state)
    for token in tokens {
      var outcome = RegistrationOutcome.unchanged
      for index in states.indices {
        let next = register(batch.time(token).seconds, &states[index])
        writes[index].registered = states[index].registered
        if next == .revived { writes[index].revives = true }
        if next == .revived || outcome == .unchanged { outcome = next }
      }
      counts.add(outcome)
    }
    return writes.filter { $0.revives || $0.registered != $0.row.state.registered }
  }

  /// As `ReplayRule.registering`; if the time of an invalidation is unknown, a registration later than the row's ends
  /// it.
  /// - Parameter time: UNIX seconds. A registration of the row in the same second is not earlier.
  private func register(_ time: Int64, _ state: inout RowState) -> RegistrationOutcome {
    let isLater = state.registered.map { $0.seconds < time } ?? true
    let whole = StoreTime(seconds: time).latest
    let latest = isLater ? whole : state.registered ?? whole
    var revives = false
    switch table.written.first?.content {
    case .time(let form): revives = state.invalidatedAt.map { form.first(of: $0) <= latest } ?? false
    case .text(_, let alive): revives = state.isDead && alive != nil && isLater
    case nil: break
    }
    if revives { (state.invalidatedAt, state.isDead) = (nil, false) }
    let raises = table.registered != nil && isLater
    if raises { state.registered = latest }
    return revives ? .revived : raises ? .raised : .unchanged
  }

  private var registeredColumns: [TableColumn] { table.registered.map { [$0.column] } ?? [] }

  private func insert(_ tokens: [Int], of batch: TokenBatch, _ times: [Int: Int64]) throws {
    let registered = registeredColumns
    let new = table.aliveValues.filter { $0.value != .null }
    try rows.insert(tokens, of: batch, registered + new.map(\.column)) { token, index in
      index < registered.count ? try table.registeredValue(times[token]) : new[index - registered.count].value
    }
  }

  /// Writes only the columns that change: the others keep their fractions of a second.
  private func write(_ writes: [RowWrite], of found: FoundRows) throws {
    for (raises, revives) in [(true, false), (false, true), (true, true)] {
      let some = writes.filter {
        ($0.registered != $0.row.state.registered) == raises && $0.revives == revives
      }
      let registered = raises ? registeredColumns : []
      let alive = revives ? table.aliveValues : []
      let raised = Dictionary(
        some.map { ($0.row.fields.lowerBound, $0.registered) }, uniquingKeysWith: { first, _ in first })
      try rows.change(some.map(\.row), of: found, set: registered + alive.map(\.column)) { row, index in
        index < registered.count
          ? try table.registeredValue((raised[row.fields.lowerBound] ?? nil)?.seconds)
          : alive[index - registered.count].value
      }
    }
  }
}

extension MappedTable {
  /// What a registration writes into the columns of an invalidation, besides its time.
  fileprivate var aliveValues: [(column: TableColumn, value: SQLValue)] {
    written.compactMap { written in
      switch written.content {
      case .time: (written.column, .null)
      case .text(_, let alive): alive.map { (written.column, $0) }
      }
    }
  }

  fileprivate func registeredValue(_ time: Int64?) throws -> SQLValue {
    guard let (column, form) = registered, let time else { return .null }
    return try Self.value(of: StoreTime(seconds: time), form, in: column)
  }
}
