/// The outcome of one distinct token of a replay (docs/spec/interface.md#replay-rule).
///
/// `rejected` is not among them: it depends on the flags of the token's records, before the store is read.
package enum ReplayOutcome: String, CaseIterable, Sendable {
  /// Not in the store: stored as invalid.
  case inserted
  /// Not in the store, and not stored, with `knownOnly`.
  case unknown
  /// Registered at or after the tuple's time: not changed.
  case kept
  /// Already invalidated, at or after the tuple's time.
  case unchanged
  /// Already invalidated, now with the tuple's later time.
  case updated
  /// Was valid, is invalid now.
  case invalidated

  /// Whether rows are written.
  var isChange: Bool { self == .inserted || self == .updated || self == .invalidated }
  /// The name in journals and reports.
  package var name: String { rawValue }
}

/// The outcome of a registration (docs/spec/interface.md#replay-rule).
package enum RegistrationOutcome: CaseIterable, Sendable {
  /// Not in the store: stored as valid.
  case added
  /// Was invalid, is valid now.
  case revived
  /// Has a later registration; valid or invalid as before.
  case raised
  /// The store has this registration, or a later one.
  case unchanged
}

/// The rule for registrations and invalidations (docs/spec/interface.md#replay-rule).
///
/// A row has the latest registration, and the latest invalidation if that is later. So the row depends on the set of
/// registrations and invalidations, not on their order or repetitions.
package enum ReplayRule {
  /// The outcome of an invalidation at `time` for a token with `state`, nil if the store does not have it.
  /// - Parameter grace: seconds by which a registration may be earlier than `time` and still keep the device.
  package static func outcome(
    of time: StoreTime, on state: RowState?, knownOnly: Bool, grace: UInt32 = 0
  ) -> ReplayOutcome {
    guard let state else { return knownOnly ? .unknown : .inserted }
    var spared = time
    spared.seconds -= Int64(grace)
    // A tie keeps the device (docs/spec/protocol.md#feedback-tuples).
    if let registered = state.registered, registered >= spared { return .kept }
    guard state.isDead else { return .invalidated }
    return (state.invalidatedAt ?? time) >= time ? .unchanged : .updated
  }

  /// Combines the rows of one token: the latest registration counts, and the token is valid while one row is. Nil
  /// without rows.
  package static func state(ofRows rows: some Sequence<RowState>) -> RowState? {
    rows.reduce(nil) { all, row in
      guard let all else { return row }
      let isDead = all.isDead && row.isDead
      return RowState(
        registered: [all.registered, row.registered].compactMap { $0 }.max(),
        invalidatedAt: isDead ? [all.invalidatedAt, row.invalidatedAt].compactMap { $0 }.min() : nil,
        isDead: isDead)
    }
  }

  /// The state of a token after a registration at `time`, in UNIX seconds, and the outcome.
  package static func registering(
    _ state: TokenState?, at time: Int64
  ) -> (state: TokenState, outcome: RegistrationOutcome) {
    guard let state else { return (TokenState(registeredAt: time), .added) }
    let registeredAt = max(state.registeredAt ?? time, time)
    let after = TokenState(
      registeredAt: registeredAt,
      invalidatedAt: state.invalidatedAt.flatMap { $0 > registeredAt ? $0 : nil })
    if after == state { return (after, .unchanged) }
    return (after, state.isDead && !after.isDead ? .revived : .raised)
  }
}
