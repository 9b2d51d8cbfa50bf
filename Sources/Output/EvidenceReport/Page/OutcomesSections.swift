import APNsWire
import Analysis
import Basics
import Reports

extension ReportHTML {
  // MARK: - Gateway connections

  /// Nil without requests and responses.
  static func gateway(_ page: ReportPage) -> HTML? {
    let counts = page.summary.gateway
    guard counts.requests + counts.responses > 0 else { return nil }
    return """
      \(if: counts.requests > 0, requests(page))<h3 class="plain">Error responses</h3>
      \(responses(page))
      """
  }

  private static func requests(_ page: ReportPage) -> HTML {
    let counts = page.summary.gateway
    let commands = page.gateway.commands.enumerated().filter { $0.element > 0 }
      .map { "\(Figures.grouped($0.element)) with command \($0.offset)" }
    let outcomes = RequestOutcome.allCases.map { ($0.rawValue, counts[$0], meaning($0)) }
    let resend = "The discarded requests, which had to be sent again:" as HTML
    return """
      <p>The outcome of each request follows from the errors that the gateway sent before it closed the \
      connection. Requests: \(commands.joined(separator: ", ")).</p>
      \(Self.outcomes("Requests", of: counts.requests, outcomes))\
      \(HTML.command("Every request with its outcome:", page.commands[.requests]))\
      \(if: counts.discarded > 0, .command(resend, page.commands[.resend]))
      """
  }

  private static func meaning(_ outcome: RequestOutcome) -> String {
    switch outcome {
    case .accepted:
      "Sent before the request that an error refers to: the gateway accepted it. Its delivery is not confirmed."
    case .rejected: "The request that an error refers to: it failed, for the reason below."
    case .discarded: "Sent after the one that failed: the gateway discarded it, and it had to be sent again."
    case .unknown:
      "No error response decides it. The gateway sends nothing on success, so silence proves nothing."
    }
  }

  private static func responses(_ page: ReportPage) -> HTML {
    let (rows, count) = (page.gateway.responses.map(response), page.summary.gateway.responses)
    if count == 0 { return .empty("The inputs contain no error response.") }
    let shown = Figures.part(rows.count, of: count, "shown")
    return """
      \(rows)\(if: rows.count < count, .command("\(shown). All of them:", page.commands[.responses]))
      """
  }

  private static func response(_ response: GatewayRows.Response) -> HTML {
    let says = response.status.map { ErrorStatus(rawValue: $0)?.text ?? "not in Apple’s table" }
    let named = response.requestOffset.map { "the request at offset \(Figures.grouped($0))" }
    let captured = response.capturedAt.map { ", \($0.prefix(10)) \($0.dropFirst(11).dropLast()) UTC" } ?? ""
    let flags = response.flags.isEmpty ? "" : " · " + response.flags.joined(separator: ", ")
    return """
      <div class="box">
      <p><strong>Status \(response.status.map { "\($0)" } ?? "··")</strong>, \(says ?? "left out"): \
      identifier \(response.identifier.map { "\($0)" } ?? "··"), which refers to \
      \(named ?? "no request in the inputs").</p>
      \(response.token.map { HTML.paragraph("token", "\($0)") })\
      <p class="where">\(response.location.source), \(response.location.text)\(captured)\(flags)</p>
      </div>

      """
  }

  // MARK: - Pushes

  /// Nil without pushes.
  static func pushes(_ page: ReportPage) -> HTML? {
    let pushes = page.summary.pushes
    guard pushes.counts.all > 0 else { return nil }
    let outcomes = PushOutcome.allCases.map { ($0.rawValue, pushes.counts[$0], meaning($0)) }
    return """
      <p>Requests to today’s service over HTTP/2, and its answers.</p>
      \(Self.outcomes("Pushes", of: pushes.counts.all, outcomes))<h3 class="plain">Answers</h3>
      \(answers(pushes, "Pushes"))\(lags(page))\(kinds(pushes))\(topics(pushes, "Topic", "Pushes"))\(keys(page))\
      \(HTML.command("All pushes with their responses:", page.commands[.pushes]))\
      \(if: pushes.resend > 0, .command("Pushes to send again:", page.commands[.resendPushes]))
      """
  }

  private static func meaning(_ outcome: PushOutcome) -> String {
    switch outcome {
    case .accepted: "Status 200: the service accepted it. This does not confirm its delivery."
    case .invalidated: "Status 410: the token is invalid since the response's timestamp."
    case .rejected: "Any other status: the service did not accept it."
    case .unknown: "The inputs have no status for it. The absence of a response proves nothing."
    }
  }

