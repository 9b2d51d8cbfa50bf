/// Writes tests as JUnit XML, for continuous integration.
package enum JUnitWriter {
  package static func text(_ rows: [TestRow], suite: String) -> String {
    let tally = TestTally(rows)
    let counts =
      "tests=\"\(tally.count)\" failures=\"\(tally.failed)\" errors=\"\(tally.broken)\" skipped=\"\(tally.skipped)\""
      + time(rows.compactMap(\.time).reduce(.zero, +))
    let name = attribute(suite)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name=\(name) \(counts)>
        <testsuite name=\(name) \(counts)>
      \(rows.map { element($0, suite: name) }.joined())  </testsuite>
      </testsuites>

      """
  }

  private static func element(_ row: TestRow, suite: String) -> String {
    var inner: [String] = []
    switch row.verdict {
    case .passed: break
    case .skipped(let reason): inner.append("<skipped message=\(attribute(reason))/>")
    case .broken(let reason): inner.append("<error type=\"broken\" message=\(attribute(reason))/>")
    case .failed(let summary, let details):
      let text = details.map(XMLText.escaped).joined(separator: "\n")
      inner.append("<failure type=\"difference\" message=\(attribute(summary))>\(text)</failure>")
    }
    if !row.description.isEmpty {
      inner.append("<system-out>\(XMLText.escaped(row.description))</system-out>")
    }
    let start = "    <testcase classname=\(suite) name=\(attribute(row.name))\(time(row.time ?? .zero))"
    if inner.isEmpty { return "\(start)/>\n" }
    return "\(start)>\n" + inner.map { "      \($0)\n" }.joined() + "    </testcase>\n"
  }

  /// The attribute `time`, in seconds with three decimals.
  private static func time(_ time: Duration) -> String {
    let milliseconds = Int(time / .milliseconds(1))
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return " time=\"\(milliseconds / 1000).\(fraction)\""
  }

  private static func attribute(_ text: String) -> String { "\"\(XMLText.escaped(text))\"" }
}
