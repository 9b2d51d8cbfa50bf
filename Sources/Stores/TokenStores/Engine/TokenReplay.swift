import Basics

/// Applies the rule to the rows of one app and environment, inside a transaction (docs/decisions/stores.md#51-row-locks): batch by batch
/// it reads the rows of the tokens, decides on each, and writes the changes.
///
/// A token may have several rows: those of several users of a device, or the same token in another spelling. The latest
/// registration of any row counts, a token is valid while one of its rows is, and an invalidation is written to each.
struct TokenReplay {
  /// Nil in a dry run on a table that is still to be created.
  let rows: OwnedRows?
  let options: ReplayOptions
  /// Whether tokens without a row get one.
  let inserts: Bool
  /// Where each change is recorded; nil records none.
  let recording: ChangeRecording?
  let trace: ReplayTrace?
  /// How many tokens are decided on at once.
  let batchSize: Int
  private(set) var answer = ReplayAnswer()
  private let now = Int64(time(nil))

  /// - Throws: `RolledBack` if it exceeds its limit, but not in a dry run.
  mutating func run(_ invalidations: TimedTokens) throws -> ReplayAnswer {
    if trace?.listed != nil, let table = rows?.table, table.key.isEmpty, !table.mapping.isDeviceTokens {
      throw table.mapping.misfit("the primary key", "one, by which the rows of a list are known", "none")
    }
    try TokenBatch.visit(invalidations, mostTokens: batchSize, origin: trace?.origin) { try judge($0) }
    let invalidated = answer.counts.invalidated
    guard options.brake.mayStop(invalidated) else { return answer }
    // The count is of the rows after the change: this replay's invalidations were live before.
    let gone = options.dryRun ? 0 : invalidated
    let enough = options.brake.enough(invalidated)
    let most = enough == .max ? .max : max(enough - gone, 0)
    let live = (try rows?.liveCount(upTo: most) ?? 0) + gone
    guard let stop = options.brake.stop(invalidated, of: live) else { return answer }
    answer.stop = stop
    guard options.dryRun else { throw RolledBack(answer: answer) }
    return answer
  }

  private mutating func judge(_ batch: TokenBatch) throws {
    // The closure would copy this value for each row.
    let rule = self
    // A row that would not change on its own does not change because of another row of its token.
    let found =
      try rows.map { rows in
        let find = options.dryRun ? rows.find : rows.findToChange
        return try find(batch, furtherFields) { token, state in
          rule.outcome(of: batch.time(token), on: state).isChange
        }
      } ?? FoundRows(of: nil)
    try found.checkReadable()
    if found.hasOtherSpellings { answer.hasOtherSpellings = true }
    var changed: [BatchChange] = []
    var next = 0
    let before = answer.counts.tokens
    for token in 0..<batch.count { judge(token, of: batch, found.rows(of: token, &next), found, &changed) }
    assert(answer.counts.tokens - before == batch.count, "each token has one outcome")
    answer.rows += changed.count
    if let rows, !options.dryRun { try write(changed, found, of: batch, rows) }
    if let rows { try trace?.script?.add(changed, found, of: batch, rows, grace: options.grace) }
    try report(changed, found, of: batch)
  }

  /// The expressions of rows that are recorded before they are removed; for a script, with their tokens before.
  private var furtherFields: [SQLExpression] {
    guard let rows, recording != nil || trace?.script != nil else { return [] }
    let token = trace?.script == nil ? [] : [rows.session.read(rows.table.token)]
    return token + (rows.table.written.isEmpty ? rows.session.wholeRow(rows.table.description) : [])
  }

  private var keepsLatest: Bool { rows?.table.mapping.keepsLatest ?? true }

  private func outcome(of time: StoreTime, on state: RowState?) -> ReplayOutcome {
    let outcome = ReplayRule.outcome(of: time, on: state, knownOnly: !inserts, grace: options.grace)
    return outcome == .updated && !keepsLatest ? .unchanged : outcome
  }

