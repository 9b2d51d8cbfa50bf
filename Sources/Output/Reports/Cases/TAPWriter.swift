import Basics

/// Writes tests as the Test Anything Protocol, version 14.
package enum TAPWriter {
  package static func text(_ rows: [TestRow]) -> String {
    let lines = zip(1..., rows).map { number, row in point(number, row) }
    return "TAP version 14\n1..\(rows.count)\n" + lines.joined()
  }

  private static func point(_ number: Int, _ row: TestRow) -> String {
    var label = escaped(row.name)
    if !row.description.isEmpty { label += ": \(escaped(row.description))" }
    switch row.verdict {
    case .passed: return "ok \(number) - \(label)\n"
    case .skipped(let reason): return "ok \(number) - \(label) # SKIP \(escaped(reason))\n"
    case .broken(let reason): return "not ok \(number) - \(label)\n" + block("error", reason, [])
    case .failed(let summary, let details):
      return "not ok \(number) - \(label)\n" + block("fail", summary, details)
    }
  }

  /// Diagnostics as YAML. Texts are JSON strings, which are valid YAML.
  private static func block(_ severity: String, _ message: String, _ details: [String]) -> String {
    var lines = ["---", "severity: \(severity)", "message: \(quoted(message))"]
    if !details.isEmpty {
      lines.append("details:")
      lines += details.map { "  - \(quoted($0))" }
    }
    return (lines + ["..."]).map { "  \($0)\n" }.joined()
  }

  private static func quoted(_ text: String) -> String { JSONValue.quoted(VisibleText.of(text)) }

  /// Escapes `#`, which begins a directive, and the backslash.
  private static func escaped(_ text: String) -> String {
    VisibleText.of(text).map { character in
      character == "#" || character == "\\" ? "\\\(character)" : String(character)
    }.joined()
  }
}
