import Basics

/// How many live tokens one replay may invalidate: a list of another app, environment or decade would silently disable
/// thousands of devices.
package enum InvalidationLimit: Equatable, Sendable {
  case count(Int)
  /// A share of the live tokens of the app and environment, if there are more than `fewest`.
  case percent(Double, fewest: Int = 0)

  package static let standard = InvalidationLimit.percent(25, fewest: 1000)

  /// Reads `500`, or `25%`.
  package init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      self = .percent(percent)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      self = .count(count)
    }
  }

  package var text: String {
    switch self {
    case .count(let count): "\(count)"
    case .percent(let percent, let fewest):
      (percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%")
        + (fewest > 0 ? " of more than \(fewest)" : "")
    }
  }

  /// Whether `invalidated` tokens may be too many; if not, the number of live ones is not needed.
  package func mayStop(_ invalidated: Int) -> Bool {
    switch self {
    case .count(let most): invalidated > most
    case .percent(let percent, let fewest):
      percent < 100 && Double(invalidated) > Double(fewest) * percent / 100
    }
  }

  /// The number of live tokens from which on `invalidated` of them are within the limit, if that many may stop.
  package func enough(_ invalidated: Int) -> Int {
    switch self {
    case .count: return .max
    case .percent(let percent, _):
      let most = (Double(invalidated) * 100 / percent).rounded(.up) + 1
      return most < 1e15 ? Int(most) : .max
    }
  }

  /// The exceeded limit of a replay that invalidates that many of `live` tokens; nil if it is within the limit.
  package func stop(_ invalidated: Int, of live: Int) -> LimitExceeded? {
    let most =
      switch self {
      case .count(let most): most
      case .percent(let percent, let fewest):
        live > fewest ? Int((Double(live) * percent / 100).rounded(.down)) : .max
      }
    return invalidated > most ? LimitExceeded(invalidated: invalidated, live: live, most: most) : nil
  }
}

package struct LimitExceeded: Equatable, Sendable {
  /// How many live tokens it would have invalidated, how many there are, and the limit.
  package var invalidated: Int
  package var live: Int
  package var most: Int

  package init(invalidated: Int, live: Int, most: Int) {
    (self.invalidated, self.live, self.most) = (invalidated, live, most)
  }

  package var message: Message {
    "\(invalidated) of \(live) live tokens would be invalidated; at most \(most) may be (--max-invalidate)"
  }
}
