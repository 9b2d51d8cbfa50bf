import Analysis
import Basics
import ReaderModels

/// Runs the faulty readers on streams that have ended, and compares their reports with the true records (docs/spec/readers.md#judgement).
/// Judging takes about twice the memory of a stream, for one stream at a time.
package final class StreamAuditor {
  private let chunks: StreamChunks
  private let memory: Int
  private let memoryOption: String
  private let skipsUnrecognised: Bool
  private let report: any ReaderReport
  private var order = StreamOrder()
  /// Number of the current input, from 1.
  private var input = 1
  package private(set) var tally = ReaderTally()
  /// Streams left out because none of their bytes are in a record.
  package private(set) var unrecognised = 0
  /// Streams with pushes: readers of the binary protocols cannot read them.
  package private(set) var withPushes = 0
  /// Streams that took too much memory, and the most messages about them.
  private var overBudget = 0
  private static let maxMessages = 10

  /// - Parameters:
  ///   - memory: limit for the recorded streams, in bytes.
  ///   - memoryOption: the option that sets it.
  ///   - skipsUnrecognised: whether to leave out streams without a record, which may be of another kind.
  ///   - report: receives the rows, stream by stream in the order of their numbers.
  package init(
    _ chunks: StreamChunks, memory: Int, memoryOption: String = "--memory", skipsUnrecognised: Bool = false,
    report: any ReaderReport
  ) {
    (self.chunks, self.memory, self.memoryOption) = (chunks, memory, memoryOption)
    (self.skipsUnrecognised, self.report) = (skipsUnrecognised, report)
  }

  /// Call it after the last stream of an input.
  package func endInput() throws { for rows in order.end() { try emit(rows) } }

  /// A sink that records streams, and judges them when they end.
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
    if stream.isOverBudget, !rows.isEmpty { warnOverBudget(summary) }
    for rows in order.add(rows, of: summary.number) { try emit(rows) }
  }

  private func rows(_ stream: RecordedStream, _ summary: StreamSummary) -> [ReaderRow] {
    if skipsUnrecognised, summary.records == 0 {
      unrecognised += summary.isUnrecognised ? 1 : 0
      return []
    }
    if summary.streamProtocol == .http2 || summary.streamProtocol == .providerLog { withPushes += 1 }
    return ReadableStream(stream, summary, memory: memory, memoryOption: memoryOption).map(rows) ?? []
  }

  private func emit(_ rows: [ReaderRow]) throws {
    tally.add(rows)
    try report.add(rows)
  }

  private func warnOverBudget(_ summary: StreamSummary) {
    overBudget += 1
    guard overBudget <= Self.maxMessages else { return }
    Console.say(
      "\(summary.source): stream \(summary.number) is not judged: the open streams exceed "
        + "\(ByteSize.text(memory)); raise \(memoryOption)"
        + (overBudget == Self.maxMessages ? " (further messages of this kind are suppressed)" : ""))
  }

  // MARK: - Judging

  private func rows(_ stream: ReadableStream) -> [ReaderRow] {
    let cuts = chunks.cuts(captured: stream.chunking)
    switch stream.content {
    // The models are of the binary protocols.
    case .pushes: return []
    case .notJudged(let reason):
      let names = stream.kind == .feedback ? FeedbackModel.allCases.map(\.rawValue) : [PHPReader.name]
      return names.flatMap { name in cuts.map { row(name, stream, $0.size, .notJudged(reason)) } }
    case .feedback(let truth):
      return FeedbackModel.allCases.flatMap { model in
        var known: Judgement?
        return cuts.map { cut in
          let judgement = known ?? truth.judge(model, cut: cut.chunking)
          if !model.dependsOnChunks { known = judgement }
          return row(model.rawValue, stream, cut.size, .judged(judgement))
        }
      }
    case .responses(let truth):
      return cuts.map { row(PHPReader.name, stream, $0.size, .judged(truth.judgePHP(cut: $0.chunking))) }
    }
  }

  private func row(
    _ name: String, _ stream: ReadableStream, _ size: Int?, _ verdict: ReaderRow.ReaderResult
  ) -> ReaderRow {
    var row = ReaderRow(
      name: name, source: stream.source, stream: stream.number, chunkSize: size, verdict: verdict)
    row.hasSkippedBytes = stream.hasSkipped
    return row
  }
}

/// Sorts streams, which end in any order, by number.
struct StreamOrder {
  /// Limit of pending rows, as an estimate in bytes; beyond it all pending rows are flushed, in order.
  private static let maxPending = 64 << 20

  private var next = 0
  private var pending: [Int: [ReaderRow]] = [:]
  private var cost = 0

  /// Adds an ended stream; returns the rows of the streams that are next in order. A late stream is returned at once.
  mutating func add(_ rows: [ReaderRow], of number: Int) -> [[ReaderRow]] {
    guard number > next else {
      next = max(next, number + 1)
      return [rows] + takeNext()
    }
    pending[number] = rows
    cost += rows.reduce(64) { $0 + $1.cost }
    return cost > Self.maxPending ? takeAll() : []
  }

  /// Ends the input; returns all pending rows.
  mutating func end() -> [[ReaderRow]] {
    defer { next = 0 }
    return takeAll()
  }

  private mutating func takeNext() -> [[ReaderRow]] {
    var taken: [[ReaderRow]] = []
    while let rows = pending.removeValue(forKey: next) {
      cost -= rows.reduce(64) { $0 + $1.cost }
      taken.append(rows)
      next += 1
    }
    return taken
  }

  private mutating func takeAll() -> [[ReaderRow]] {
    let numbers = pending.keys.sorted()
    let taken = numbers.compactMap { pending[$0] }
    next = max(next, (numbers.last ?? -1) + 1)
    pending = [:]
    cost = 0
    return taken
  }
}
