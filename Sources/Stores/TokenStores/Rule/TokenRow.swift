/// The state of a token in a store.
///
/// Times are UNIX seconds, rounded down, wider than a tuple's 32 unsigned bits, because a user may write any integer into
/// the table.
package struct TokenState: Hashable, Sendable {
  /// When the app last registered the token; nil if unknown.
  package var registeredAt: Int64?
  /// When the token was invalidated; nil while it is valid.
  package var invalidatedAt: Int64?

  package init(registeredAt: Int64? = nil, invalidatedAt: Int64? = nil) {
    (self.registeredAt, self.invalidatedAt) = (registeredAt, invalidatedAt)
  }

  package var isDead: Bool { invalidatedAt != nil }
}

package struct TokenRow: Hashable, Sendable {
  package var owner: AppEnvironment
  package var token: [UInt8]
  package var state: TokenState

  package init(owner: AppEnvironment, token: [UInt8], state: TokenState) {
    (self.owner, self.token, self.state) = (owner, token, state)
  }
}

/// The state of a token in one row of any table.
package struct RowState {
  /// The latest possible time of the stored one (`StoreTime.latest`).
  var registered: StoreTime?
  /// Nil also if the table has no invalidation times. If the column has no milliseconds, the latest possible
  /// time of the stored one.
  var invalidatedAt: StoreTime?
  var isDead: Bool

  var state: TokenState {
    TokenState(registeredAt: registered?.seconds, invalidatedAt: invalidatedAt?.seconds)
  }
}

extension RowState {
  /// The state of a row with whole seconds.
  package init(_ state: TokenState) {
    self.init(
      registered: state.registeredAt.map { StoreTime(seconds: $0).latest },
      invalidatedAt: state.invalidatedAt.map { StoreTime(seconds: $0).latest }, isDead: state.isDead)
  }
}
