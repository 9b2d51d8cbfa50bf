/// What a store says of a token that it holds.
///
/// Times are UNIX seconds. They are wider than a tuple's 32 unsigned bits, because a user may have written
/// any integer into the table.
package struct TokenState: Hashable, Sendable {
  /// When the app last registered the token; nil where nobody said.
  package var registeredAt: Int64?
  /// When the token was found dead; nil while it is alive.
  package var invalidatedAt: Int64?

  package init(registeredAt: Int64? = nil, invalidatedAt: Int64? = nil) {
    self.registeredAt = registeredAt
    self.invalidatedAt = invalidatedAt
  }

  package var isDead: Bool { invalidatedAt != nil }
}

/// A row of `device_tokens`.
package struct TokenRow: Hashable, Sendable {
  package var owner: AppEnvironment
  package var token: [UInt8]
  package var state: TokenState

  package init(owner: AppEnvironment, token: [UInt8], state: TokenState) {
    self.owner = owner
    self.token = token
    self.state = state
  }
}

/// What a row of any table says of its token.
struct RowState {
  var registered: Int64?
  /// Nil also where the table keeps no times of deaths.
  var died: Int64?
  var isDead: Bool

  var state: TokenState { TokenState(registeredAt: registered, invalidatedAt: died) }
}
