import Analysis
import Messages
import Platform
import WireBytes

/// How many records there are, in words.
extension Summary {
  /// `39 records`, `200 requests, 1 response`, or all three.
  package var recordText: Message {
    .recordCounts(feedback: feedback, requests: gateway.requests, responses: gateway.responses)
  }
}

extension GatewayCounts {
  /// `200 requests (119 accepted, 1 rejected, 80 discarded), 1 response`.
  var text: String {
    let outcomes = RequestOutcome.allCases.compactMap { outcome in
      self[outcome] > 0 ? "\(self[outcome]) \(outcome.rawValue)" : nil
    }
    let fates = outcomes.isEmpty ? "" : " (\(outcomes.joined(separator: ", ")))"
    return Count.of(requests, "request") + fates + ", " + Count.of(responses, "response")
  }
}
