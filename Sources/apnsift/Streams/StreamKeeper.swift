import Analysis
import Corpus
import PacketCapture
import WireBytes

/// Keeps streams with their true records until they end, to hold readers against them.
///
/// Memory: of all open streams together `memory` bytes are kept. A stream that would take more is given up.
final class StreamKeeper: EvidenceSink {
  private let memory: Int
  /// Gets each stream when it ends.
  private let ended: (KeptStream, StreamSummary) throws -> Void
  private var streams: [Int: KeptStream] = [:]
  /// Bytes that all of them take.
  private var kept = 0

  /// - Parameters:
  ///   - memory: for what is kept, in bytes.
  ///   - ended: gets streams in the order in which they end.
  init(memory: Int, ended: @escaping (KeptStream, StreamSummary) throws -> Void) {
    self.memory = memory
    self.ended = ended
  }

  func keep(_ bytes: RawSpan, of direction: StreamDirection, origins: Span<ByteOrigin>) {
    change(direction.stream) { $0[direction.side].append(bytes, origins: origins) }
  }

  func drop(_ direction: StreamDirection) {
    change(direction.stream) { $0[direction.side].drop() }
  }

  func beginInMidstream(_ direction: StreamDirection) {
    change(direction.stream) { $0[direction.side].beginsInMidstream = true }
  }

  /// The true records come behind or before the bytes that hold them, as the decoder sees fit.
  func records(_ records: FeedbackRecords, in bytes: RawSpan) {
    change(records.labels.stream) { $0.add(records) }
  }

  var takesGatewayRecords: Bool { true }

  func response(_ response: ResponseRecord) {
    change(response.labels.stream) { $0.add(response) }
  }

  func finding(_ finding: Finding) {
    guard finding.code == .skippedBytes, let stream = finding.stream, finding.direction != nil else { return }
    change(stream) { $0.add(skipped: finding) }
  }

  func stream(_ summary: StreamSummary) throws {
    let stream = streams.removeValue(forKey: summary.number) ?? KeptStream()
    kept &-= stream.cost
    try ended(stream, summary)
  }

  /// Changes what is kept of a stream, and gives it up where that takes too much.
  private func change(_ number: Int, _ change: (inout KeptStream) -> Void) {
    let before = streams[number]?.cost ?? 0
    change(&streams[number, default: KeptStream()])
    kept &+= (streams[number]?.cost ?? 0) &- before
    if kept > memory {
      kept &-= streams[number]?.cost ?? 0
      streams[number]?.giveUp()
    }
  }
}

// MARK: - What can be judged

extension KeptStream {
  /// Which side sent the feedback. Where the client was told apart by the handshake alone, it may be the one.
  func feedbackSide(_ summary: StreamSummary) -> Side {
    !serverTuples.isEmpty || clientTuples.isEmpty ? summary.serverSide : summary.serverSide.other
  }

  /// The true tuples of the side that sent the feedback.
  var tuples: [TupleRun] { !serverTuples.isEmpty || clientTuples.isEmpty ? serverTuples : clientTuples }

  /// Whether this side sent bytes that are no records, cut tails left aside.
  func hasSkipped(of side: Side, _ summary: StreamSummary) -> Bool {
    skippedOf.contains(side == summary.serverSide ? .server : .client)
  }

  /// Why readers of this side cannot be judged, a sentence without its full stop; nil where they can be.
  /// - Parameter firstRecord: offset of the first true record; nil without any.
  func obstacle(
    _ summary: StreamSummary, _ side: Side, firstRecord: Int?, memory: Int, memoryOption: String = "--memory"
  ) -> String? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    if missing > 0 {
      return "the stream lacks \(Count.of(missing, "byte")), which the reader did receive"
    }
    if isGivenUp { return "the stream takes more than the \(ByteSize.text(memory)) of \(memoryOption)" }
    if self[side].beginsInMidstream, bytes > 0, firstRecord != 0 {
      return "the stream lacks its beginning, which the reader did receive"
    }
    return self[side].bytes.count == bytes ? nil : "what was sent could not be decoded"
  }
}
