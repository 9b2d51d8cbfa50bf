import Analysis
import Basics

extension ReportHTML {
  /// The columns of an interactive page.
  private static let browserColumns: [(name: String, value: @Sendable (TokenLine) -> JSONValue)] = [
    ("Token", { .string($0.token) }),
    ("Invalidated", { time($0.history.invalidatedAt) }),
    ("First seen", { time($0.history.seen?.lowerBound) }),
    ("Last seen", { time($0.history.seen?.upperBound) }),
    ("Records", { .int($0.history.records) }),
    ("Sends", { .int($0.history.sends) }),
    ("Accepted", { .int($0.history.outcomes.accepted) }),
    ("Rejected", { .int($0.history.outcomes.rejected) }),
    ("After 410", { .int($0.history.sendsAfter410) }),
    ("Doubtful", { .int($0.history.doubtful) }),
    ("Kind", { .string($0.history.kind?.rawValue ?? "") }),
    ("Topics", { .string($0.history.topics.map(VisibleText.of).joined(separator: ", ")) }),
    ("Input", { .string(VisibleText.of($0.location.source)) }),
    ("Location", { .string($0.location.text) }),
  ]

  private static func time(_ time: CaptureTime?) -> JSONValue { .string(time?.text ?? "") }

  /// What the script needs: its table, and the rows.
  static func browser(_ page: ReportPage) -> HTML {
    let rows = page.tokens.prefix(TokenLine.mostInteractive).map { line in
      browserColumns.map { $0.value(line) }
    }
    let columns = zip(browserColumns, rows.first ?? []).map { column, value in
      JSONValue.object([("name", .string(column.name)), ("isNumber", .bool(value.intValue != nil))])
    }
    let left = (page.summary.tokens?.all ?? 0) - rows.count
    return """
      \(if: left > 0, .paragraph("alert", "The table that can be searched lacks \(Figures.count(left, "token")): those that became invalid, or were seen, earlier."))\
      <div id="browser"></div>
      <script type="application/json" id="token-data">\(HTML.data(.object([
        ("columns", .array(columns)), ("rows", .array(rows.map(JSONValue.array))),
      ])))</script>
      <script>\(HTML.script)</script>

      """
  }
}
