import TokenStores

/// Carries the rule out on the rows of one app and environment, inside a transaction (docs/decisions/0020): batch by
/// batch it reads what the table has of the tokens, judges each, and writes what changes.
struct ReplayWriter {
  private let rows: OwnedRows
  private let options: ReplayOptions
  private let recording: ChangeRecording?
  private var batch: TokenBatch
  private var answer = ReplayAnswer()
  private var foreign = ForeignRows()

  /// - Parameter recording: where each change is recorded; nil records none.
  init(_ rows: OwnedRows, _ options: ReplayOptions, recording: ChangeRecording? = nil) {
    self.rows = rows
    self.options = options
    self.recording = recording
    batch = TokenBatch(mostTokens: rows.batchSize)
  }

  /// - Throws: `StoreFault.stopped`; the transaction takes everything back.
  mutating func replay(_ deaths: TimedTokens) throws -> ReplayAnswer {
    try judge(deaths)
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated),
      let stop = try options.brake.stop(invalidated, of: rows.liveCount() + invalidated)
    {
      throw StoreFault.stopped(stop)
    }
    return answer
  }

  /// What `replay` would return.
  mutating func preview(_ deaths: TimedTokens) throws -> ReplayAnswer {
    try judge(deaths)
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated) {
      answer.stop = try options.brake.stop(invalidated, of: rows.liveCount())
    }
    return answer
  }

  private mutating func judge(_ deaths: TimedTokens) throws {
    try deaths { token, time in
      if batch.isFull { try judgeBatch() }
      batch.append(token, time)
    }
    try judgeBatch()
    try foreign.report()
  }

  private mutating func judgeBatch() throws {
    batch.order()
    let (outcomes, found) = try judged()
    count(outcomes, found)
    if !options.dryRun, foreign.isEmpty { try write(outcomes, found) }
    batch.removeAll()
  }

  /// The outcome of each token, and in their order the rows that change or that a sample may show. Most rows of most
  /// replays are neither.
  private func judged() throws -> (outcomes: [ReplayOutcome], found: [FoundRow]) {
    let absent = ReplayRule.outcome(of: 0, on: nil, knownOnly: options.knownOnly)
    var outcomes = [ReplayOutcome](repeating: absent, count: batch.count)
    var found: [FoundRow] = []
    try RowSearch(batch: batch, table: rows).run { row in
      do throws(StoreFault) {
        let outcome = ReplayRule.outcome(
          of: batch.times[row.token], on: try row.stored.state(), knownOnly: options.knownOnly,
          grace: options.grace)
        outcomes[row.token] = outcome
        if outcome.isChange || options.sampleLength > 0 { found.append(row) }
      } catch {
        // Reported in the order of the tokens.
        found.append(row)
      }
    }
    found.sort { $0.token < $1.token }
    return (outcomes, found)
  }

  private mutating func count(_ outcomes: [ReplayOutcome], _ found: [FoundRow]) {
    let batch = batch
    var rest = found[...]
    for token in outcomes.indices {
      do throws(StoreFault) {
        let before = rest.first?.token == token ? try rest.popFirst()?.stored.state() : nil
        answer.add(
          outcomes[token], batch.bytes.span.bytes.extracting(batch.range(of: token)), at: batch.times[token],
          before: before, limit: options.sampleLength)
      } catch {
        foreign.add(error)
      }
    }
  }

  private func write(_ outcomes: [ReplayOutcome], _ found: [FoundRow]) throws {
    let inserted = outcomes.count { $0 == .inserted }
    let new = outcomes.indices.lazy.filter { outcomes[$0] == .inserted }.map { deadRow($0, nil) }
    try rows.insert(new, count: inserted, of: batch)
    let changed = found.lazy.filter { outcomes[$0.token].isChange }.map { deadRow($0.token, $0.stored) }
    let updated = changed.count { _ in true }
    try rows.update(changed, count: updated, of: batch)
    if inserted + updated > 0 { try recording?.add(outcomes, found, of: batch) }
  }

  private func deadRow(_ token: Int, _ stored: StoredRow?) -> RowWrite {
    RowWrite(
      token: token, place: stored?.place, registeredAt: stored?.registeredAt,
      invalidatedAt: Timestamp.microseconds(of: Int64(batch.times[token])))
  }
}

extension ReplayOutcome {
  /// Whether a row is written.
  var isChange: Bool { self == .inserted || self == .updated || self == .invalidated }
}
