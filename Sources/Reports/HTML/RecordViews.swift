import APNsWire
import Analysis
import WireBytes

/// Gateway connections in the page.
struct GatewayView {
  struct OutcomeRow {
    let outcome: String
    let count: String
    let share: String
    let means: String
  }

  struct ResponseRow {
    let place: String
    let status: String
    let says: String
    let identifier: String
    let named: String
    let token: String
    let hasToken: Bool
    let flags: String?
  }

  let outcomes: [OutcomeRow]
  let hasRequests: Bool
  let commands: String
  let responses: [ResponseRow]
  let hasResponses: Bool
  let shown: String
  let isCut: Bool
  let responsesCommand: String
  let requestsCommand: String
  let resendCommand: String
  let hasDiscarded: Bool

  init?(_ page: ReportPage) {
    let counts = page.summary.gateway
    guard counts.requests + counts.responses > 0 else { return nil }
    outcomes = RequestOutcome.allCases.map { outcome in
      OutcomeRow(
        outcome: outcome.rawValue, count: Figures.grouped(counts[outcome]),
        share: Figures.percent(counts[outcome], of: counts.requests), means: Self.meaning(outcome))
    }
    hasRequests = counts.requests > 0
    let commands = page.gateway.commands.enumerated().filter { $0.element > 0 }
    self.commands = commands.map { "\(Figures.grouped($0.element)) with command \($0.offset)" }
      .joined(separator: ", ")
    responses = page.gateway.responses.map(Self.row)
    hasResponses = counts.responses > 0
    shown = "\(Figures.grouped(responses.count)) of \(Figures.grouped(counts.responses))"
    isCut = responses.count < counts.responses
    responsesCommand = page.commands.responses
    requestsCommand = page.commands.requests
    resendCommand = page.commands.resend
    hasDiscarded = counts.discarded > 0
  }

  private static func meaning(_ outcome: RequestOutcome) -> String {
    switch outcome {
    case .accepted:
      "Sent before the request that an error names: the gateway took it. That it was delivered is not said."
    case .rejected: "The request that an error names: it failed, for the reason below."
    case .discarded:
      "Sent behind the one that failed: the gateway threw it away, and it had to be sent again."
    case .unknown: "No error tells. Nothing is sent on success, and silence proves nothing."
    }
  }

  private static func row(_ response: GatewayRows.Response) -> ResponseRow {
    let status = response.status.map { code in
      ErrorStatus(rawValue: code)?.text ?? "not in Apple’s table"
    }
    let packet = response.packet.map { ", packet \(Figures.grouped($0))" } ?? ""
    let captured = response.capturedAt.map { ", \($0.prefix(10)) \($0.dropFirst(11).dropLast()) UTC" } ?? ""
    return ResponseRow(
      place:
        "\(response.source), stream \(response.stream), offset \(Figures.grouped(response.offset))\(packet)\(captured)",
      status: response.status.map { String($0) } ?? "··", says: status ?? "left out",
      identifier: response.identifier.map { String($0) } ?? "··",
      named: response.requestOffset.map { "the request at offset \(Figures.grouped($0))" }
        ?? "no request that is there",
      token: response.token ?? "", hasToken: response.token != nil,
      flags: response.flags.isEmpty ? nil : response.flags.joined(separator: ", "))
  }
}

/// What faulty readers would have made of it, in the page.
struct ReadersView {
  struct Reader {
    let name: String
    let habit: String
    let judgement: String
    let counts: [PageView.Fact]
    let isRight: Bool
    let isWrong: Bool
    let difference: String
    let hasDifference: Bool
    let compared: [PageView.Fact]
  }

  let isAudited: Bool
  let readers: [Reader]
  let hasReaders: Bool
  let chunks: String
  let command: String

  init(_ page: ReportPage) {
    isAudited = page.isAudited
    readers = page.readers.map(Self.reader)
    hasReaders = !readers.isEmpty
    chunks = page.chunks
    command = page.commands.audit
  }

