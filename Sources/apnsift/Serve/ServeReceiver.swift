import Analysis
import PacketCapture

/// Hands everything on to the analyzer, and what servers sent to those streams that may be served.
struct ServeReceiver: InputReceiver {
  private var analyzer: Analyzer
  private let streams: ServedStreams

  init(_ analyzer: Analyzer, streams: ServedStreams) {
    self.analyzer = analyzer
    self.streams = streams
  }

  mutating func begin(source: String) {
    streams.beginInput()
    analyzer.begin(source: source)
  }

  mutating func goOn(source: String) { analyzer.goOn(source: source) }

  mutating func opened(_ stream: StreamIdentity) throws { analyzer.opened(stream) }

  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) throws {
    try analyzer.bytes(bytes, of: direction, origins: origins)
    streams.keep(bytes, of: direction, origins: origins)
    // Of requests it is enough to know when they came; ciphertext and what is nothing known is of no use.
    if analyzer.carriesAnswers(direction) == false {
      streams.drop(direction, packetsToo: !analyzer.carriesRequests(direction))
    }
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    streams.drop(direction, packetsToo: false)
    try analyzer.gap(gap, in: direction)
  }

  mutating func anomaly(_ anomaly: StreamAnomaly) throws {
    if anomaly.kind == .midstreamStart, let stream = anomaly.stream, let side = anomaly.side {
      streams.beginInMidstream(StreamDirection(stream: stream, side: side))
    }
    try analyzer.anomaly(anomaly)
  }

  mutating func closed(_ report: StreamReport) throws {
    streams.closing(report)
    try analyzer.closed(report)
  }
}
