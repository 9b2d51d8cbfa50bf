import Analysis

extension ReportHTML {
  static func flagged(_ page: ReportPage) -> HTML {
    if page.flagged.all == 0 {
      return .empty(
        page.recovered.all > 0 ? "No record carries a flag other than carved." : "No record carries a flag.")
    }
    let flagged = Figures.count(page.flagged.all, "record carries flags", "records carry flags")
    return """
      <p>\(flagged). A doubtful record was read, and does not count as an invalidation. A record may carry \
      several flags.\(if: page.recovered.all > 0, " Records whose only flag is carved are not among them.")</p>
      \(flags(page.summary.flagCounts.filter { $0.code != carved }))<h3>Doubtful records</h3>
      \(records(page))<h3>Tokens that only doubtful records report</h3>
      \(tokens(page.invalidations, page.tokenWord))
      """
  }

  /// The flag of all records that a search found.
  static let carved = "carved"

  static func flags(_ flags: [(code: String, count: Int)]) -> HTML {
    .table(
      [.text("Flag"), .number("Records"), .text("What it means, and what to do", label: "Meaning")],
      rows: flags.map { code, count in
        let entry = FlagEntry.of(code)?.entry
        let texts = entry.map { "\($0.cause) \($0.meaning) \($0.remedy)" } ?? " "
        return [
          "<code>\(code)</code>", "\(Figures.grouped(count))",
          "<span><strong>\(entry?.title ?? code).</strong> \(texts)</span>",
        ]
      })
  }

  private static func records(_ page: ReportPage) -> HTML {
    let rows: [[HTML]] = page.flaggedRecords.map { record in
      let time = record.time.map { Figures.time($0, page.head.clock) }
      let name: HTML = "\(record.kind.noun)\(HTML.small(time))\(record.token.map(HTML.token))"
      return [name, location(record.location), reasons(record.flags)]
    }
    let shown = Figures.part(rows.count, of: page.flagged.all, "listed")
    let purpose: HTML = "\(shown), one of every input before a second of any. All of them:"
    return """
      \(table(.text("Record"), "Location", rows))\
      \(if: rows.count < page.flagged.all, .commands(purpose, page.commands.flagged))
      """
  }

  private static func tokens(_ tokens: Invalidations, _ word: HTML) -> HTML {
    // The table of tokens keeps only the flags that tuples can have.
    let unknown = reasons([("A push whose status or body is doubtful", "")])
    let rows = tokens.doubtfulRows.map { token in
      [.token(token.token), location(token.location), token.flags.isEmpty ? unknown : reasons(token.flags)]
    }
    if rows.isEmpty, tokens.doubtful == 0 { return .empty("There are none.") }
    let shown = Figures.part(rows.count, of: tokens.doubtful, "listed")
    let cut = HTML.paragraph(
      "cut", "\(shown), one of every input before a second of any. The commands above list their records.")
    return "\(table(.text(word), "First record", rows))\(if: rows.count < tokens.doubtful, cut)"
  }

  /// Nil without rows.
  private static func table(_ first: Column, _ second: HTML, _ rows: [[HTML]]) -> HTML? {
    let columns: [Column] = [
      first, .text(second, label: "Location", style: "name"), .text("Why it is doubtful", label: "Why"),
    ]
    return rows.isEmpty ? nil : .table(columns, style: "cards doubts", rows: rows)
  }

  private static func location(_ location: RecordLocation?) -> HTML {
    "\(location?.source ?? "")\(HTML.small(location?.text ?? ""))"
  }

  private static func reasons(_ flags: [String]) -> HTML {
    reasons(flags.map { (FlagEntry.of($0)?.entry.title ?? $0, $0) })
  }

  private static func reasons(_ reasons: [(title: String, flag: String)]) -> HTML {
    "\(reasons.map { "<span class=\"reason\">\($0.title) <code>\($0.flag)</code></span>" })"
  }
}
