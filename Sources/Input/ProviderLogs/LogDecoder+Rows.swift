import Basics

/// Reads the records of a table.
extension LogDecoder {
  func readRow(_ window: UnsafeRawPointer, _ count: Int, lineEnd: Int) -> Read? {
    guard let columns else { return nil }
    if columns.isRule(UnsafeRawBufferPointer(start: window, count: lineEnd)) {
      return take(window, min(lineEnd &+ 1, count), .passed)
    }
    var values = LogValues()
    let most = min(count, Self.longestLine)
    var (end, problem) = columns.read(window, most, into: &values)
    if end == most, !isWhole(count) {
      guard count >= Self.longestLine else { return nil }
      problem = LogProblem(.tooLong)
    }
    if var problem {
      // A quote may never be closed: only its line is skipped.
      problem.range = min(problem.range.lowerBound, lineEnd)..<min(problem.range.upperBound, lineEnd)
      return take(window, min(lineEnd &+ 1, count), outcome(.problem(problem), window))
    }
    reader = ReaderName.table.rawValue
    let length = min(end &+ 1, count)
    guard columns.hasLines else {
      return take(window, length, outcome(push.make(values, of: window), window))
    }
    push.begin(window)
    let line = readNested(push.text(values[.text]), depth: 0, time: push.ownTime(values))
    return take(window, length, elementsOr: line)
  }
}
