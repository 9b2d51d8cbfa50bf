/// The two ends of a connection, whichever of them sent: both directions have the same key.
struct ConnectionKey: Hashable, Sendable {
  /// The end that is lower in the order of addresses, then ports.
  private var low: Endpoint
  private var high: Endpoint

  init(_ one: Endpoint, _ other: Endpoint) {
    if one.precedes(other) {
      (low, high) = (one, other)
    } else {
      (low, high) = (other, one)
    }
  }

  static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
    left.low == right.low && left.high == right.high
  }

  func hash(into hasher: inout Hasher) {
    // In few words: the family is known by them well enough, and equality asks for it.
    hasher.combine(low.address.low)
    hasher.combine(high.address.low)
    hasher.combine(UInt32(low.port) << 16 | UInt32(high.port))
    if low.address.family == .v6 || high.address.family == .v6 {
      hasher.combine(low.address.high)
      hasher.combine(high.address.high)
    }
  }
}

extension Endpoint {
  fileprivate func precedes(_ other: Endpoint) -> Bool {
    if address.family != other.address.family { return address.family == .v4 }
    if address.high != other.address.high { return address.high < other.address.high }
    if address.low != other.address.low { return address.low < other.address.low }
    return port < other.port
  }
}
