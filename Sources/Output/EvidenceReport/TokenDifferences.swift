import Analysis
import Basics
import Reports

/// How the tokens of a page differ from those of other inputs: counts, and the differences with the latest times.
package struct TokenDifferences: Sendable {
  package struct Row: Sendable {
    /// In hex, or a pseudonym.
    var token: String
    let kind: TokenDifference.Difference
    /// When it became invalid by the inputs of the page, and by the others.
    let times: [CaptureTime?]
    /// Of the record that dates it: in the page's inputs, or else in the others.
    var location: RecordLocation

    init?(_ difference: TokenDifference) {
      guard let history = difference.first ?? difference.second else { return nil }
      (token, kind) = (ShownToken.hex(difference.token), difference.difference)
      times = [difference.first?.invalidatedAt, difference.second?.invalidatedAt]
      location = RecordLocation(history.record, in: history.source)
    }
  }

  /// Of the other inputs.
  package var name: String
  /// Other inputs that could not be read in full.
  package var failures = 0
  package var counts: [TokenDifference.Difference: Int] = [:]
  /// Tokens that both have with the same time.
  package var same = 0
  package var rows: [Row] = []

  package init(from name: String) { self.name = name }

  /// - Parameter difference: nil for a token without one.
  mutating func count(_ difference: TokenDifference?) {
    if let kind = difference?.difference { counts[kind, default: 0] += 1 } else { same += 1 }
  }

  /// Those that became invalid last come first.
  static func precede(_ left: TokenDifference, _ right: TokenDifference) -> Bool {
    let (one, other) = (latest(left), latest(right))
    if one < other || other < one { return other < one }
    return left.token.lexicographicallyPrecedes(right.token)
  }

  private static func latest(_ difference: TokenDifference) -> CaptureTime {
    [difference.first?.invalidatedAt, difference.second?.invalidatedAt].compactMap { $0 }.max()
      ?? CaptureTime(seconds: .min)
  }
}
