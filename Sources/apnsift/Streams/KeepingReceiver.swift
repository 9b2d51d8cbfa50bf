import Analysis
import PacketCapture

/// Hands everything on to the analyzer, and the bytes of servers to the keeper as well.
struct KeepingReceiver: InputReceiver {
  private var analyzer: Analyzer
  private let keeper: StreamKeeper
  private let inputEnded: () throws -> Void

  /// - Parameter inputEnded: is called before each input: the streams that come next are those of another one.
  init(_ analyzer: Analyzer, keeper: StreamKeeper, inputEnded: @escaping () throws -> Void = {}) {
    self.analyzer = analyzer
    self.keeper = keeper
    self.inputEnded = inputEnded
  }

  mutating func begin(source: String) throws {
    try inputEnded()
    analyzer.begin(source: source)
  }

  mutating func goOn(source: String) { analyzer.goOn(source: source) }

  mutating func opened(_ stream: StreamIdentity) throws { analyzer.opened(stream) }

  mutating func bytes(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) throws {
    try analyzer.bytes(bytes, of: direction, origins: origins)
    // Ciphertext, requests and what is nothing known are not kept longer than it takes to tell.
    if analyzer.carriesAnswers(direction) == false {
      keeper.drop(direction)
    } else {
      keeper.keep(bytes, of: direction, origins: origins)
    }
  }

  mutating func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    keeper.drop(direction)
    try analyzer.gap(gap, in: direction)
  }

  mutating func anomaly(_ anomaly: StreamAnomaly) throws {
    if anomaly.kind == .midstreamStart, let stream = anomaly.stream, let side = anomaly.side {
      keeper.beginInMidstream(StreamDirection(stream: stream, side: side))
    }
    try analyzer.anomaly(anomaly)
  }

  mutating func closed(_ report: StreamReport) throws { try analyzer.closed(report) }
}
