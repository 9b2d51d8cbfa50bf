import GRDB
import TokenStores

/// Carries the rule out on the rows of one app and environment, inside a transaction.
struct TokenWriter {
  private let insert: PreparedStatement
  private let select: PreparedStatement
  private let update: PreparedStatement

  init(_ database: Database, _ owner: AppEnvironment) throws {
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
    for statement in [insert, select, update] {
      statement.bind(owner.app, at: 1)
      statement.bind(owner.environment.rawValue, at: 2)
    }
  }

  func replay(_ deaths: TimedTokens, knownOnly: Bool) throws -> ReplayCounts {
    var counts = ReplayCounts()
    try deaths { token, time in
      if !knownOnly, try insertIfAbsent(token, ReplayRule.state(nil, deadAt: time)) {
        counts.add(.inserted)
        return
      }
      let before = try state(of: token)
      if before == nil, !knownOnly { throw ignoredRow }
      let outcome = ReplayRule.outcome(of: time, on: before, knownOnly: knownOnly)
      if outcome == .updated || outcome == .invalidated {
        try write(token, ReplayRule.state(before, deadAt: time))
      }
      counts.add(outcome)
    }
    return counts
  }

  /// What `replay` would return.
  func preview(_ deaths: TimedTokens, knownOnly: Bool) throws -> ReplayCounts {
    var counts = ReplayCounts()
    try deaths { token, time in
      counts.add(ReplayRule.outcome(of: time, on: try state(of: token), knownOnly: knownOnly))
    }
    return counts
  }

  /// What `replay` would return on a store that is still to be made.
  static func previewOfNothing(_ deaths: TimedTokens, knownOnly: Bool) throws -> ReplayCounts {
    var counts = ReplayCounts()
    try deaths { _, time in
      counts.add(ReplayRule.outcome(of: time, on: nil, knownOnly: knownOnly))
    }
    return counts
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
