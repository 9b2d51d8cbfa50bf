import Analysis
import PacketCapture
import Platform
import ReaderModels
import Reports
import WireBytes

/// Lets the faulty readers read streams when these have ended, and holds what they report against the true records
/// (docs/spec/readers.md#judgement). Judging takes some two times as much memory as a stream, of one at a time.
package final class StreamAuditor {
  private let chunks: StreamChunks
  private let memory: Int
  /// The option that says how much memory that is.
  private let memoryOption: String
  private let skipsUnrecognised: Bool
  private let report: any ReaderReport
  private var order = StreamOrder()
  /// The number of the input whose streams are judged, from 1.
  private var input = 1
  package private(set) var tally = ReaderTally()
  /// Streams that were left out although they have bytes, since none of them is in a record.
  package private(set) var unrecognised = 0
  /// Streams that took too much memory, and of how many of them a message tells.
  private var overBudget = 0
  private static let maxMessages = 10

  /// - Parameters:
  ///   - memory: what streams are kept in, in bytes.
  ///   - memoryOption: what raises it.
  ///   - skipsUnrecognised: whether streams without a record are left out: they may be of another kind.
  ///   - report: gets the rows, stream by stream in the order of their numbers.
  package init(
    _ chunks: StreamChunks, memory: Int, memoryOption: String = "--memory", skipsUnrecognised: Bool = false,
    report: any ReaderReport
  ) {
    self.chunks = chunks
    self.memory = memory
    self.memoryOption = memoryOption
    self.skipsUnrecognised = skipsUnrecognised
    self.report = report
  }

  /// No more streams of this input come.
  package func endInput() throws {
    for rows in order.end() { try hand(on: rows) }
  }

  /// Gets the streams, and judges them when they end.
  package func recorder() -> StreamRecorder {
    StreamRecorder(budget: memory, contents: .records) { stream, summary, _ in
      try self.judge(stream, summary)
      return 0
    }
  }

  private func judge(_ stream: RecordedStream, _ summary: StreamSummary) throws {
    if stream.input != input {
      try endInput()
      input = stream.input
    }
    let rows = rows(stream, summary)
    if stream.isOverBudget, !rows.isEmpty { tellOverBudget(summary) }
    for rows in order.add(rows, of: summary.number) { try hand(on: rows) }
  }

  private func rows(_ stream: RecordedStream, _ summary: StreamSummary) -> [ReaderRow] {
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

  private func tellOverBudget(_ summary: StreamSummary) {
    overBudget += 1
    guard overBudget <= Self.maxMessages else { return }
    let rest = overBudget == Self.maxMessages ? " (so are those of which no more is said)" : ""
    Messages.say(
      "\(summary.source): stream \(summary.number) is not judged: all open streams together may take "
        + "\(ByteSize.text(memory)); raise \(memoryOption)\(rest)")
  }

  // MARK: - Judging

  private func feedbackRows(_ stream: RecordedStream, _ summary: StreamSummary) -> [ReaderRow] {
    let side = stream.feedbackSide(summary)
    let names = FeedbackModel.allCases.map(\.rawValue)
    if let reason = stream.obstacle(
      summary, side, firstRecord: stream.tuples.first?.offset, memory: memory, memoryOption: memoryOption)
    {
      return names.flatMap { notJudged($0, summary, reason) }
    }
    let truth = stream.feedbackTruth(of: side)
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

  private func responseRows(_ stream: RecordedStream, _ summary: StreamSummary) -> [ReaderRow] {
    let first = stream.responses.first?.offset
    if let reason = stream.obstacle(
      summary, summary.serverSide, firstRecord: first, memory: memory, memoryOption: memoryOption)
    {
      return notJudged(PHPReader.name, summary, reason)
    }
    let truth = stream.responseTruth(of: summary.serverSide)
    return chunks.cuts(chunkEnds: stream[summary.serverSide].chunkEnds).map { cut in
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
      verdict: .judged(judgement), hasSkippedBytes: hasSkipped)
  }
}

/// Puts streams, which end in any order, into that of their numbers.
struct StreamOrder {
  /// Estimated bytes of rows that wait at most; beyond it they go as far in order as they are.
  private static let maxWaiting = 64 << 20

  /// The number of the stream that goes next.
  private var next = 0
  private var waiting: [Int: [ReaderRow]] = [:]
  private var cost = 0

  /// A stream has ended; returns the rows of those whose turn it is now. One that comes after its turn goes at
  /// once.
  mutating func add(_ rows: [ReaderRow], of number: Int) -> [[ReaderRow]] {
    guard number > next else {
      next = max(next, number + 1)
      return [rows] + takeNext()
    }
    waiting[number] = rows
    cost += rows.reduce(64) { $0 + $1.cost }
    return cost > Self.maxWaiting ? takeAll() : []
  }

  /// No more streams come of this input; returns what still waits.
  mutating func end() -> [[ReaderRow]] {
    defer { next = 0 }
    return takeAll()
  }

  private mutating func takeNext() -> [[ReaderRow]] {
    var taken: [[ReaderRow]] = []
    while let rows = waiting.removeValue(forKey: next) {
      cost -= rows.reduce(64) { $0 + $1.cost }
      taken.append(rows)
      next += 1
    }
    return taken
  }

  private mutating func takeAll() -> [[ReaderRow]] {
    let numbers = waiting.keys.sorted()
    let taken = numbers.compactMap { waiting[$0] }
    next = max(next, (numbers.last ?? -1) + 1)
    waiting = [:]
    cost = 0
    return taken
  }
}
