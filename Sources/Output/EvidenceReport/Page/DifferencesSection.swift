import Reports

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
      <p>Compared with <b>\(differences.name)</b>, \
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
