/// The result of one test: a case of a corpus, or a stream of a case under a reader.
package struct TestRow: Sendable {
  package enum TestResult: Sendable {
    case passed
    /// A summary without a full stop, and lines with details.
    case failed(String, details: [String])
    /// Why it could not be tested, without a full stop; counts as an error.
    case broken(String)
    /// Why it was not tested; not an error.
    case skipped(String)
  }

  package var name: String
  /// The purpose of the test, in a sentence; may be empty.
  package var shows: String
  package var verdict: TestResult
  /// How long it took; nil if nothing was run for it.
  var time: Duration?

  package init(name: String, shows: String, verdict: TestResult, time: Duration? = nil) {
    self.time = time
    (self.name, self.shows, self.verdict) = (name, shows, verdict)
  }

  /// `shows` in one line, trimmed.
  var description: String { shows.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

package struct TestTally: Sendable {
  package let count: Int
  package private(set) var passed = 0
  package private(set) var failed = 0
  package private(set) var broken = 0
  package private(set) var skipped = 0

  package init(_ rows: [TestRow]) {
    count = rows.count
    for row in rows {
      switch row.verdict {
      case .passed: passed += 1
      case .failed: failed += 1
      case .broken: broken += 1
      case .skipped: skipped += 1
      }
    }
  }
}
