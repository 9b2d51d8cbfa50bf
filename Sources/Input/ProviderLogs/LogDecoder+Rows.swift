import Basics

/// Reads the records of a table.
extension LogDecoder {
  func readRow(_ window: UnsafeRawPointer, _ count: Int, firstEnd: Int) -> Read? {
    guard let columns else { return nil }
    if columns.isRule(UnsafeRawBufferPointer(start: window, count: firstEnd)) {
      return take(min(firstEnd &+ 1, count), .passed)
    }
    var end = firstEnd
    var lines = 1
    // The quote that is open at the end of the first line.
    var firstQuote: Int?
    while true {
      var values = LogValues()
      switch columns.read(window, 0..<end, into: &values) {
      case .values:
        reader = ReaderName.table.rawValue
        let result =
          columns.hasLines
          ? readNested(push.text(values[.text], window), depth: 0, time: push.ownTime(values, window))
          : outcome(push.make(values, of: window), window)
        return take(end == count ? end : end &+ 1, result, lines: lines)
      case .open(let quote):
        let opened = firstQuote ?? quote
        firstQuote = opened
        if end < count, lines < Self.mostLines {
          if let next = lineEnd(window, end &+ 1..<min(count, Self.longestLine)) {
            end = next
            lines &+= 1
            continue
          }
          if count < Self.longestLine {
            guard hasEnded else { return nil }
            end = count
            lines &+= 1
            continue
          }
        }
        // The quote is never closed: skip only its line.
        return skipRow(window, count, firstEnd, LogProblem(.openQuote, min(opened, firstEnd)..<firstEnd))
      case .problem(let problem):
        return skipRow(window, count, firstEnd, problem)
      }
    }
  }

  private func skipRow(_ window: UnsafeRawPointer, _ count: Int, _ end: Int, _ problem: LogProblem) -> Read {
    var problem = problem
    problem.range = min(problem.range.lowerBound, end)..<min(problem.range.upperBound, end)
    return take(end == count ? end : end &+ 1, outcome(.problem(problem), window))
  }
}
