import Analysis
import Corpus
import ReaderModels
import Reports
import StreamSources
import WireBytes

/// Keeps streams until they end, then lets the faulty readers read them and holds what they report against the
/// true records (readers.md).
///
/// Memory: of all open streams together `memory` bytes are kept. A stream that would take more is not judged.
/// Judging takes some two times as much again, of one stream at a time.
final class StreamAuditor: EvidenceSink {
  private let chunks: AuditChunks
  private let memory: Int
  /// The option that says how much memory that is.
  private let memoryOption: String
  private let report: any ReaderReport
  private var streams: [Int: KeptStream] = [:]
  /// Bytes that all of them take.
  private var kept = 0
  private var order = StreamOrder()
  private(set) var tally = ReaderTally()
  /// Streams that took too much memory, and of how many of them a message tells.
  private var givenUp = 0
  private static let maxMessages = 10

  /// - Parameters:
  ///   - memory: for the bytes that are kept, in bytes.
  ///   - memoryOption: what raises it.
  ///   - report: gets the rows, stream by stream in the order of their numbers.
  init(_ chunks: AuditChunks, memory: Int, memoryOption: String = "--memory", report: any ReaderReport) {
    self.chunks = chunks
    self.memory = memory
    self.memoryOption = memoryOption
    self.report = report
  }

  /// The streams that come next are those of another input, or there are none.
  func endInput() throws {
    for rows in order.end() { try hand(on: rows) }
  }

  // MARK: - What is kept

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

  // MARK: - The end of a stream

  func stream(_ summary: StreamSummary) throws {
    let stream = streams.removeValue(forKey: summary.number) ?? KeptStream()
    let rows =
      switch summary.speaks {
      case .feedback: feedbackRows(stream, summary)
      case .gateway where summary.serverBytes > 0: responseRows(stream, summary)
      case .gateway, .encrypted, .other: [ReaderRow]()
      }
    kept &-= stream.cost
    if stream.isGivenUp, !rows.isEmpty { tellGivenUp(summary) }
    for rows in order.add(rows, of: summary.number) { try hand(on: rows) }
  }

  private func hand(on rows: [ReaderRow]) throws {
    tally.add(rows)
    try report.add(rows)
  }

  private func tellGivenUp(_ summary: StreamSummary) {
    givenUp += 1
    guard givenUp <= Self.maxMessages else { return }
    let rest = givenUp == Self.maxMessages ? " (so are those of which no more is said)" : ""
    Messages.say(
      "\(summary.source): stream \(summary.number) is not judged: all open streams together may take "
        + "\(ByteSize.text(memory)); raise \(memoryOption)\(rest)")
  }

  // MARK: - Judging

  private func feedbackRows(_ stream: KeptStream, _ summary: StreamSummary) -> [ReaderRow] {
    // Where the client was told apart by the handshake alone, it may be the one that sent the feedback.
    let isServers = !stream.serverTuples.isEmpty || stream.clientTuples.isEmpty
    let side = isServers ? summary.serverSide : summary.serverSide.other
    let tuples = isServers ? stream.serverTuples : stream.clientTuples
    let names = FeedbackModel.allCases.map(\.rawValue)
    if let reason = reason(stream, summary, side, firstRecord: tuples.first?.offset) {
      return names.flatMap { notJudged($0, summary, reason) }
    }
    let truth = FeedbackTruth(bytes: stream[side].bytes, runs: tuples)
    let cuts = chunks.cuts(chunkEnds: stream[side].chunkEnds)
    return FeedbackModel.allCases.flatMap { model in
      var known: Judgement?
      return cuts.map { cut in
        let judgement = known ?? truth.judge(model, cut: cut.chunking)
        if !model.dependsOnChunks { known = judgement }
        return row(model.rawValue, summary, cut.size, .judged(ReaderRow.Reading(judgement)))
      }
    }
  }

  private func responseRows(_ stream: KeptStream, _ summary: StreamSummary) -> [ReaderRow] {
    let side = stream[summary.serverSide]
    let first = stream.responses.first?.offset
    if let reason = reason(stream, summary, summary.serverSide, firstRecord: first) {
      return notJudged(PHPReader.name, summary, reason)
    }
    let truth = ResponseTruth(bytes: side.bytes, responses: stream.responses)
    return chunks.cuts(chunkEnds: side.chunkEnds).map { cut in
      let judgement = truth.judgePHP(cut: cut.chunking)
      return row(PHPReader.name, summary, cut.size, .judged(ReaderRow.Reading(judgement)))
    }
  }

  /// Why a stream is not judged; nil where it is.
  /// - Parameter firstRecord: offset of the first true record; nil without any.
  private func reason(
    _ stream: KeptStream, _ summary: StreamSummary, _ side: Side, firstRecord: Int?
  ) -> String? {
    let isServer = side == summary.serverSide
    let missing = isServer ? summary.serverGapBytes : summary.clientGapBytes
    let bytes = isServer ? summary.serverBytes : summary.clientBytes
    if missing > 0 {
      return "the stream lacks \(Count.of(missing, "byte")), which the reader did receive"
    }
    if stream.isGivenUp {
      return "the stream takes more than the \(ByteSize.text(memory)) of \(memoryOption)"
    }
    if stream[side].beginsInMidstream, bytes > 0, firstRecord != 0 {
      return "the stream lacks its beginning, which the reader did receive"
    }
    return stream[side].bytes.count == bytes ? nil : "what was sent could not be decoded"
  }

  private func notJudged(_ name: String, _ summary: StreamSummary, _ reason: String) -> [ReaderRow] {
    chunks.cuts(chunkEnds: nil).map { row(name, summary, $0.size, .notJudged(reason)) }
  }

  private func row(
    _ name: String, _ summary: StreamSummary, _ size: Int?, _ verdict: ReaderRow.Verdict
  ) -> ReaderRow {
    ReaderRow(
      name: name, source: summary.source, stream: summary.number, chunkSize: size, verdict: verdict)
  }
}

extension ReaderRow.Reading {
  init(_ judgement: Judgement) {
    self.init(
      records: judgement.records, correct: judgement.correct, wrong: judgement.wrong,
      missed: judgement.missed, outcome: judgement.outcome.rawValue,
      firstDifference: judgement.firstDifference.map { difference in
        ReaderRow.Difference(
          record: difference.record, expected: difference.expected, emitted: difference.emitted,
          reason: difference.reason)
      })
  }
}
