/// A replay in several transactions, each of which records its part of the journal's entry (docs/decisions/stores.md#51-row-locks). After an
/// interruption, the same replay continues the entry.
struct BatchedReplay {
  private(set) var store: TokenStore
  let owner: AppEnvironment
  let options: ReplayOptions
  /// As of `TokenStore.replay`.
  let entry: (() -> JournalEntry)?

  private(set) var answer = ReplayAnswer()
  private(set) var listed: ListedRows?
  /// What the journal's entry has so far; nil before the first transaction.
  private(set) var recorded: Recorded?

  struct Recorded {
    var id: Int
    /// Rows of packed changes.
    var parts = 0
    var counts = ReplayCounts()
    var rows = 0
    /// Whether an interrupted replay began it.
    var isContinued = false
  }

  mutating func run(_ invalidations: TimedTokens, _ trace: ReplayTrace?) throws -> ReplayAnswer {
    // The limit is one for all transactions: nothing changes if it is exceeded.
    listed = trace?.listed
    let preview = try store.replay(
      invalidations, for: owner, options: options.ofDryRun, entry: nil,
      trace: listed.map { ReplayTrace(origin: { nil }, listed: $0) })
    if preview.stop != nil { return preview }
    answer.times = preview.times
    do {
      try TokenBatch.visit(invalidations, mostTokens: store.batchSize, origin: trace?.origin) {
        try replay($0)
      }
      try finish()
    } catch let error as NamedStoreError { throw error.after(answer.rows) }
    return answer
  }

  /// Replays those of the tokens that change something, part by part.
  private mutating func replay(_ tokens: TokenBatch) throws {
    var changing: [Int] = []
    let preview = try store.replay(
      { visit in
        for number in 0..<tokens.count { try visit(tokens.token(number).span.bytes, tokens.time(number)) }
      }, for: owner, options: options.ofDryRun, entry: nil,
      trace: ReplayTrace(
        origin: { nil },
        visit: { change in
          guard let number = tokens.number(of: change.token.span.bytes), number != changing.last else {
            return
          }
          changing.append(number)
        }, listed: listed))
    store.hasOtherSpellings = preview.hasOtherSpellings
    answer.counts.add(preview.counts) { !$0.isChange }
    let most = max(options.batch ?? changing.count, 1)
    for start in stride(from: 0, to: changing.count, by: most) {
      try commit(tokens, changing[start..<min(start + most, changing.count)])
    }
  }

  /// One transaction.
  private mutating func commit(_ tokens: TokenBatch, _ numbers: ArraySlice<Int>) throws {
    var current = 0
    let trace = ReplayTrace(origin: { tokens.origin(current) }, listed: listed)
    let source: TimedTokens = { visit in
      for number in numbers {
        current = number
        try visit(tokens.token(number).span.bytes, tokens.time(number))
      }
    }
    var options = options
    options.brake = .count(.max)
    let store = store
    let done = try transaction { rows, recording in
      try store.replay(source, options, rows, recording, trace)
    }
    answer.counts.add(done.counts)
    answer.rows += done.rows
    answer.repeated += done.repeated
  }

  private mutating func transaction(
    _ body: (OwnedRows, ChangeRecording?) throws -> ReplayAnswer
  ) throws -> ReplayAnswer {
    guard let entry else { return try store.writing(for: owner) { try body($0, nil) } }
    let (done, now) = try store.recording(for: owner) { rows, journal in
      var recorded = try recorded ?? begin(entry(), journal)
      let recording = ChangeRecording(recorded.id, in: journal, after: recorded.parts)
      let done = try body(rows, recording)
      recorded.parts = recording.written
      recorded.rows += done.rows
      recorded.counts.add(done.counts, where: \.isChange)
      var unfinished = store.described(entry())
      unfinished.version = ""
      try journal.note(recorded.id, unfinished, recorded.counts, rows: recorded.rows)
      return ((done, recorded), recorded.id)
    }
    recorded = now
    return done
  }

  /// Continues the entry of an interrupted replay of the same inputs, or begins one.
  private func begin(_ entry: JournalEntry, _ journal: Journal) throws -> Recorded {
    if let (record, parts) = try journal.unfinished(store.described(entry), for: owner) {
      return Recorded(
        id: record.id, parts: parts, counts: record.counts, rows: record.rows, isContinued: true)
    }
    let id = try journal.begin(for: owner)
    try journal.addInputs(of: entry, to: id)
    return Recorded(id: id)
  }

  /// Completes the entry, in a transaction of its own.
  private mutating func finish() throws {
    guard let entry else { return }
    let answer = answer
    let last = try store.recording(for: owner) { _, journal in
      let recorded = try recorded ?? begin(entry(), journal)
      var counts = recorded.counts
      for outcome in ReplayOutcome.allCases where !outcome.isChange {
        counts[outcome] = answer.counts[outcome]
      }
      // Rows that the interrupted run changed count as unchanged in this one.
      counts.unchanged -= min(counts.unchanged, counts.changes - answer.counts.changes)
      try journal.note(recorded.id, store.described(entry()), counts, rows: recorded.rows)
      return (recorded, recorded.id)
    }
    (self.answer.replay, self.answer.isContinued) = (last.id, last.isContinued)
  }
}
