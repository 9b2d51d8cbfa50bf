import WireBytes

/// What became of one stream under one faulty reader (interface.md, "audit").
package struct ReaderRow: Sendable {
  /// What the reader reported, held against the truth.
  package struct Reading: Sendable {
    package var records: Int
    package var correct: Int
    package var wrong: Int
    package var missed: Int
    /// `completed`, `hangs` or `throws`.
    package var outcome: String
    package var firstDifference: Difference?

    package init(
      records: Int, correct: Int, wrong: Int, missed: Int, outcome: String, firstDifference: Difference?
    ) {
      self.records = records
      self.correct = correct
      self.wrong = wrong
      self.missed = missed
      self.outcome = outcome
      self.firstDifference = firstDifference
    }
  }

  /// Where a reader first differs from the truth.
  package struct Difference: Sendable {
    /// Number of the record, from 0.
    package var record: Int
    package var expected: String?
    package var emitted: String?
    /// A sentence without its full stop.
    package var reason: String

    package init(record: Int, expected: String?, emitted: String?, reason: String) {
      self.record = record
      self.expected = expected
      self.emitted = emitted
      self.reason = reason
    }
  }

  package enum Verdict: Sendable {
    case judged(Reading)
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
  /// The stream has bytes that belong to no record: the verdict stands if the reader received them so (readers.md).
  package var hasSkippedBytes: Bool

  package init(
    name: String, source: String, stream: Int, chunkSize: Int?, verdict: Verdict,
    hasSkippedBytes: Bool = false
  ) {
    self.name = name
    self.source = source
    self.stream = stream
    self.chunkSize = chunkSize
    self.verdict = verdict
    self.hasSkippedBytes = hasSkippedBytes
  }

  package var outcome: String {
    switch verdict {
    case .judged(let reading): reading.outcome
    case .notJudged: "not-judged"
    }
  }

  /// Whether it reported the truth, all of it and nothing else; nil where it is not judged.
  package var isRight: Bool? {
    guard case .judged(let reading) = verdict else { return nil }
    return reading.firstDifference == nil && reading.outcome == "completed"
  }

  /// It is judged, and what is said of it does not hold if the file was damaged after it was saved.
  package var isConditional: Bool { hasSkippedBytes && isRight != nil }

  /// Bytes of memory that it takes, as an estimate.
  package var cost: Int {
    var cost = 256
    if case .judged(let reading) = verdict, let difference = reading.firstDifference {
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
