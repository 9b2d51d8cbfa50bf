import Analysis
import StreamSources

/// Hands everything on to the analyzer, and the bytes of servers to the auditor as well.
struct AuditReceiver: InputReceiver {
  private var analyzer: Analyzer
  private let auditor: StreamAuditor

  init(_ analyzer: Analyzer, auditor: StreamAuditor) {
    self.analyzer = analyzer
    self.auditor = auditor
  }

  mutating func begin(source: String) throws {
    try auditor.endInput()
    analyzer.begin(source: source)
  }

  mutating func goOn(source: String) { analyzer.goOn(source: source) }

  mutating func opened(_ stream: StreamIdentity) throws { analyzer.opened(stream) }

  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) throws {
    try analyzer.bytes(bytes, of: direction, origins: origins)
    // Ciphertext, requests and what is nothing known are not kept longer than it takes to tell.
    if analyzer.carriesAnswers(direction) == false {
      auditor.drop(direction)
    } else {
      auditor.keep(bytes, of: direction, origins: origins)
    }
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    auditor.drop(direction)
    try analyzer.gap(gap, in: direction)
  }

  mutating func anomaly(_ anomaly: StreamAnomaly) throws {
    if anomaly.kind == .midstreamStart, let stream = anomaly.stream, let side = anomaly.side {
      auditor.beginInMidstream(StreamDirection(stream: stream, side: side))
    }
    try analyzer.anomaly(anomaly)
  }

  mutating func closed(_ report: StreamReport) throws { try analyzer.closed(report) }
}
