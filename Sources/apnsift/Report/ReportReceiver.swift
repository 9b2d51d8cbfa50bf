import Analysis
import PacketCapture

/// Hands everything on to what reads the streams, and what windows and tables need to those that keep it.
struct ReportReceiver<Inner: InputReceiver>: InputReceiver {
  private var inner: Inner
  private let analyzer: Analyzer
  private let places: PlaceKeeper
  private let collector: ReportCollector

  init(_ inner: Inner, analyzer: Analyzer, places: PlaceKeeper, collector: ReportCollector) {
    self.inner = inner
    self.analyzer = analyzer
    self.places = places
    self.collector = collector
  }

  mutating func begin(source: String) throws {
    collector.beginInput()
    try inner.begin(source: source)
  }

  mutating func goOn(source: String) { inner.goOn(source: source) }
  mutating func opened(_ stream: StreamIdentity) throws { try inner.opened(stream) }

  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) throws {
    try inner.bytes(bytes, of: direction, origins: origins)
    places.keep(bytes, of: direction, origins: origins, by: analyzer)
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    try inner.gap(gap, in: direction)
    places.gap(in: direction, by: analyzer)
  }

  mutating func anomaly(_ anomaly: StreamAnomaly) throws { try inner.anomaly(anomaly) }
  mutating func closed(_ report: StreamReport) throws { try inner.closed(report) }
}
