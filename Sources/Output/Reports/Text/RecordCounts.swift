import APNsWire
import Analysis
import Basics

/// How many records there are, in words.
extension Summary {
  /// `39 records`, `200 requests, 1 response`, `60 pushes`, or all of them.
  package var recordText: Message {
    let counts = [
      (gateway.requests, "request"), (gateway.responses, "response"), (pushes.counts.all, "push"),
    ].filter { $0.0 > 0 }
    let all = feedback > 0 || counts.isEmpty ? [(feedback, "record")] + counts : counts
    return "\(all.map { Count.of($0.0, $0.1) }.joined(separator: ", "))"
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

extension PushCounts {
  /// `60 pushes (45 accepted, 9 invalidated, 6 rejected)`.
  var text: String {
    let outcomes = PushOutcome.allCases.compactMap { outcome in
      self[outcome] > 0 ? "\(self[outcome]) \(outcome.rawValue)" : nil
    }
    return Count.of(all, "push")
      + (outcomes.isEmpty ? "" : " (\(outcomes.joined(separator: ", ")))")
  }
}
