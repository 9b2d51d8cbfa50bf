import Basics

/// The text output of `verify`: the tests that failed, and why; with `isVerbose` all tests, with their purpose.
package enum TestText {
  /// The most characters shown of a line. A request may have a payload of kilobytes.
  private static let longestLine = 2000

  /// The lines of one test, with line ends; empty for a test that is not shown.
  /// - Parameter isVerbose: whether to include tests that passed or were skipped.
  package static func lines(_ row: TestRow, style: TextStyle, isVerbose: Bool) -> String {
    let name = VisibleText.of(row.name)
    let shows = isVerbose && !row.description.isEmpty ? "  shows: \(VisibleText.of(row.description))\n" : ""
    switch row.verdict {
    case .passed: return isVerbose ? "ok      \(name)\n\(shows)" : ""
    case .skipped(let reason): return isVerbose ? "skipped \(name): \(VisibleText.of(reason))\n\(shows)" : ""
    case .broken(let reason):
      return "\(style.severity(.error, "broken")) \(style.bold(name)): \(VisibleText.of(reason))\n\(shows)"
    case .failed(let summary, let details):
      return "\(style.severity(.error, "failed")) \(style.bold(name)): \(VisibleText.of(summary))\n\(shows)"
        + details.map(VisibleText.of).map {
          "  \($0.prefix(longestLine))\($0.count > longestLine ? "…" : "")\n"
        }.joined()
    }
  }
}
