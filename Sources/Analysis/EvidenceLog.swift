import APNsWire
import WireBytes

/// Where an analysis writes down what it finds: counts it, and passes it on.
final class EvidenceLog {
  var summary = Summary()
  private let sinks: [any EvidenceSink]

  init(sinks: [any EvidenceSink]) {
    self.sinks = sinks
  }

  func add(_ finding: Finding) throws {
    summary.findings[finding.code, default: 0] += 1
    for sink in sinks { try sink.finding(finding) }
  }

  func add(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    for sink in sinks { try sink.records(records, in: bytes) }
  }

  func add(_ stream: StreamSummary) throws {
    summary.streams += 1
    for sink in sinks { try sink.stream(stream) }
  }
}
