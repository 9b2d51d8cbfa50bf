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

extension ReportHTML {
  /// Nil unless the page compares its tokens with others.
  static func differences(_ page: ReportPage) -> HTML? {
    guard let differences = page.differences else { return nil }
    let all = differences.counts.values.reduce(0, +)
    let counts =
      TokenDifference.Difference.allCases.map { (differences.counts[$0] ?? 0, $0.words) }
      + [(differences.same, "in both with the same time")]
    let parts = counts.filter { $0.0 > 0 }.map { "\(Figures.grouped($0.0)) \($0.1)" }
    let listed = "\(Figures.part(differences.rows.count, of: all, "listed"))"
    return """
      <p>Compared with <span class="name">\(differences.name)</span>, \
      \(parts.isEmpty ? "which has no tokens either" : "tokens are: \(parts.joined(separator: ", "))"). The times are \
      those of invalidation.</p>
      \(if: differences.failures > 0, .paragraph(
        "alert", "\(Figures.count(differences.failures, "input")) there could not be read in full, so tokens may be missing there."))\
      \(if: !differences.rows.isEmpty, table(differences.rows, page))\
      \(if: differences.rows.count < all, page.commands.differences.map { .command("\(listed). All of them:", $0) }
        ?? .paragraph("cut", "\(listed)."))
      """
  }

  private static func table(_ rows: [TokenDifferences.Row], _ page: ReportPage) -> HTML {
    .table(
      [
        .number("No."), .text(page.tokenWord), .text("Difference"), .text("Here", style: "when"),
        .text("There", style: "when"),
      ],
      style: "cards tokens",
      rows: rows.enumerated().lazy.map { index, row in
        [
          "\(Figures.grouped(index + 1))", "\(HTML.token(row.token))\(found(row.location))",
          "\(row.kind.words)",
        ] + row.times.map { $0.map { time($0, page.head.clock) } ?? "–" }
      })
  }
}

extension TokenDifference.Difference {
  fileprivate var words: String {
    switch self {
    case .onlyA: "only here"
    case .onlyB: "only there"
    case .otherTime: "in both with another time"
    }
  }
}
