import Basics
import ReaderModels

/// The result of one reader on a stream (docs/spec/readers.md#judgement, last paragraph). A stream with gaps is not judged and has none.
package struct Judgement: Equatable, Sendable {
  package var records = 0
  /// Reported records that equal a true one, matched one to one in any order.
  package var correct = 0
  /// True records without a match.
  package var missed = 0
  package var outcome = ReaderOutcome.completed
  /// Nil if it reported exactly the true records, in order.
  package var firstDifference: FirstDifference?

  package var wrong: Int { records - correct }

  package init() {}

  /// Notes that the next record differs, if it is the first that does.
  package mutating func differ(
    _ expected: String?, _ emitted: String?, _ reason: @autoclosure () -> Message
  ) {
    if firstDifference != nil { return }
    firstDifference = FirstDifference(
      record: records, expected: expected, emitted: emitted, reason: reason())
  }

  /// - Parameter count: the number of true records.
  package consuming func ended(_ outcome: ReaderOutcome, of count: Int) -> Judgement {
    (missed, self.outcome) = (count - correct, outcome)
    return self
  }
}

/// The first difference between the reported and the true records, both in order.
package struct FirstDifference: Equatable, Sendable {
  /// Index of the record, from 0.
  package var record: Int
  /// The true record as `time,token`, for error responses `status,identifier`; nil after the last one.
  package var expected: String?
  /// The reported record in the same form; nil after the last one.
  package var emitted: String?
  package var reason: Message

  package init(record: Int, expected: String?, emitted: String?, reason: Message) {
    (self.record, self.expected, self.emitted, self.reason) = (record, expected, emitted, reason)
  }
}

/// The result of one faulty reader on one stream (docs/spec/interface.md#audit).
package struct ReaderRow: Sendable {
  package enum ReaderResult: Sendable {
    case judged(Judgement)
    /// With the reason.
    case notJudged(Message)
  }

  /// The reader's name in reports.
  package var name: String
  package var source: String
  package var stream: Int
  /// Chunk size in bytes if every size is tried; else nil.
  package var chunkSize: Int?
  package var verdict: ReaderResult
  /// The stream has bytes that are in no record: the verdict assumes that the reader received them (docs/spec/readers.md#judgement).
  package var hasSkippedBytes = false

  package init(name: String, source: String, stream: Int, chunkSize: Int? = nil, verdict: ReaderResult) {
    (self.name, self.source, self.stream) = (name, source, stream)
    (self.chunkSize, self.verdict) = (chunkSize, verdict)
  }

  package var judgement: Judgement? { if case .judged(let judgement) = verdict { judgement } else { nil } }

  package var outcome: String { judgement?.outcome.rawValue ?? "not-judged" }

  /// Whether it reported exactly the true records and completed; nil if it is not judged.
  package var isRight: Bool? {
    judgement.map { $0.firstDifference == nil && ($0.outcome == .completed || $0.outcome == .refused) }
  }

  /// Whether it is judged on the assumption that the file was not damaged after it was saved.
  package var isConditional: Bool { hasSkippedBytes && isRight != nil }

  /// Estimated memory, in bytes.
  package var cost: Int {
    let difference = judgement?.firstDifference
    return [difference?.expected, difference?.emitted, difference?.reason.text].reduce(256) {
      $0 + ($1?.utf8.count ?? 0)
    }
  }
}

/// Counts of readings by result.
package struct ReaderTally: Sendable {
  package private(set) var streams = 0
  package private(set) var right = 0
  package private(set) var wrong = 0
  package private(set) var notJudged = 0
  /// Judged streams with bytes that are in no record.
  package private(set) var conditional = 0

  package mutating func add(_ rows: [ReaderRow]) {
    streams += rows.isEmpty ? 0 : 1
    conditional += rows.contains { $0.isConditional } ? 1 : 0
    for row in rows {
      switch row.isRight {
      case true: right += 1
      case false: wrong += 1
      case nil: notJudged += 1
      }
    }
  }

  package var message: Message {
    let judged: Message = "\(right) of \(Count.of(right + wrong, "reading")) right"
    return notJudged > 0 ? "\(judged), \(notJudged) not judged" : judged
  }
}

/// Receives the rows of an audit, one stream at a time.
package protocol ReaderReport: AnyObject {
  func add(_ rows: [ReaderRow]) throws
  /// Called after the last row.
  func end() throws
}
