import GRDB
import TokenStores

/// Carries the rule out on the rows of one app and environment, inside a transaction.
struct TokenWriter {
  private let insert: PreparedStatement
  private let select: PreparedStatement
  private let update: PreparedStatement
  private let delete: PreparedStatement
  private let live: PreparedStatement
  private let database: Database

  init(_ database: Database, _ owner: AppEnvironment) throws {
    self.database = database
    let key = "app = ?1 AND environment = ?2 AND token = ?3"
    // The conflict is named: another unique index must refuse a row and not swallow it.
    insert = try PreparedStatement(
      database,
      """
      INSERT INTO device_tokens (app, environment, token, registered_at, invalidated_at)
      VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (app, environment, token) DO NOTHING
      """)
    select = try PreparedStatement(
      database, "SELECT registered_at, invalidated_at FROM device_tokens WHERE \(key)")
    update = try PreparedStatement(
      database, "UPDATE device_tokens SET registered_at = ?4, invalidated_at = ?5 WHERE \(key)")
    delete = try PreparedStatement(database, "DELETE FROM device_tokens WHERE \(key)")
    live = try PreparedStatement(
      database,
      "SELECT count(*) FROM device_tokens WHERE app = ?1 AND environment = ?2 AND invalidated_at IS NULL")
    for statement in [insert, select, update, delete, live] {
      statement.bind(owner.app, at: 1)
      statement.bind(owner.environment.rawValue, at: 2)
    }
  }

  /// - Parameter journal: where each change is recorded.
  func replay(
    _ deaths: TimedTokens, _ options: ReplayOptions, journal: Journal?
  ) throws -> ReplayAnswer {
    var answer = ReplayAnswer()
    try deaths { token, time in
      if !options.knownOnly, try insertIfAbsent(token, ReplayRule.state(nil, deadAt: time)) {
        try journal?.add(.inserted, token, before: nil, deadAt: time)
        answer.add(.inserted, token, at: time, before: nil, limit: options.sampleLength)
        return
      }
      let before = try state(of: token)
      if before == nil, !options.knownOnly { throw ignoredRow }
      let outcome = ReplayRule.outcome(
        of: time, on: before, knownOnly: options.knownOnly, grace: options.grace)
      if outcome == .updated || outcome == .invalidated {
        try write(token, ReplayRule.state(before, deadAt: time))
        try journal?.add(outcome, token, before: before, deadAt: time)
      }
      answer.add(outcome, token, at: time, before: before, limit: options.sampleLength)
    }
    // Judged at the end, when the figure is known: the transaction takes everything back.
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated),
      let stop = try options.brake.stop(invalidated, of: liveCount() + invalidated)
    {
      throw StoreFault.stopped(stop)
    }
    return answer
  }

  /// What `replay` would return.
  func preview(_ deaths: TimedTokens, _ options: ReplayOptions) throws -> ReplayAnswer {
    var answer = try Self.preview(deaths, options, on: self)
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated) {
      answer.stop = try options.brake.stop(invalidated, of: liveCount())
    }
    return answer
  }

  /// What `replay` would return on a store that is still to be made.
  static func previewOfNothing(_ deaths: TimedTokens, _ options: ReplayOptions) throws -> ReplayAnswer {
    try preview(deaths, options, on: nil)
  }

  private static func preview(
    _ deaths: TimedTokens, _ options: ReplayOptions, on store: TokenWriter?
  ) throws -> ReplayAnswer {
    var answer = ReplayAnswer()
    try deaths { token, time in
      let before = try store?.state(of: token)
      let outcome = ReplayRule.outcome(
        of: time, on: before, knownOnly: options.knownOnly, grace: options.grace)
      answer.add(outcome, token, at: time, before: before, limit: options.sampleLength)
    }
    return answer
  }

  /// How many tokens of the app and environment are alive now.
  private func liveCount() throws -> Int {
    defer { live.reset() }
    return try live.step() ? Int(live.integer(ofColumn: 0)) : 0
  }

  func register(_ registrations: TimedTokens) throws -> RegistrationCounts {
    var counts = RegistrationCounts()
    try registrations { token, time in
      let added = ReplayRule.registering(nil, at: time)
      if try insertIfAbsent(token, added.state) {
        counts.add(added.outcome)
        return
      }
      guard let before = try state(of: token) else { throw ignoredRow }
      let after = ReplayRule.registering(before, at: time)
      if after.state != before { try write(token, after.state) }
      counts.add(after.outcome)
    }
    return counts
  }

  /// Restores the rows of a replay that are as it left them.
  func undo(_ record: JournalRecord, entry: JournalEntry, journal: Journal) throws -> UndoAnswer {
    if record.undoes != nil { throw StoreFault.notUndoable(record.id, reason: "it is an undo itself") }
    if let undo = record.undoneBy {
      throw StoreFault.notUndoable(record.id, reason: "it was undone already, by \(undo)")
    }
    if record.entry.mapping != nil {
      throw StoreFault.notUndoable(record.id, reason: "it is of another table")
    }
    var answer = UndoAnswer()
    try Journal.changes(of: record.id, in: database) { change in
      let token = change.token.span.bytes
      if let reason = LeftRow(try state(of: token), after: change.after) {
        return answer.leave(change.token, reason)
      }
      if let before = change.before { try write(token, before) } else { try remove(token) }
      answer.restored += 1
    }
    var counts = ReplayCounts()
    counts.updated = answer.restored
    answer.id = try journal.record(entry, of: record.owner, counts: counts, undoes: record.id)
    return answer
  }

  private func remove(_ token: RawSpan) throws {
    delete.bind(token, at: 3)
    if try delete.run() == 0 { throw ignoredRow }
  }

  /// A row that is neither inserted nor there: a trigger with `RAISE(IGNORE)` is what does that.
  private var ignoredRow: StoreFault { .refused(detail: "a trigger on device_tokens ignored it") }

  /// Returns false, and changes nothing, where the token is there.
  private func insertIfAbsent(_ token: RawSpan, _ state: TokenState) throws -> Bool {
    insert.bind(token, at: 3)
    insert.bind(state.registeredAt, at: 4)
    insert.bind(state.invalidatedAt, at: 5)
    return try insert.run() > 0
  }

  private func state(of token: RawSpan) throws -> TokenState? {
    select.bind(token, at: 3)
    defer { select.reset() }
    return try select.step() ? select.state(registeredAtColumn: 0) : nil
  }

  private func write(_ token: RawSpan, _ state: TokenState) throws {
    update.bind(token, at: 3)
    update.bind(state.registeredAt, at: 4)
    update.bind(state.invalidatedAt, at: 5)
    if try update.run() == 0 { throw ignoredRow }
  }
}
