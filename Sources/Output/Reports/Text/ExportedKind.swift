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
  case streams, findings
  /// A row for each file among the inputs. It is written only if it is named: it has times of the file system.
  case inputs
}

extension Set<ExportedKind> {
  package static let all: Set = [.feedback, .requests, .responses, .pushes, .streams, .findings]
}

extension Summary {
  private var allFindings: Int { findings.values.reduce(0, +) }

  /// What was exported.
  /// - Parameters:
  ///   - kind: nil for the feedback in CSV, and else for all.
  ///   - isCSV: whether it is CSV.
  package func exportText(_ kind: ExportedKind?, isCSV: Bool) -> Message {
    let done: Message =
      switch kind {
      case .streams: .rowCount(streams, "stream")
      case .findings: .rowCount(allFindings, "finding")
      case .feedback: .rowCount(feedback, "record")
      case .requests: .rowCount(gateway.requests, "request")
      case .responses: .rowCount(gateway.responses, "response")
      case .pushes: .rowCount(pushes.counts.all, "push")
      case .resend: .requestsToResend(gateway.discarded, pushes: isCSV ? 0 : pushes.resend)
      case .resendPushes: .requestsToResend(0, pushes: pushes.resend)
      case .inputs, nil: isCSV ? .rowCount(feedback, "record") : recordText
      }
    guard let distinctTokens, kind == .feedback || kind == nil && feedback > 0 else { return done }
    return "\(done) with \(Count.of(distinctTokens, "distinct token"))"
  }

  /// What CSV of feedback leaves out, and which options have it; nil where that is nothing.
  /// - Parameter findings: whether findings are left out, too.
  package func leftOutHint(findings: Bool) -> Message? {
    let findings = findings ? allFindings : 0
    let pushes = pushes.counts.all
    guard gateway.requests > 0 || gateway.responses > 0 || pushes > 0 || findings > 0 else { return nil }
    return .leftOut(
      requests: gateway.requests, responses: gateway.responses, pushes: pushes, findings: findings)
  }
}