  private static func reader(_ total: ReaderTotal) -> Reader {
    let isJudged = total.judged > 0
    let isWrong = total.wrong + total.missed + total.hangs + total.throwing > 0
    func figure(_ number: Int) -> String { isJudged ? Figures.grouped(number) : "–" }
    let counts = [
      PageView.Fact(name: "Reported", value: figure(total.records)),
      PageView.Fact(name: "Right", value: figure(total.correct)),
      PageView.Fact(name: "Wrong", value: figure(total.wrong)),
      PageView.Fact(name: "Missed", value: figure(total.missed)),
    ]
    let difference = total.difference.map(text) ?? ""
    let compared = [
      total.difference?.expected.map {
        PageView.Fact(name: "True record", value: record($0, of: total.name))
      },
      total.difference?.emitted.map { PageView.Fact(name: "Reported", value: record($0, of: total.name)) },
    ].compactMap { $0 }
    return Reader(
      name: total.name, habit: ReaderTexts.habit(total.name) ?? "", judgement: ReaderTexts.verdict(total),
      counts: counts, isRight: isJudged && !isWrong, isWrong: isJudged && isWrong, difference: difference,
      hasDifference: !difference.isEmpty, compared: compared)
  }

  /// `time,token`, or of error responses `status,identifier`, as people read it.
  private static func record(_ text: String, of reader: String) -> String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return text }
    if reader == "php" { return "status \(parts[0]), identifier \(parts[1])" }
    let time = UInt32(parts[0]).map(Figures.time) ?? "time \(parts[0])"
    return "\(time), \(parts[1].isEmpty ? "an empty token" : String(parts[1]))"
  }

  private static func text(_ difference: ReaderTotal.Difference) -> String {
    let place = "\(difference.source), stream \(difference.stream), record \(difference.record + 1)"
    return place + (difference.reason.map { ": \($0)." } ?? ".")
  }
}

/// The tokens that died, in the page.
struct DeathsView {
  struct Row {
    let rank: String
    let token: String
    let died: String
    let often: String
    let remark: String?
  }

  let rows: [Row]
  let hasRows: Bool
  let hasDead: Bool
  let isCut: Bool
  let shown: String
  let total: String
  let doubtful: String
  let hasDoubtful: Bool
  let repeated: [Row]
  let hasRepeated: Bool
  let hasRepeatedRows: Bool
  let repeatedShown: String?
  /// Whether inputs hold the same bytes, so that a token may be named by a copy alone.
  let hasCopies: Bool
  let commands: [String]
  let recordsCommand: String
  let tokenWord: String

  init(_ page: ReportPage) {
    let deaths = page.deaths
    rows = deaths.rows.enumerated().map { Self.row($0, $1, often: $1.countedRecords) }
    hasRows = !rows.isEmpty
    hasDead = deaths.dead > 0
    isCut = rows.count < deaths.dead
    shown = "\(Figures.grouped(rows.count)) of \(Figures.grouped(deaths.dead))"
    total = Figures.count(deaths.dead, "dead token")
    doubtful = Figures.count(deaths.doubtful, "token is", "tokens are")
    hasDoubtful = deaths.doubtful > 0
    repeated = deaths.repeated.enumerated().map { Self.row($0, $1, often: $1.records) }
    hasRepeated = deaths.repeatedCount > 0
    hasRepeatedRows = !repeated.isEmpty
    repeatedShown =
      deaths.repeatedCount > repeated.count
      ? "\(Figures.grouped(repeated.count)) of \(Figures.grouped(deaths.repeatedCount))" : nil
    hasCopies = page.inputs.contains { $0.sameBytesAs != nil }
    commands = page.commands.deadTokens
    recordsCommand = page.commands.records
    tokenWord = page.head.isRedacted ? "Pseudonym" : "Token"
  }

  /// Bytes of nearly all tokens: the length of others is told.
  private static let usualLength = 32

  private static func row(_ index: Int, _ death: Deaths.Row, often: UInt32) -> Row {
    let flagged = death.records &- death.countedRecords
    let remarks = [
      death.length == usualLength ? nil : Figures.count(death.length, "byte"),
      flagged > 0 ? "\(Figures.count(Int(flagged), "flagged record")) besides" : nil,
    ].compactMap { $0 }
    return Row(
      rank: Figures.grouped(index + 1), token: death.token,
      died: death.countedRecords > 0 ? Figures.time(death.time) : "not counted as dead",
      often: Figures.atMost(often), remark: remarks.isEmpty ? nil : remarks.joined(separator: ", "))
  }
}
