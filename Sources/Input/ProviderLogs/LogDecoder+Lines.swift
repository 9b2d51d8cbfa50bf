import Basics

/// Reads single lines and records.
extension LogDecoder {
  /// Reads the record at the start of the window; nil if the window does not contain its end.
  func read(_ window: UnsafeRawPointer, _ count: Int) -> Read? {
    if nextElement < elements.count { return readElement(window) }
    let end = LineSearch.lineEnd(window, 0..<min(count, Self.longestLine))
    if isInLongLine {
      isInLongLine = end == nil
      if end != nil { line &+= 1 }
      return Read(length: end.map { $0 &+ 1 } ?? min(count, Self.longestLine), outcome: .more, line: line)
    }
    guard let end = end ?? (hasEnded && count < Self.longestLine ? count : nil) else {
      guard count >= Self.longestLine else { return nil }
      isInLongLine = true
      return Read(length: Self.longestLine, outcome: .problem(LogProblem(.tooLong)), line: line)
    }
    let isCut = end == count
    let length = isCut ? count : end &+ 1
    var start = 0
    if undecidedOffset == 0, end >= 3, window.load(as: UInt8.self) == 0xef,
      window.load(fromByteOffset: 1, as: UInt8.self) == 0xbb,
      window.load(fromByteOffset: 2, as: UInt8.self) == 0xbf
    {
      start = 3
    }
    while start < end, window.load(fromByteOffset: start, as: UInt8.self) <= 0x20, columns == nil {
      start &+= 1
    }
    if start == end || end == 1 && window.load(as: UInt8.self) == UInt8(ascii: "\r") {
      return take(length, .blank)
    }
    if columns != nil { return readRow(window, count, firstEnd: end) }
    if let passed = readTranscript(window, end, from: start, length) { return passed }
    let outcome = readLine(window, start..<end, isCut: isCut)
    if !elements.isEmpty {
      elementsEnd = undecidedOffset &+ length
      return readElement(window)
    }
    return take(length, outcome)
  }

  /// - Parameter lines: number of lines in the record.
  private func take(_ length: Int, _ outcome: Read.Outcome, lines: Int = 1) -> Read {
    let first = line
    line &+= lines
    return Read(length: length, outcome: outcome, line: first)
  }

  /// Reads a line of a transcript; nil for any other line.
  private func readTranscript(_ window: UnsafeRawPointer, _ end: Int, from start: Int, _ length: Int) -> Read?
  {
    let first = window.load(fromByteOffset: start, as: UInt8.self)
    if transcript == nil, first == UInt8(ascii: "{") { return nil }
    let text = UnsafeRawBufferPointer(start: window, count: end)
    if transcript == nil {
      guard Transcript.begins(text) else { return nil }
      transcript = Transcript(names)
      hasBegun = true
    }
    guard let transcript, transcript.read(text, offset: undecidedOffset, number: line) else { return nil }
    return take(length, .passed)
  }

  private func readLine(_ window: UnsafeRawPointer, _ text: Range<Int>, isCut: Bool) -> Read.Outcome {
    let isFirst = !hasBegun
    hasBegun = true
    var text = text
    // An array with an object in each line.
    if window.load(fromByteOffset: text.lowerBound, as: UInt8.self) == UInt8(ascii: "{"),
      window.load(fromByteOffset: text.upperBound &- 1, as: UInt8.self) == UInt8(ascii: ",")
    {
      text = text.dropLast()
    }
    var object = text.lowerBound
    let first = window.load(fromByteOffset: object, as: UInt8.self)
    if !LineSearch.beginsObject(window, text) {
      if first != UInt8(ascii: "[") {
        if isFirst, let header = CSVColumns(header: window, text, names: names) {
          columns = header
          return .passed
        }
        object = LineSearch.objectStart(window, text) ?? text.upperBound
      }
      guard object < text.upperBound,
        JSONText.fault(of: UnsafeRawBufferPointer(start: window + object, count: text.upperBound &- object))
          == nil
      else {
        return outcome(TextLine.read(window, text, into: push), window)
      }
      return readObject(window, object..<text.upperBound)
    }
    let json = UnsafeRawBufferPointer(start: window + object, count: text.upperBound &- object)
    if let fault = JSONText.fault(of: json) {
      // A response body that cannot be assigned, with the next line appended.
      if transcript != nil { return .unrelated }
      if isCut { return .truncated }
      let at = object &+ fault.offset
      return outcome(
        .problem(LogProblem(.json(expected: fault.expected), at..<min(at &+ 1, text.upperBound))), window)
    }
    return readObject(window, object..<text.upperBound)
  }

  /// Reads an object, or an array of objects, of valid JSON.
  private func readObject(_ window: UnsafeRawPointer, _ range: Range<Int>) -> Read.Outcome {
    var values = LogValues()
    var reader = JSONLine(window, range, names: names, cache: cache)
    reader.read(into: &values, elements: &elements)
    let result = push.make(values, of: window)
    if case .unrelated = result, !elements.isEmpty {
      for index in elements.indices {
        let range = elements[index].range
        elements[index].range = range.lowerBound &+ undecidedOffset..<range.upperBound &+ undecidedOffset
      }
      nextElement = 0
    } else {
      elements.removeAll(keepingCapacity: true)
    }
    return outcome(result, window)
  }

  /// Reads the next element of a list, with the bytes before it. The last one includes the rest of the line.
  private func readElement(_ window: UnsafeRawPointer) -> Read? {
    let element = elements[nextElement]
    nextElement &+= 1
    let isLast = nextElement == elements.count
    let start = element.range.lowerBound &- undecidedOffset
    let end = element.range.upperBound &- undecidedOffset
    let length = isLast ? elementsEnd &- undecidedOffset : end
    if isLast {
      elements.removeAll(keepingCapacity: true)
      nextElement = 0
    }
    var result = LogOutcome.push
    if window.load(fromByteOffset: start, as: UInt8.self) == UInt8(ascii: "{") {
      var values = LogValues()
      var reader = JSONLine(window, start..<end, names: names, cache: cache)
      var none: [JSONLine.Element] = []
      reader.read(into: &values, elements: &none)
      result = push.make(values, of: window, isAccepted: element.isAccepted)
    } else {
      push.make(accepted: start..<end, of: window)
    }
    return take(length, outcome(result, window), lines: isLast ? 1 : 0)
  }

  private func outcome(_ result: LogOutcome, _ window: UnsafeRawPointer) -> Read.Outcome {
    switch result {
    case .push: return .push
    case .unrelated: return .unrelated
    case .problem(let problem):
      if skip?.problem?.cause != problem.cause || skip == nil {
        nextProblemText = Array(
          UnsafeRawBufferPointer(
            start: window + problem.range.lowerBound, count: min(problem.range.count, Self.shownBytes)))
      }
      return .problem(problem)
    }
  }

  // MARK: - CSV

  private func readRow(_ window: UnsafeRawPointer, _ count: Int, firstEnd: Int) -> Read? {
    guard let columns else { return nil }
    var end = firstEnd
    var lines = 1
    // The quote that is open at the end of the first line.
    var firstQuote: Int?
    while true {
      var values = LogValues()
      switch columns.read(window, 0..<end, into: &values) {
      case .values:
        return take(
          end == count ? end : end &+ 1, outcome(push.make(values, of: window), window), lines: lines)
      case .open(let quote):
        let opened = firstQuote ?? quote
        firstQuote = opened
        if end < count, lines < Self.mostLines {
          if let next = LineSearch.lineEnd(window, end &+ 1..<min(count, Self.longestLine)) {
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