  /// Nil without broadcasts and requests for channels.
  static func broadcasts(_ page: ReportPage) -> HTML? {
    let (broadcasts, channels) = (page.summary.requests.broadcasts, page.summary.requests.channels)
    if broadcasts.counts.all + channels.counts.all == 0 { return nil }
    let tables = [
      (broadcasts, "Broadcasts", ExportedKind.broadcasts), (channels, "Channel requests", .channels),
    ]
    return """
      <p>A broadcast goes to all devices that subscribe to a channel, and has no token. Requests for channels create, \
      read, list or delete them.</p>
      \(tables.compactMap { $0.0.counts.all > 0 ? ofChannels(page, $0.0, "\($0.1)", $0.2) : nil })
      """
  }

  private static func ofChannels(
    _ page: ReportPage, _ tally: PushTally, _ title: HTML, _ kind: ExportedKind
  ) -> HTML {
    """
    <h3 class="plain">\(title)</h3>
    \(answers(tally, title))\(topics(tally, "App", title))\
    \(HTML.command("All of them:", page.commands[kind]))
    """
  }

  /// Nil if all tokens are an app's on a device, or of an unknown kind.
  private static func kinds(_ pushes: PushTally) -> HTML? {
    guard pushes.kinds.contains(where: { $0.kind != .device && $0.kind != nil }) else { return nil }
    let table = HTML.table(
      [.text("Kind of token")] + PushOutcome.allCases.map { .number("\($0.rawValue)") },
      rows: pushes.kinds.map { row in
        ["\(row.kind?.rawValue ?? "not known")"]
          + PushOutcome.allCases.map { "\(Figures.grouped(row.counts[$0]))" }
      })
    return "<h3 class=\"plain\">Kinds of tokens</h3>\n\(table)"
  }

  private static func answers(_ pushes: PushTally, _ noun: HTML) -> HTML {
    let known = pushes.answers.map { answer in
      let status = [answer.operation, answer.status.map { "\($0)" } ?? "not known"].compactMap { $0 }
      return (status.joined(separator: " "), answer.text ?? "–", answer.count)
    }
    let others = pushes.otherAnswers
    let answers = known + (others > 0 ? [("other", "–", others)] : [])
    return .table(
      [.text("Status"), .text("Reason"), .number(noun)],
      rows: answers.map { ["<strong>\($0)</strong>", "\($1)", "\(Figures.grouped($2))"] })
  }

  private static func lags(_ page: ReportPage) -> HTML? {
    let (lags, tokens) = (page.summary.pushes.lags, page.summary.tokens)
    guard let median = lags.percentile(50), let p90 = lags.percentile(90) else { return nil }
    let text = { (lag: Int) in "<strong>\(TimeSpan.text(milliseconds: lag))</strong>" as HTML }
    let sends = tokens?.sendsAfter410 ?? 0
    return """
      <h3 class="plain">How late tokens were reported</h3>
      <p class="lags">From the invalidation that Apple names to the answer, in \
      \(Figures.count(lags.count, "answer")) with status 410: half within \(text(median)), nine of ten within \
      \(text(p90)), all within \(text(lags.longest)).\
      \(if: sends > 0, " After its first such answer, \(Figures.count(sends, "push was", "pushes were")) still sent to \(Figures.count(tokens?.sentAfter410 ?? 0, "token")).")</p>

      """
  }

  private static func keys(_ page: ReportPage) -> HTML? {
    let keys = page.summary.providerKeys
    if keys.keys.isEmpty { return nil }
    let rows = keys.keys.map { "<li>\($0.text)</li>\n" as HTML }
    return """
      <h3 class="plain">Keys of the provider</h3>
      <ul class="keys">
      \(rows)</ul>
      \(if: keys.others > 0, "<p>\(Figures.count(keys.others, "push has", "pushes have")) another provider token.</p>\n")
      """
  }

  private static let maxTopics = 20

  private static func topics(_ pushes: PushTally, _ title: HTML, _ noun: HTML) -> HTML? {
    let rest = pushes.topics.dropFirst(maxTopics).reduce(pushes.otherTopics) { $0 + $1.count }
    let known = pushes.topics.prefix(maxTopics).map { ($0.text ?? "", $0.count) }
    let topics = known + (rest > 0 ? [("others", rest)] : [])
    if topics.isEmpty { return nil }
    let table = HTML.table(
      [.text(title, style: "name"), .number(noun)],
      rows: topics.map { ["\($0)", "\(Figures.grouped($1))"] })
    return "<h3 class=\"plain\">\(title)s</h3>\n\(table)"
  }

  // MARK: - Outcomes

  /// - Parameter outcomes: name, number and meaning of each.
  private static func outcomes(_ noun: HTML, of all: Int, _ outcomes: [(String, Int, String)]) -> HTML {
    .table(
      [.text("Outcome"), .number(noun), .number("Share"), .text("What it means", label: "Meaning")],
      rows: outcomes.map { name, count, meaning in
        [
          "<strong>\(name)</strong>", "\(Figures.grouped(count))", "\(Figures.percent(count, of: all))",
          "<span>\(meaning)</span>",
        ]
      })
  }
}
