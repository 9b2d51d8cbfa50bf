import Analysis
import Corpus
import PacketCapture
import ReaderModels
import Reports
import WireBytes

/// Lets the faulty readers read streams when these have ended, and holds what they report against the true records
/// (readers.md). Judging takes some two times as much memory as a stream, of one at a time.
final class StreamAuditor {
  private let chunks: StreamChunks
  private let memory: Int
  /// The option that says how much memory that is.
  private let memoryOption: String
  private let skipsUnrecognised: Bool
  private let report: any ReaderReport
  private var order = StreamOrder()
  private(set) var tally = ReaderTally()
  /// Streams that were left out although they have bytes, since none of them is in a record.
  private(set) var unrecognised = 0
  /// Streams that took too much memory, and of how many of them a message tells.
  private var givenUp = 0
  private static let maxMessages = 10

  /// - Parameters:
  ///   - memory: what streams are kept in, in bytes.
  ///   - memoryOption: what raises it.
  ///   - skipsUnrecognised: whether streams without a record are left out: they may be of another kind.
  ///   - report: gets the rows, stream by stream in the order of their numbers.
  init(
    _ chunks: StreamChunks, memory: Int, memoryOption: String = "--memory", skipsUnrecognised: Bool = false,
    report: any ReaderReport
  ) {
    self.chunks = chunks
    self.memory = memory
    self.memoryOption = memoryOption
    self.skipsUnrecognised = skipsUnrecognised
    self.report = report
  }

  /// The streams that come next are those of another input, or there are none.
  func endInput() throws {
    for rows in order.end() { try hand(on: rows) }
  }

  func judge(_ stream: KeptStream, _ summary: StreamSummary) throws {
    let rows = rows(stream, summary)
    if stream.isGivenUp, !rows.isEmpty { tellGivenUp(summary) }
    for rows in order.add(rows, of: summary.number) { try hand(on: rows) }
  }

  private func rows(_ stream: KeptStream, _ summary: StreamSummary) -> [ReaderRow] {
    if skipsUnrecognised, summary.records == 0 {
      unrecognised += summary.isUnrecognised ? 1 : 0
      return []
    }
    switch summary.speaks {
    case .feedback: return feedbackRows(stream, summary)
    case .gateway where summary.serverBytes > 0: return responseRows(stream, summary)
    case .gateway, .encrypted, .other: return []
    }
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
    let side = stream.feedbackSide(summary)
    let tuples = stream.tuples
    let names = FeedbackModel.allCases.map(\.rawValue)
    if let reason = stream.obstacle(
      summary, side, firstRecord: tuples.first?.offset, memory: memory, memoryOption: memoryOption)
    {
      return names.flatMap { notJudged($0, summary, reason) }
    }
    let truth = FeedbackTruth(bytes: stream[side].bytes, runs: tuples)
    let cuts = chunks.cuts(chunkEnds: stream[side].chunkEnds)
    return FeedbackModel.allCases.flatMap { model in
      var known: Judgement?
      return cuts.map { cut in
        let judgement = known ?? truth.judge(model, cut: cut.chunking)
        if !model.dependsOnChunks { known = judgement }
        return row(
          model.rawValue, summary, cut.size, judgement, hasSkipped: stream.hasSkipped(of: side, summary))
      }
    }
  }

  private func responseRows(_ stream: KeptStream, _ summary: StreamSummary) -> [ReaderRow] {
    let side = stream[summary.serverSide]
    let first = stream.responses.first?.offset
    if let reason = stream.obstacle(
      summary, summary.serverSide, firstRecord: first, memory: memory, memoryOption: memoryOption)
    {
      return notJudged(PHPReader.name, summary, reason)
    }
    let truth = ResponseTruth(bytes: side.bytes, responses: stream.responses)
    return chunks.cuts(chunkEnds: side.chunkEnds).map { cut in
      let judgement = truth.judgePHP(cut: cut.chunking)
      return row(
        PHPReader.name, summary, cut.size, judgement,
        hasSkipped: stream.hasSkipped(of: summary.serverSide, summary))
    }
  }

  private func notJudged(_ name: String, _ summary: StreamSummary, _ reason: String) -> [ReaderRow] {
    chunks.cuts(chunkEnds: nil).map { cut in
      ReaderRow(
        name: name, source: summary.source, stream: summary.number, chunkSize: cut.size,
        verdict: .notJudged(reason))
    }
  }

  private func row(
    _ name: String, _ summary: StreamSummary, _ size: Int?, _ judgement: Judgement, hasSkipped: Bool
  ) -> ReaderRow {
    ReaderRow(
      name: name, source: summary.source, stream: summary.number, chunkSize: size,
      verdict: .judged(ReaderRow.Reading(judgement)), hasSkippedBytes: hasSkipped)
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
