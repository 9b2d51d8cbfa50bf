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

  /// Whether anybody wants to know of findings before it is their turn.
  private(set) lazy var takesEarlyFindings = sinks.contains { $0.takesEarlyFindings }

  /// Tells of a finding that is added later.
  func announce(_ finding: Finding) throws {
    for sink in sinks { try sink.found(finding) }
  }

  func add(_ records: FeedbackRecords, in bytes: RawSpan) throws {
    for sink in sinks { try sink.records(records, in: bytes) }
  }

  /// Whether requests and responses are asked for.
  var takesGatewayRecords: Bool { sinks.contains { $0.takesGatewayRecords } }

  func add(_ requests: RequestRecords, in bytes: RawSpan) throws {
    for sink in sinks { try sink.requests(requests, in: bytes) }
  }

  func add(_ response: ResponseRecord) throws {
    for sink in sinks { try sink.response(response) }
  }

  func add(_ stream: StreamSummary) throws {
    summary.streams += 1
    for sink in sinks { try sink.stream(stream) }
  }
}
