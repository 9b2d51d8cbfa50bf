/// What a replay did with one distinct token of its input (docs/spec/interface.md#replay-rule).
///
/// `rejected` is missing here: it is decided from the flags of the token's records, before a store is asked.
package enum ReplayOutcome: String, CaseIterable, Sendable {
  /// Not in the store: stored as dead.
  case inserted
  /// Not in the store, and only known tokens were asked for: not stored.
  case unknown
  /// Registered at or after the tuple's time: still alive, or dead for another reason.
  case kept
  /// Dead already, at or after the tuple's time.
  case unchanged
  /// Dead already, now with the tuple's later time.
  case updated
  /// Was alive, is dead now.
  case invalidated

  /// Whether rows are written.
  var isChange: Bool { self == .inserted || self == .updated || self == .invalidated }

  /// What journals and reports call it.
  package var name: String { rawValue }
}

/// What a registration did (docs/spec/interface.md#replay-rule).
package enum RegistrationOutcome: CaseIterable, Sendable {
  /// Not in the store: stored as alive.
  case added
  /// Was dead, is alive now.
  case revived
  /// Registered later than the store knew; as alive or as dead as before.
  case raised
  /// The store knew of this registration or of a later one.
  case unchanged
}

/// The rule by which tokens die and live (docs/spec/interface.md#replay-rule).
///
/// A row tells the latest registration, and the latest death if that is later still. So the row depends on
/// which registrations and deaths were seen, and neither on their order nor on how often each was seen.
package enum ReplayRule {
  /// What a tuple of `time` does to a token that stands in the store as `state` (nil: it does not), tested in
  /// the order of the spec.
  /// - Parameter grace: seconds by which a registration may lie before `time` and keeps the device all the same.
  package static func outcome(
    of time: UInt32, on state: TokenState?, knownOnly: Bool, grace: UInt32 = 0
  ) -> ReplayOutcome {
    guard let state else { return knownOnly ? .unknown : .inserted }
    let row = RowState(registered: state.registeredAt, died: state.invalidatedAt, isDead: state.isDead)
    return outcome(of: time, on: row, grace: grace)
  }

  static func outcome(of time: UInt32, on state: RowState, grace: UInt32) -> ReplayOutcome {
    let time = Int64(time)
    // A tie keeps the device (docs/spec/protocol.md#feedback-tuples).
    if let registered = state.registered, registered >= time - Int64(grace) { return .kept }
    guard state.isDead else { return .invalidated }
    return (state.died ?? time) >= time ? .unchanged : .updated
  }

  /// What several rows of one token say of it: its latest registration is that of any of them, and it is alive while one
  /// of them is.
  static func state(ofRows rows: some Sequence<RowState>) -> RowState {
    rows.reduce(nil as RowState?) { all, row in
      guard let all else { return row }
      let isDead = all.isDead && row.isDead
      return RowState(
        registered: [all.registered, row.registered].compactMap { $0 }.max(),
        died: isDead ? [all.died, row.died].compactMap { $0 }.min() : nil, isDead: isDead)
    } ?? RowState(isDead: false)
  }

  /// The state of a token after a registration at `time`, and what that changed.
  package static func registering(
    _ state: TokenState?, at time: UInt32
  ) -> (state: TokenState, outcome: RegistrationOutcome) {
    let time = Int64(time)
    guard let state else { return (TokenState(registeredAt: time), .added) }
    let registeredAt = max(state.registeredAt ?? time, time)
    let survivesDeath = state.invalidatedAt.map { $0 <= registeredAt } ?? true
    let after = TokenState(
      registeredAt: registeredAt, invalidatedAt: survivesDeath ? nil : state.invalidatedAt)
    if after == state { return (after, .unchanged) }
    return (after, state.isDead && !after.isDead ? .revived : .raised)
  }
}
