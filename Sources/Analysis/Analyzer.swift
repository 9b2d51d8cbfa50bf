import APNsWire
import PacketCapture
import WireBytes

/// Turns streams into records and findings with their evidence, one input after another.
package final class Analyzer {
  private let options: AnalysisOptions
  private let space: GatewaySpace
  private let log: EvidenceLog
  /// The names of the inputs that are read as one, in order.
  private var sources: [String] = [""]
  private var streams: [Int: StreamAnalysis] = [:]
  /// The stream of the last event: the next one is often of the same.
  private var last: (number: Int, stream: StreamAnalysis)?

  package init(_ options: AnalysisOptions = AnalysisOptions(), sinks: [any EvidenceSink]) {
    self.options = options
    space = GatewaySpace(options.gateway)
    log = EvidenceLog(sinks: sinks)
  }

  /// Counts over all inputs so far.
  package var summary: Summary { log.summary }

  /// What follows comes from the input that reports call `source`.
  package func begin(source: String) {
    sources = [source]
  }

  /// What follows comes from `source`, too, which goes on where the input before it ended.
  package func goOn(source: String) {
    sources.append(source)
  }

  /// Adds a finding about an input as a whole.
  package func report(_ finding: Finding) throws {
    try log.add(finding)
  }

  /// Whether a direction of an open stream carries what servers send, feedback or error responses; nil until
  /// its bytes have told.
  package func carriesAnswers(_ direction: StreamDirection) -> Bool? {
    stream(direction.stream)?.direction(direction.side).carriesAnswers
  }

  /// Offset from 0 up to which all has been said of a direction of an open stream; where bytes are being skipped,
  /// that of the first of them. Nil where nothing is decoded: then nothing more is said of its bytes either.
  package func coveredOffset(_ direction: StreamDirection) -> Int? {
    stream(direction.stream)?.direction(direction.side).coveredOffset
  }

  /// Who a side of an open stream is, as far as is known.
  package func role(_ direction: StreamDirection) -> Direction? {
    stream(direction.stream)?.role(of: direction.side)
  }

  /// Whether a direction of an open stream is known to carry requests.
  package func carriesRequests(_ direction: StreamDirection) -> Bool {
    stream(direction.stream)?.direction(direction.side).carriesRequests ?? false
  }

  private func source(_ input: UInt16) -> String {
    sources.indices.contains(Int(input)) ? sources[Int(input)] : sources.last ?? ""
  }

  private func stream(_ number: Int) -> StreamAnalysis? {
    if let last, last.number == number { return last.stream }
    guard let stream = streams[number] else { return nil }
    last = (number, stream)
    return stream
  }

  private func analysis(of identity: StreamIdentity) -> StreamAnalysis {
    StreamAnalysis(identity, options: options, space: space, log: log) { [unowned self] in source($0) }
  }
}

// MARK: - The events of streams

extension Analyzer: StreamReceiver {
  package func opened(_ identity: StreamIdentity) {
    streams[identity.number] = analysis(of: identity)
  }

  package func bytes(
    _ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>
  ) throws {
    try stream(direction.stream)?.direction(direction.side).append(bytes, origins: origins)
  }

  package func gap(_ gap: StreamGap, in direction: StreamDirection) throws {
    try stream(direction.stream)?.direction(direction.side).gap(gap)
  }

  package func anomaly(_ anomaly: StreamAnomaly) throws {
    let code = FindingCode(anomaly.kind)
    guard let stream = anomaly.stream.flatMap({ stream($0) }) else {
      return try log.add(
        Finding(
          source: source(anomaly.packet?.input ?? UInt16(clamping: sources.count - 1)),
          length: anomaly.length, packet: anomaly.packet?.number, fileOffset: anomaly.fileOffset, code: code,
          message: anomaly.message))
    }
    if anomaly.kind == .midstreamStart, let side = anomaly.side { stream.direction(side).beginInMidstream() }
    let finding = StreamFinding(
      code: code, side: anomaly.side, offset: anomaly.offset, length: anomaly.length,
      fileOffset: anomaly.fileOffset, packet: anomaly.packet, message: anomaly.message)
    guard let side = anomaly.side else { return try stream.find(finding) }
    try stream.direction(side).anomaly(finding)
  }

  package func closed(_ report: StreamReport) throws {
    let number = report.identity.number
    try (stream(number) ?? analysis(of: report.identity)).close(report)
    streams[number] = nil
    last = nil
  }
}
