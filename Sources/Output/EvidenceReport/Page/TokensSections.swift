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
    let pictures = TimelineSVG.pictures(timeline, id: "timeline", noun: "invalidation")
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

  // MARK: - Tokens

  static func tokens(_ page: ReportPage) -> HTML {
    let (tokens, all) = (page.invalidations, page.summary.tokens?.all ?? 0)
    let lines = page.tokens.prefix(page.limits.tokens)
    let doubtful = Figures.count(tokens.doubtful, "token is", "tokens are")
    return """
      \(all == 0 ? .empty("No record has a token.") : total(page))\
      \(if: tokens.doubtful > 0, .paragraph(
        "alert", "\(doubtful) named only by doubtful records and not counted as invalidated."))\
      \(if: page.isInteractive, browser(page))\
      \(table(lines, page))\
      \(if: lines.count < all, .command(
        "\(Figures.part(lines.count, of: all, "listed")). All of them, as a table:", page.commands[.tokens]))\
      \(if: page.summary.feedback > 0, .command("Every feedback tuple, with its location:", page.commands[.feedback]))
      """
  }

  private static func total(_ page: ReportPage) -> HTML {
    let (counts, after) = (page.summary.tokens ?? TokenCounts(), page.summary.tokens?.sentAfter410 ?? 0)
    let parts = [
      (counts.invalidated, "invalidated"), (counts.sentTo, "sent to"), (after, "still sent to after a 410"),
      (counts.doubtful, "with doubtful records"), (counts.recovered, "with recovered records"),
    ].filter { $0.0 > 0 }.map { "\(Figures.grouped($0.0)) \($0.1)" }
    return """
      <p>\(Figures.count(counts.all, "token"))\(if: !parts.isEmpty, ": \(parts.joined(separator: ", "))"). Those \
      that became invalid last come first, then those that were seen last. A device that \
      registered again at or after the time of invalidation counts as active: compare the two times before \
      acting on this list. Below each token is the location of the record with that time and, if another record \
      has an earlier time, of the first one.</p>

      """
  }

  /// Nil without rows.
  private static func table(_ lines: ArraySlice<TokenLine>, _ page: ReportPage) -> HTML? {
    if lines.isEmpty { return nil }
    let hasSends = (page.summary.tokens?.sentTo ?? 0) > 0
    return .table(
      [
        .number("No."), .text(page.tokenWord), .text("Invalidated", style: "when"), .text("Seen"),
        .number("Records"),
      ] + (hasSends ? [.number("Accepted"), .number("Rejected"), .number("After 410")] : []),
      style: "cards tokens",
      rows: lines.enumerated().lazy.map { index, line in
        let (history, clock) = (line.history, page.head.clock)
        return [
          "\(Figures.grouped(index + 1))", name(line, page),
          history.invalidatedAt.map { time($0, clock) } ?? "–", seen(history),
          "\(Figures.grouped(history.records))",
        ]
          + (hasSends
            ? [history.outcomes.accepted, history.outcomes.rejected, history.sendsAfter410]
              .map { "\(Figures.grouped($0))" } : [])
      })
  }

  static func time(_ time: CaptureTime, _ clock: LocalClock?) -> HTML {
    let seconds = UInt32(clamping: time.seconds)
    return "\(Figures.time(seconds))\(HTML.small(clock?.text(seconds)))"
  }

  /// The days of its records.
  private static func seen(_ history: TokenHistory) -> HTML {
    let days = history.seen.map { [$0.lowerBound, $0.upperBound].map { ($0.text ?? "").prefix(10) } } ?? []
    return "\(days.isEmpty ? "–" : days[0] == days[1] ? "\(days[0])" : "\(days[0]) to \(days[1])")"
  }

  private static func name(_ line: TokenLine, _ page: ReportPage) -> HTML {
    let history = line.history
    let remarks = [
      line.length == usualLength ? nil : Figures.count(line.length, "byte"), history.kind?.rawValue,
      history.topics.isEmpty ? nil : history.topics.joined(separator: ", "), history.environment?.rawValue,
      history.doubtful > 0 ? Figures.count(history.doubtful, "doubtful record") : nil,
      history.inputs > 1 ? "in \(Figures.count(history.inputs, "input"))" : nil,
    ]
    let link = line.input.flatMap {
      $0 < page.limits.inputs ? "<a href=\"#input-\($0)\">\(line.location.source)</a>" as HTML : nil
    }
    return """
      \(HTML.token(line.token))<small class="found">\(link ?? "\(line.location.source)"), \(line.location.text)</small>\
      \(line.first.map { found($0.location, "First on \(Figures.time(UInt32(clamping: $0.time.seconds))): ") })\
      \(HTML.small(remarks.compactMap(\.self), separator: ", "))
      """
  }

  // MARK: - Invalidated tokens

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
    ]
    return """
      \(HTML.token(token.token))\(token.location.map { found($0) })\
      \(token.firstLocation.map { found($0, "First on \(Figures.time(token.firstTime ?? 0)): ") })\
      \(HTML.small(remarks.compactMap(\.self), separator: ", "))
      """
  }

  static func found(_ location: RecordLocation, _ time: String = "") -> HTML {
    "<small class=\"found\">\(time)\(location.source), \(location.text)</small>"
  }
}

extension ReportPage {
  /// What the page calls the names of tokens.
  var tokenWord: HTML { head.isRedacted ? "Pseudonym" : "Token" }
}