  private mutating func judge(
    _ token: Int, of batch: TokenBatch, _ stored: ArraySlice<FoundRow>, _ found: FoundRows,
    _ changed: inout [BatchChange]
  ) {
    let time = batch.time(token)
    let state = ReplayRule.state(ofRows: stored.lazy.map(\.state))
    var outcome = outcome(of: time, on: state)
    if stored.count > 1 { answer.repeated += 1 }
    if let registered = state?.registered { answer.times.add(registered, invalidated: time, now: now) }
    var written = outcome.isChange ? stored.indices.filter { isChanged(stored[$0], at: time) } : []
    if let listed = trace?.listed {
      if written.count < stored.count {
        listed.leave(Array(batch.token(token)), (outcome.isChange ? .unchanged : outcome).name)
      }
      written.removeAll { !listed.takes(batch.token(token), key: key(of: stored[$0], found)) }
      let isListed = !written.isEmpty || outcome == .inserted && listed.takes(batch.token(token), key: nil)
      if outcome.isChange, !isListed { outcome = stored.isEmpty ? .unknown : .unchanged }
    }
    if outcome == .inserted { changed.append(BatchChange(token: token, row: nil, outcome: outcome)) }
    for row in written { changed.append(BatchChange(token: token, row: row, outcome: outcome)) }
    if answer.counts[outcome] < options.sampleLength {
      answer.sample.append(
        ReplayedToken(token: Array(batch.token(token)), time: time, before: state?.state, outcome: outcome))
    }
    answer.counts.add(outcome)
  }

  /// Whether a row of a token changes, if one does.
  private func isChanged(_ row: FoundRow, at time: StoreTime) -> Bool {
    !row.state.isDead || keepsLatest && row.state.invalidatedAt.map { $0 < time } ?? false
  }

  private func key(of row: FoundRow, _ found: FoundRows) -> String? {
    rows.flatMap { rows in found.withFields(row) { rows.table.keyText($0.key, rows.session) } }
  }

  private func write(
    _ changed: [BatchChange], _ found: FoundRows, of batch: TokenBatch, _ rows: OwnedRows
  ) throws {
    if changed.isEmpty { return }
    let table = rows.table
    let columns = table.written.map(\.column)
    let inserted = changed.compactMap { $0.row == nil ? $0.token : nil }
    try rows.insert(inserted, of: batch, columns) { token, index in
      try table.invalidationValue(at: batch.time(token), index)
    }
    try rows.change(changed.compactMap(found.row), of: found, set: columns) { row, index in
      try table.invalidationValue(at: batch.time(row.token), index)
    }
    let now = try rows.rowsNow(changed, found, of: batch, isRecorded: recording != nil)
    try recording?.add(changed, found, now, of: batch, table)
  }

  private func report(_ changed: [BatchChange], _ found: FoundRows, of batch: TokenBatch) throws {
    guard let visit = trace?.visit else { return }
    for change in changed {
      let (token, row) = (change.token, found.row(of: change))
      let before = row?.state.state
      var shown = JournalChange(
        token: Array(batch.token(token)), outcome: change.outcome, before: before,
        after: TokenState(registeredAt: before?.registeredAt, invalidatedAt: batch.time(token).seconds),
        origin: batch.origin(token))
      shown.milliseconds = batch.time(token).milliseconds
      shown.key = row.flatMap { key(of: $0, found) }
      try visit(shown)
    }
  }
}

/// Connects a replay to the records that it is made of, and receives its changes.
package struct ReplayTrace {
  /// The record that decided the time of the last token; nil if unknown.
  package var origin: () -> RecordOrigin?
  /// Called for each row that is changed, or would be by a dry run.
  package var visit: ((JournalChange) throws -> Void)?
  /// The only rows that may change; nil for all.
  package var listed: ListedRows?
  package var script: ReplayScript?
  /// What is replayed, in lines, for the script.
  package var title: [String] = []

  package init(
    origin: @escaping () -> RecordOrigin?, visit: ((JournalChange) throws -> Void)? = nil,
    listed: ListedRows? = nil
  ) {
    (self.origin, self.visit, self.listed) = (origin, visit, listed)
  }
}
