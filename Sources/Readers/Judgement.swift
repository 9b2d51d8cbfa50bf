import Analysis
import PacketCapture
import ReaderModels
import WireBytes

/// What became of a stream under one reader (docs/spec/readers.md#judgement). A stream with gaps is not judged,
/// and has none.
package struct Judgement: Equatable, Sendable {
  /// Records that it reported.
  package var records: Int
  /// Records that equal a true one, matched one to one whatever their order.
  package var correct: Int
  /// True records that were not matched.
  package var missed: Int
  package var outcome: ReaderOutcome
  /// Nil where it reported the true records in their order, and nothing else.
  package var firstDifference: FirstDifference?

  package var wrong: Int { records - correct }

  package init(
    records: Int, correct: Int, missed: Int, outcome: ReaderOutcome, firstDifference: FirstDifference?
  ) {
    self.records = records
    self.correct = correct
    self.missed = missed
    self.outcome = outcome
    self.firstDifference = firstDifference
  }
}

/// The first place at which what was reported differs from the truth, the two taken in their order.
package struct FirstDifference: Equatable, Sendable {
  /// Number of the record, from 0.
  package var record: Int
  /// The true record as `time,token`, for error responses `status,identifier`; nil behind the last one.
  package var expected: String?
  /// The reported record in the same form; nil behind the last one.
  package var emitted: String?
  /// A sentence without a full stop that says why.
  package var reason: String

  package init(record: Int, expected: String?, emitted: String?, reason: String) {
    self.record = record
    self.expected = expected
    self.emitted = emitted
    self.reason = reason
  }
}

/// A record as `FirstDifference` writes it.
enum RecordText {
  /// Seconds, a comma, the token in lowercase hex.
  static func tuple(_ time: Int64, _ token: RawSpan) -> String {
    "\(time),\(token.withUnsafeBytes { Hex.string($0) })"
  }

  /// A number as the wire has it, in `digits` hex digits.
  static func hex(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// What became of one stream under one faulty reader (docs/spec/interface.md#audit).
package struct ReaderRow: Sendable {
  package enum Verdict: Sendable {
    case judged(Judgement)
    /// With the reason, a sentence without its full stop.
    case notJudged(String)
  }

  /// The reader as reports name it.
  package var name: String
  package var source: String
  package var stream: Int
  /// Bytes of a chunk where every size is tried; nil where one way of cutting is.
  package var chunkSize: Int?
  package var verdict: Verdict
  /// The stream has bytes that belong to no record: the verdict stands if the reader received them so (docs/spec/readers.md#judgement).
  package var hasSkippedBytes = false

  package var outcome: String {
    switch verdict {
    case .judged(let judgement): judgement.outcome.rawValue
    case .notJudged: "not-judged"
    }
  }

  /// Whether it reported the truth, all of it and nothing else; nil where it is not judged.
  package var isRight: Bool? {
    guard case .judged(let judgement) = verdict else { return nil }
    return judgement.firstDifference == nil && judgement.outcome == .completed
  }

  /// It is judged, and what is said of it does not hold if the file was damaged after it was saved.
  package var isConditional: Bool { hasSkippedBytes && isRight != nil }

  /// Bytes of memory that it takes, as an estimate.
  package var cost: Int {
    var cost = 256
    if case .judged(let judgement) = verdict, let difference = judgement.firstDifference {
      for text in [difference.expected, difference.emitted, difference.reason] {
        cost += text?.utf8.count ?? 0
      }
    }
    return cost
  }
}

/// How many readings there were, and what they were worth.
package struct ReaderTally: Sendable {
  package private(set) var streams = 0
  package private(set) var right = 0
  package private(set) var wrong = 0
  package private(set) var notJudged = 0
  /// Streams with bytes that belong to no record, judged all the same.
  package private(set) var conditional = 0

  package init() {}

  /// Adds the rows of a stream.
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

  /// `3 of 8 readings right, 4 not judged`.
  package var text: String {
    let judged = "\(right) of \(Count.of(right + wrong, "reading")) right"
    return notJudged > 0 ? "\(judged), \(notJudged) not judged" : judged
  }
}

/// Takes the rows of an audit, those of one stream at a time.
package protocol ReaderReport: AnyObject {
  func add(_ rows: [ReaderRow]) throws
  /// All rows have come.
  func end() throws
}
