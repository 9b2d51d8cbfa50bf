import Analysis
import WireBytes

/// The kinds of rows that an export can contain, as `--records` names them.
package enum ExportedKind: String, CaseIterable, Sendable {
  case feedback, requests, responses
  /// Only the requests that had to be sent again.
  case resend
  case streams, findings
}

extension Set<ExportedKind> {
  package static let all: Set = [.feedback, .requests, .responses, .streams, .findings]
}

extension Summary {
  private var allFindings: Int { findings.values.reduce(0, +) }

  /// What was exported.
  /// - Parameters:
  ///   - kind: nil for the feedback in CSV, and else for all.
  ///   - isCSV: whether it is CSV.
  package func exportText(_ kind: ExportedKind?, isCSV: Bool) -> String {
    let done =
      switch kind {
      case .streams: Count.of(streams, "stream")
      case .findings: Count.of(allFindings, "finding")
      case .feedback: Count.of(feedback, "record")
      case .requests: Count.of(gateway.requests, "request")
      case .responses: Count.of(gateway.responses, "response")
      case .resend: "\(Count.of(gateway.discarded, "request")) to send again"
      case nil: isCSV ? Count.of(feedback, "record") : recordText
      }
    guard let distinctTokens, kind == .feedback || kind == nil && feedback > 0 else { return done }
    return "\(done) with \(Count.of(distinctTokens, "distinct token"))"
  }

  /// What CSV of feedback leaves out, and which options have it; nil where that is nothing.
  /// - Parameter findings: whether findings are left out, too.
  package func leftOutHint(findings: Bool) -> String? {
    let kinds = [
      (gateway.requests, "request", "--records requests"),
      (gateway.responses, "response", "--records responses"),
      (findings ? allFindings : 0, "finding", "--findings FILE or --records findings"),
    ].filter { $0.0 > 0 }
    guard !kinds.isEmpty else { return nil }
    let texts = kinds.map { Count.of($0.0, $0.1) }.joined(separator: ", ")
    let remedies = kinds.map(\.2).joined(separator: ", ")
    return "hint: \(texts) left out; \(remedies) \(kinds.count == 1 ? "has" : "have") them"
  }
}
