import APNsWire
import Analysis
import Basics

/// How many records there are, in words.
extension Summary {
  /// `39 records`, `200 requests, 1 response`, `60 pushes`, or all of them.
  package var recordText: Message {
    let counts = [
      (gateway.requests, "request"), (gateway.responses, "response"), (pushes.counts.all, "push"),
      (requests.broadcasts.counts.all, "broadcast"), (requests.channels.counts.all, "channel request"),
    ].filter { $0.0 > 0 }
    let all = feedback > 0 || counts.isEmpty ? [(feedback, "record")] + counts : counts
    return "\(all.map { Count.of($0.0, $0.1) }.joined(separator: ", "))"
  }
}

extension GatewayCounts {
  /// `200 requests (119 accepted, 1 rejected, 80 discarded), 1 response`.
  var text: String {
    Count.of(requests, "request") + list(RequestOutcome.allCases.map { (self[$0], $0.rawValue) })
      + ", " + Count.of(responses, "response")
  }
}

extension PushCounts {
  /// `60 pushes (45 accepted, 9 invalidated, 6 rejected)`.
  func text(_ noun: String = "push") -> String {
    Count.of(all, noun) + list(PushOutcome.allCases.map { (self[$0], $0.rawValue) })
  }
}

/// ` (45 accepted, 9 invalidated)`; empty if all counts are 0.
private func list(_ counts: [(count: Int, name: String)]) -> String {
  let parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
  return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
}
