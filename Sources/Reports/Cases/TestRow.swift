import Analysis

/// What became of one test: a case of a corpus, or a stream of a case under a reader.
package struct TestRow: Sendable {
  package enum Verdict: Sendable {
    case passed
    /// What is wrong, in a line without a full stop, and lines that show it.
    case failed(String, details: [String])
    /// Why it could not be tested, in a line without a full stop; that is wrong, too.
    case broken(String)
    /// Why it was not tested, which is as it should be.
    case skipped(String)
  }

  package var name: String
  /// What it shows, in a sentence; empty where nobody said it.
  package var shows: String
  package var verdict: Verdict

  package init(name: String, shows: String, verdict: Verdict) {
    self.name = name
    self.shows = shows
    self.verdict = verdict
  }

  /// `shows` in one line, without blanks at its ends.
  var description: String {
    shows.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

/// How many tests there were, and what became of them.
package struct TestTally: Sendable {
  package private(set) var count = 0
  package private(set) var passed = 0
  package private(set) var failed = 0
  package private(set) var broken = 0
  package private(set) var skipped = 0

  package init() {}

  package init(_ rows: [TestRow]) {
    for row in rows { add(row) }
  }

  package mutating func add(_ row: TestRow) {
    count += 1
    switch row.verdict {
    case .passed: passed += 1
    case .failed: failed += 1
    case .broken: broken += 1
    case .skipped: skipped += 1
    }
  }
}
