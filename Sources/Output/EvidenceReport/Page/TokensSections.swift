import Analysis
import Basics

extension ReportHTML {
  // MARK: - Over time

  /// More bars could not be distinguished on paper.
  private static let maxBars = 62

  static func invalidations(_ page: ReportPage) -> HTML {
    let clock = page.head.clock?.name ?? "UTC"
    return Timeline(page.invalidations.histogram, maxBars: maxBars).map { chart($0, clock) }
      ?? .empty("No record without a flag reports an invalidated token, so there is no chart.")
  }

  /// - Parameter clock: the name of its time zone.
  private static func chart(_ timeline: Timeline, _ clock: String) -> HTML {
    let pictures = [TimelineSVG.Size.wide, .narrow].map {
      TimelineSVG(timeline, size: $0, id: "timeline", noun: "invalidation").html
    }
    let outside = [(timeline.earlier, "earlier"), (timeline.later, "later")].filter { $0.0 > 0 }
      .map { "\(Figures.grouped($0)) \($1)" }.joined(separator: " and ")
    let all = timeline.total + timeline.earlier + timeline.later
    return """
      <p>\(Figures.count(all, "invalidation")) by \(timeline.unit.name), at the times that \
      Apple’s service reported. Each token counts once, at the latest time among its records. Flagged \
      records do not count.\(if: !outside.isEmpty, " Far from all others, and not in the chart: \(outside).")</p>
      <figure>
      \(pictures)<figcaption>Invalidated tokens by \(timeline.unit.name) (\(clock)).</figcaption>
      </figure>

      """
  }

  // MARK: - Repeated tokens

  static func repeatedTokens(_ page: ReportPage) -> HTML {
    let (tokens, shown) = (page.invalidations, page.invalidations.repeated.count)
    if tokens.repeatedCount == 0 { return .empty("No token appears in more than one record.") }
    let hasCopies = page.inputs.contains { $0.sameBytesAs != nil }
    let part = Figures.part(shown, of: tokens.repeatedCount, "listed")
    return """
      <p>The service reports a token again if notifications are sent to it after its invalidation. \
      \(hasCopies ? repeatedByCopies : "Many repetitions may mean that the sender ignored the first report.")\
      \(if: shown < tokens.repeatedCount, " \(part).")</p>
      \(table(tokens.repeated, page, "Invalidated (latest)"))
      """
  }

  private static let repeatedByCopies: HTML = """
    But some inputs are identical to others (see <a href="#examined">Examined inputs</a>), and each copy \
    repeats its tokens. The numbers therefore say nothing about the sender.
    """

  // MARK: - Invalidated tokens

  static func invalidatedTokens(_ page: ReportPage) -> HTML {
    let (tokens, shown) = (page.invalidations, page.invalidations.rows.count)
    let cut = Figures.part(shown, of: tokens.dead, "listed")
    let doubtful = Figures.count(tokens.doubtful, "token is", "tokens are")
    return """
      \(tokens.dead == 0 ? .empty("No record without a flag reports an invalidated token.") : total(tokens.dead))\
      \(if: tokens.doubtful > 0, .paragraph(
        "alert", "\(doubtful) named only by flagged records and not counted as invalidated."))\
      \(table(tokens.rows, page, "Invalidated"))\
      \(if: shown < tokens.dead, .commands("\(cut). All of them, as a table:", page.commands.deadTokens))\
      \(if: tokens.dead > 0, .command("Every record, with its location:", page.commands[.feedback]))
      """
  }

  private static func total(_ count: Int) -> HTML {
    """
    <p>\(Figures.count(count, "invalidated token", "invalidated tokens, the latest first")). A device that \
    registered again at or after the time of invalidation counts as active: compare the two times before \
    acting on this list. Below each token is the location of the record with that time and, if another record \
    has an earlier time, of the first one.</p>

    """
  }

  /// Nil without rows.
  private static func table(_ tokens: [Invalidations.Row], _ page: ReportPage, _ time: HTML) -> HTML? {
    if tokens.isEmpty { return nil }
    return .table(
      [
        .number("No."), .text(page.tokenWord), .text(time, label: "Invalidated", style: "when"),
        .number("Records"),
      ], style: "cards tokens",
      rows: tokens.enumerated().lazy.map { index, token in
        [
          "\(Figures.grouped(index + 1))", name(token), invalidated(token, page.head.clock),
          "\(Figures.atMost(token.records))",
        ]
      })
  }

  private static func invalidated(_ token: Invalidations.Row, _ clock: LocalClock?) -> HTML {
    token.countedRecords > 0
      ? "\(Figures.time(token.time))\(HTML.small(clock?.text(token.time)))" : "not counted"
  }

  /// Length of nearly all tokens, in bytes; any other length is shown.
  private static let usualLength = 32

  private static func name(_ token: Invalidations.Row) -> HTML {
    let flagged = Int(token.records &- token.countedRecords)
    let remarks = [
      token.length == usualLength ? nil : Figures.count(token.length, "byte"),
      flagged > 0 ? Figures.count(flagged, "doubtful record") : nil,
    ].compactMap { $0 }
    return """
      \(HTML.token(token.token))\(token.location.map { found($0) })\
      \(token.firstLocation.map { found($0, "First on \(Figures.time(token.firstTime ?? 0)): ") })\
      \(HTML.small(remarks.isEmpty ? nil : remarks.joined(separator: ", ")))
      """
  }

  private static func found(_ location: RecordLocation, _ time: String = "") -> HTML {
    "<small class=\"found\">\(time)\(location.source), \(location.text)</small>"
  }
}

extension ReportPage {
  /// What the page calls the names of tokens.
  var tokenWord: HTML { head.isRedacted ? "Pseudonym" : "Token" }
}
