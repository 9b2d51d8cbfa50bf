import Analysis
import Basics

/// The kinds of rows that an export can contain, as `--records` names them.
package enum ExportedKind: String, CaseIterable, Sendable {
  case feedback, requests, responses
  /// Only the requests that had to be sent again.
  case resend
  case pushes
  /// Only pushes to send again.
  case resendPushes = "resend-pushes"
  /// Of today's service, besides pushes.
  case broadcasts, channels
  case streams, findings
  /// A row for each token, with what all records say of it. It is written only if it is named: it has all inputs.
  case tokens
  /// A row for each file among the inputs. It is written only if it is named: it has times of the file system.
  case inputs
}

extension Set<ExportedKind> {
  package static let all: Set = [
    .feedback, .requests, .responses, .pushes, .broadcasts, .channels, .streams, .findings,
  ]
}

extension Summary {
  private var allFindings: Int { findings.values.reduce(0, +) }

  /// What was exported.
  /// - Parameters:
  ///   - kind: nil for the feedback in CSV, and else for all.
  ///   - isCSV: whether it is CSV.
  package func exportText(_ kind: ExportedKind?, isCSV: Bool) -> Message {
    let done =
      switch kind {
      case .streams: Count.of(streams, "stream")
      case .findings: Count.of(allFindings, "finding")
      case .feedback: Count.of(feedback, "record")
      case .requests: Count.of(gateway.requests, "request")
      case .responses: Count.of(gateway.responses, "response")
      case .pushes: Count.of(pushes.counts.all, "push")
      case .broadcasts: Count.of(requests.broadcasts.counts.all, "broadcast")
      case .channels: Count.of(requests.channels.counts.all, "channel request")
      case .resend:
        isCSV || pushes.resend == 0
          ? "\(Count.of(gateway.discarded, "request")) to send again"
          : "\(gateway.discarded > 0 ? "\(Count.of(gateway.discarded, "request")), " : "")\(pushesToResend)"
      case .resendPushes: pushesToResend
      case .tokens: Count.of(distinctTokens ?? 0, "token")
      case .inputs, nil: isCSV ? Count.of(feedback, "record") : recordText.text
      }
    guard let distinctTokens, kind == .feedback || kind == nil && feedback > 0 else { return "\(done)" }
    return "\(done) with \(Count.of(distinctTokens, "distinct token"))"
  }

  private var pushesToResend: String { "\(Count.of(pushes.resend, "push")) to send again" }

  /// What CSV of feedback leaves out, and which options have it; nil where that is nothing.
  /// - Parameter findings: whether findings are left out, too.
  package func leftOutHint(findings: Bool) -> Message? {
    let findings = findings ? allFindings : 0
    let pushes = pushes.counts.all
    let kinds = [
      (gateway.requests, "request", "--records requests"),
      (gateway.responses, "response", "--records responses"),
      (pushes, "push", "--records pushes"),
      (requests.broadcasts.counts.all, "broadcast", "--records broadcasts"),
      (requests.channels.counts.all, "channel request", "--records channels"),
      (findings, "finding", "--findings FILE or --records findings"),
    ].filter { $0.0 > 0 }
    guard !kinds.isEmpty else { return nil }
    let counts = kinds.map { Count.of($0.0, $0.1) }.joined(separator: ", ")
    let remedies = kinds.map(\.2).joined(separator: ", ")
    return "hint: \(counts) left out; \(remedies) \(kinds.count == 1 ? "has" : "have") them"
  }
}
