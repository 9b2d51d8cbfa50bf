import APNsWire
import Analysis

/// The section about pushes.
struct PushesView {
  struct OutcomeRow {
    let outcome: String
    let count: String
    let share: String
    let means: String
  }

  struct AnswerRow {
    let status: String
    let reason: String
    let pushes: String
  }

  struct TopicRow {
    let topic: String
    let pushes: String
  }

  let pushOutcomes: [OutcomeRow]
  let answers: [AnswerRow]
  let topics: [TopicRow]
  let hasTopics: Bool
  let pushesCommand: String
  let resendCommand: String
  let hasResend: Bool

  init?(_ page: ReportPage) {
    let pushes = page.summary.pushes
    guard pushes.counts.all > 0 else { return nil }
    pushOutcomes = PushOutcome.allCases.map { outcome in
      OutcomeRow(
        outcome: outcome.rawValue, count: Figures.grouped(pushes.counts[outcome]),
        share: Figures.percent(pushes.counts[outcome], of: pushes.counts.all), means: Self.meaning(outcome))
    }
    let others = pushes.otherAnswers
    answers =
      pushes.answers.map {
        AnswerRow(
          status: $0.status.map { String($0) } ?? "not known", reason: page.shown($0.text) ?? "–",
          pushes: Figures.grouped($0.count))
      } + (others > 0 ? [AnswerRow(status: "other", reason: "–", pushes: Figures.grouped(others))] : [])
    let rest = pushes.topics.dropFirst(Self.maxTopics).reduce(pushes.otherTopics) { $0 + $1.count }
    topics =
      pushes.topics.prefix(Self.maxTopics).map {
        TopicRow(topic: page.shown($0.text) ?? "", pushes: Figures.grouped($0.count))
      } + (rest > 0 ? [TopicRow(topic: "other topics", pushes: Figures.grouped(rest))] : [])
    hasTopics = !topics.isEmpty
    pushesCommand = page.commands.pushes
    resendCommand = page.commands.resendPushes
    hasResend = pushes.resend > 0
  }

  private static let maxTopics = 20

  private static func meaning(_ outcome: PushOutcome) -> String {
    switch outcome {
    case .accepted: "Status 200: the service accepted it. This does not confirm its delivery."
    case .invalidated: "Status 410: the token is invalid since the response's timestamp."
    case .rejected: "Any other status: the service did not accept it."
    case .unknown: "The inputs have no status for it. The absence of a response proves nothing."
    }
  }
}

extension ReportPage {
  /// A text of the input, masked if the page is redacted.
  fileprivate func shown(_ text: String?) -> String? {
    guard let text, head.isRedacted else { return text }
    var mask = Redaction(isActive: true)
    return mask.text(text)
  }
}
