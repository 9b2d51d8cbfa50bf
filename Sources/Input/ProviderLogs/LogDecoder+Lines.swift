import Basics

/// Reads single lines, records of tables, and objects of several lines.
extension LogDecoder {
  /// Reads the record at the start of the window; nil if the window does not contain its end.
  func read(_ window: UnsafeRawPointer, _ count: Int) -> Read? {
    if nextElement < elements.count { return readElement(window) }
    let most = min(count, Self.longestLine)
    let end = lineEnd(window, 0..<most)
    if isInLongLine {
      isInLongLine = end == nil
      return take(window, end.map { $0 &+ 1 } ?? most, .more)
    }
    if !openStructures.isEmpty { return readPiece(window, count) }
    guard let end = end ?? (isWhole(count) ? count : nil) else {
      return count >= Self.longestLine ? readLongLine(window, count) : nil
    }
    let length = min(end &+ 1, count)
    var start = 0
    let text = UnsafeRawBufferPointer(start: window, count: end)
    if undecidedOffset == 0, text.starts(with: [0xef, 0xbb, 0xbf]) { start = 3 }
    while start < end, text[start] <= 0x20, text[start] != 0x1b, columns == nil { start &+= 1 }
    if start == end || end == 1 && text[0] == UInt8(ascii: "\r") { return take(window, length, .blank) }
    if columns != nil { return readRow(window, count, lineEnd: end) }
    if isTranscript(text, from: start) {
      let isLost = transcript?.takeLoss() == true
      return take(window, length, isLost ? .finding(LogFinding(.interleaved)) : .passed)
    }
    var structure = StructureRead.isLine
    if mayWrapStructure(text, from: start) { structure = readWrapped(window, count, start..<end) }
    if case .isLine = structure, mayOpenStructure(text, from: start) {
      structure = readStructure(window, count, from: start, lineEnd: end)
    }
    switch structure {
    case .read(let read): return read
    case .needsBytes: return nil
    case .isLine: break
    }
    var outcome = readLine(window, start..<end, isCut: end == count)
    if case .unrelated = outcome, elements.isEmpty, transcript?.takeLoss() == true {
      outcome = .finding(LogFinding(.interleaved))
    }
    return take(window, length, elementsOr: outcome)
  }

  /// Whether no bytes follow the window.
  func isWhole(_ count: Int) -> Bool { hasEnded && count < Self.longestLine }

  /// - Parameter token: the offset of its token: a record of several lines is named by the line of that.
  func take(_ window: UnsafeRawPointer, _ length: Int, _ outcome: LogOutcome, token: Int = 0) -> Read {
    let text = UnsafeRawBufferPointer(start: window, count: length)
    let first = line &+ text[..<max(0, min(token, length))].count { $0 == 0x0a }
    line &+= text.count { $0 == 0x0a }
    if let last = text.last { isLineBegun = last != 0x0a }
    return Read(length: length, outcome: outcome, line: first)
  }

  /// Takes a record, or the first of the elements that were found in it.
  func take(_ window: UnsafeRawPointer, _ length: Int, elementsOr outcome: LogOutcome) -> Read {
    guard !elements.isEmpty else { return take(window, length, outcome, token: push.tokenStart) }
    (nextElement, elementsStart, elementsEnd) = (0, undecidedOffset, undecidedOffset &+ length)
    return readElement(window)
  }

  func lineEnd(_ text: UnsafeRawPointer, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, let found = memchr(text + range.lowerBound, 0x0a, range.count) else { return nil }
    return UnsafeRawPointer(found) - text
  }

  private func readLongLine(_ window: UnsafeRawPointer, _ count: Int) -> Read {
    let text = UnsafeRawBufferPointer(start: window, count: Self.longestLine)
    if let start = text.firstIndex(where: { $0 > 0x20 }), columns == nil, undecidedOffset >= structuresBegin,
      case .read(let read) = readStructure(window, count, from: start, lineEnd: text.count)
    {
      return read
    }
    isInLongLine = true
    return take(window, Self.longestLine, .finding(LogFinding(.tooLong)))
  }

  /// Reads a line of a transcript; false for any other line.
  private func isTranscript(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
    if transcript == nil {
      guard text[start] != UInt8(ascii: "{"), Transcript.begins(text) else { return false }
      transcript = Transcript(names)
      hasBegun = true
    }
    return transcript?.read(text, offset: undecidedOffset, number: line) == true
  }

  // MARK: - Lines

  /// Reads a line, or an object of several lines.
  func readLine(_ window: UnsafeRawPointer, _ text: Range<Int>, isCut: Bool) -> LogOutcome {
    let has = { (byte: Int32) in memchr(window + text.lowerBound, byte, text.count) != nil }
    // Escapes that colour text, and quotes around the body of an answer.
    guard has(0x1b) || has(0x5c) || has(0x27) else {
      return readPlainLine(window, text, isCut: isCut)
    }
    plainLine.removeAll(keepingCapacity: true)
    plainLine.append(contentsOf: UnsafeRawBufferPointer(start: window, count: text.upperBound))
    LogText.clean(&plainLine)
    let isText = { (index: Int) in self.plainLine[index] > 0x20 }
    guard let first = text.first(where: isText), let last = text.last(where: isText) else { return .blank }
    let outcome = plainLine.withUnsafeBytes { bytes in
      bytes.baseAddress.map { readPlainLine($0, first..<last &+ 1, isCut: isCut) } ?? .blank
    }
    // A form reads the parts of the line without its escapes, too.
    if elements.first?.hasForm == true, elementsDepth == 0 {
      (nestedTexts[0], elementsDepth) = (plainLine, 1)
    }
    return outcome
  }

  private func readPlainLine(_ window: UnsafeRawPointer, _ text: Range<Int>, isCut: Bool) -> LogOutcome {
    if CSVColumns.isRule(
      UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(start: window, count: text.upperBound)[text.lowerBound...]))
    {
      return hasBegun ? .unrelated : .passed
    }
    let isFirst = !hasBegun
    (hasBegun, push.outerTime, push.tokenStart) = (true, .absent, 0)
    var text = text
    let first = window.load(fromByteOffset: text.lowerBound, as: UInt8.self)
    // An array with an object in each line.
    if first == UInt8(ascii: "{"),
      window.load(fromByteOffset: text.upperBound &- 1, as: UInt8.self) == UInt8(ascii: ",")
    {
      text = text.dropLast()
    }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let read = readJSON(window, text, isCut: isCut)
    {
      return read
    }
    if isFirst || options.kind == .reports && columns == nil && line <= Self.mostTitles,
      let header = CSVColumns(header: window, text, names: names, of: options.kind)
    {
      columns = header
      return .passed
    }
    return readText(window, text, depth: 0)
  }

  /// Reads a line that begins as JSON does; nil if it is something else.
  private func readJSON(_ window: UnsafeRawPointer, _ text: Range<Int>, isCut: Bool) -> LogOutcome? {
    let json = UnsafeRawBufferPointer(start: window + text.lowerBound, count: text.count)
    guard let error = JSONText.error(of: json) else {
      return readMembers(window, text, isJSON: true, depth: 0)
    }
    guard json[0] == UInt8(ascii: "{"), Self.beginsObject(json) else { return nil }
    if error.expected == "the end of the value" { return nil }
    // A response body that cannot be assigned, with the next line appended.
    if transcript != nil { return .unrelated }
    if isCut { return .truncated }
    let at = text.lowerBound &+ error.offset
    let finding = LogFinding(.json(expected: error.expected), at..<min(at &+ 1, text.upperBound))
    return outcome(.finding(finding), window)
  }

  /// Whether a text begins like an object of JSON: a brace, then a name in quotes and a colon, or the end.
  private static func beginsObject(_ text: UnsafeRawBufferPointer) -> Bool {
    let rest = text.dropFirst().drop { $0 <= 0x20 }
    guard rest.first == UInt8(ascii: "\"") else { return rest.first == UInt8(ascii: "}") }
    guard let quote = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return true }
    return text[(quote &+ 1)...].first { $0 > 0x20 } != UInt8(ascii: "=")
  }

  /// Reads a text by the first form that fits, as text with JSON in it, or as text with other members.
  private func readText(_ text: UnsafeRawPointer, _ range: Range<Int>, depth: Int) -> LogOutcome {
    if depth == 0 {
      push.outerTime = ownTime(UnsafeRawBufferPointer(start: text, count: range.upperBound), range)
    }
    switch forms.match(text, range) {
    case .exhausted: return outcome(.finding(LogFinding(.patternSteps, range)), text)
    case .values(let values, let form):
      let outcome = outcome(push.make(values, of: text), text)
      guard case .unrelated = outcome else {
        reader = ReaderName.count &+ form
        return outcome
      }
    case .several(let ranges):
      elements = ranges.map { MemberReader.Element(range: $0, hasForm: true) }
      elementsDepth = depth
      return .unrelated
    case .none: break
    }
    let objects = Self.objects(
      in: UnsafeRawBufferPointer(start: text, count: range.upperBound), from: range.lowerBound)
    let pushes = objects.count > 1 ? objects.filter { members(of: $0, text).mayHavePushes } : []
    if pushes.count > 1 {
      (elements, elementsDepth, reader) = (pushes, depth, ReaderName.json.rawValue)
      return .unrelated
    }
    if let object = pushes.first ?? objects.first, object.finding == nil {
      let outcome = readMembers(text, object.range, isJSON: true, depth: depth)
      guard case .unrelated = outcome, elements.isEmpty else { return outcome }
    }
    let outcome = readMembers(text, range, isJSON: false, depth: depth)
    guard case .unrelated = outcome, elements.isEmpty, let finding = objects.first?.finding else {
      return outcome
    }
    let values = members(of: objects[0], text).values
    let isPush = values.names(.token) && (values.names(.status) || values.names(.reason))
    return isPush ? self.outcome(.finding(finding), text) : outcome
  }

  /// The time at the beginning of a line; absent without its offset from UTC, which cannot be compared.
  func ownTime(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> LogTimes.ReadTime {
    let start = range.lowerBound &+ (text[range.lowerBound] == UInt8(ascii: "[") ? 1 : 0)
    guard let time = WrittenTime(in: text, at: start, to: range.upperBound, zone: options.zone), time.hasZone,
      time.isOnly
    else { return .absent }
    return .time(time.milliseconds)
  }

  /// The objects of JSON in a text: lines may end in carriage returns, or have several objects. One that is wrong, or cut,
  /// ends where the next one may begin.
  private static func objects(in text: UnsafeRawBufferPointer, from start: Int) -> [MemberReader.Element] {
    var (index, found) = (start, [MemberReader.Element]())
    while let brace = text[index...].firstIndex(of: UInt8(ascii: "{")) {
      index = brace &+ 1
      let object = UnsafeRawBufferPointer(rebasing: text[brace...])
      guard index < text.count, text[index] == UInt8(ascii: "\""), beginsObject(object) else { continue }
      let error = JSONText.error(of: object)
      index = error.map { brace &+ $0.offset } ?? text.count
      guard let error, error.expected != "the end of the value" else {
        found.append(MemberReader.Element(range: brace..<index))
        continue
      }
      let finding = LogFinding(.json(expected: error.expected), index..<min(index &+ 1, text.count))
      let end = text[index...].firstIndex(of: UInt8(ascii: "{")) ?? text.count
      found.append(MemberReader.Element(range: brace..<end, finding: finding))
    }
    return found
  }

  func members(of object: MemberReader.Element, _ text: UnsafeRawPointer) -> MemberReader {
    var members = MemberReader(text, object.range, of: self, isJSON: object.finding == nil)
    members.read()
    return members
  }

  /// Reads the members of an object, or of a text with members in it.
  private func readMembers(
    _ text: UnsafeRawPointer, _ range: Range<Int>, isJSON: Bool, depth: Int
  ) -> LogOutcome {
    var members = MemberReader(text, range, of: self, isJSON: isJSON)
    members.read()
    reader = isJSON ? ReaderName.json.rawValue : ReaderName.members.rawValue
    if members.isCut { return .unrelated }
    let result = push.make(members.values, of: text, isLoose: !isJSON)
    if !members.elements.isEmpty, push.fields[.token] == nil {
      (elements, elementsDepth, push.outerTime) = (members.elements, depth, push.ownTime(members.values))
      return .unrelated
    }
    guard case .unrelated = result else { return outcome(result, text) }
    let inner = members.values[.text]
    guard depth < Self.deepestText, inner.isText else { return .unrelated }
    return readNested(push.text(inner), depth: depth, time: push.timeAround(members.values))
  }

  /// Reads a line of another program that is a value of this one.
  /// - Parameter time: the own time of the line around it.
  func readNested(_ text: UnsafeRawBufferPointer, depth: Int, time: LogTimes.ReadTime) -> LogOutcome {
    nestedTexts[depth].removeAll(keepingCapacity: true)
    nestedTexts[depth].append(contentsOf: text)
    LogText.clean(&nestedTexts[depth])
    while nestedTexts[depth].last.map({ $0 <= 0x20 }) == true { nestedTexts[depth].removeLast() }
    push.outerTime = time
    return nestedTexts[depth].withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return .unrelated }
      guard let first = bytes.firstIndex(where: { $0 > 0x20 }) else { return .unrelated }
      guard [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes[first]), JSONText.error(of: bytes) == nil
      else { return readText(start, first..<bytes.count, depth: depth &+ 1) }
      return readMembers(start, first..<bytes.count, isJSON: true, depth: depth &+ 1)
    }
  }

  // MARK: - Tables

  private func readRow(_ window: UnsafeRawPointer, _ count: Int, lineEnd: Int) -> Read? {
    guard let columns else { return nil }
    push.outerTime = .absent
    let line = UnsafeRawBufferPointer(start: window, count: lineEnd)
    if columns.isRule(line) { return take(window, min(lineEnd &+ 1, count), .passed) }
    // Of another table, appended to the first. Rows have digits early in them.
    if !line.contains(where: { $0 &- UInt8(ascii: "0") < 10 }),
      let header = CSVColumns(header: window, 0..<lineEnd, names: names, of: options.kind)
    {
      self.columns = header
      return take(window, min(lineEnd &+ 1, count), .passed)
    }
    var values = LogValues()
    let most = min(count, Self.longestLine)
    var (end, finding) = columns.read(window, most, into: &values)
    if end == most, !isWhole(count) {
      guard count >= Self.longestLine else { return nil }
      finding = LogFinding(.tooLong)
    }
    if var finding {
      // A quote may never be closed: only its line is skipped.
      finding.range = min(finding.range.lowerBound, lineEnd)..<min(finding.range.upperBound, lineEnd)
      return take(window, min(lineEnd &+ 1, count), outcome(.finding(finding), window))
    }
    reader = ReaderName.table.rawValue
    let length = min(end &+ 1, count)
    guard columns.hasLines else {
      return take(window, length, outcome(push.make(values, of: window), window))
    }
    push.begin(window)
    let nested = readNested(push.text(values[.text]), depth: 0, time: push.timeAround(values))
    return take(window, length, elementsOr: nested)
  }

  // MARK: - Elements

  /// Reads the next element of a list, with the bytes before it. The last one includes the rest of the record.
  private func readElement(_ window: UnsafeRawPointer) -> Read {
    let element = elements[nextElement]
    nextElement &+= 1
    let consumed = undecidedOffset &- elementsStart
    let outcome =
      elementsDepth == 0
      ? read(element, of: window - consumed)
      : nestedTexts[elementsDepth &- 1].withUnsafeBytes { text in
        text.baseAddress.map { read(element, of: $0) } ?? .unrelated
      }
    var length = elementsDepth > 0 ? 0 : element.range.upperBound &- consumed
    if let first = innerElements.first {
      if elementsDepth == 0 { length = first.range.lowerBound &- consumed }
      elements.replaceSubrange(..<nextElement, with: innerElements)
      (nextElement, innerElements) = (0, [])
    } else if nextElement == elements.count {
      length = elementsEnd &- undecidedOffset
      elements.removeAll(keepingCapacity: true)
      nextElement = 0
    }
    return take(window, length, outcome, token: elementsDepth > 0 ? 0 : push.tokenStart &- consumed)
  }

  func read(_ element: MemberReader.Element, of text: UnsafeRawPointer) -> LogOutcome {
    let bytes = UnsafeRawBufferPointer(start: text + element.range.lowerBound, count: element.range.count)
    let isObject = bytes.first == UInt8(ascii: "{")
    if element.isAccepted == true, !isObject {
      push.make(accepted: element.range, of: text)
      return .push
    }
    if element.hasForm, case .values(let values, let form) = forms.match(text, element.range) {
      reader = ReaderName.count &+ form
      return outcome(push.make(values, of: text), text)
    }
    let isJSON = isObject && element.finding == nil && JSONText.error(of: bytes) == nil
    var members = MemberReader(text, element.range, of: self, isJSON: isJSON)
    members.read()
    let result = push.make(members.values, of: text, isAccepted: element.isAccepted, isLoose: !isJSON)
    if let finding = element.finding {
      if !members.isCut, case .push = result { return .push }
      return outcome(.finding(finding), text)
    }
    if !members.elements.isEmpty, push.fields[.token] == nil {
      innerElements = members.elements
      return .passed
    }
    guard case .unrelated = result, members.values[.text].isText else { return outcome(result, text) }
    let (others, outerTime) = (elements, push.outerTime)
    defer { (elements, push.outerTime) = (others, outerTime) }
    let outcome = readNested(
      push.text(members.values[.text]), depth: Self.deepestText - 1, time: push.timeAround(members.values))
    push.tokenStart = Int(members.values[.text].start)
    return outcome
  }

  /// Keeps the beginning of the wrong value of the first line with this finding.
  func outcome(_ outcome: LogOutcome, _ text: UnsafeRawPointer) -> LogOutcome {
    if case .finding(let finding) = outcome, skip?.finding?.cause != finding.cause {
      nextFindingText = Array(
        UnsafeRawBufferPointer(
          start: text + finding.range.lowerBound, count: min(finding.range.count, Self.shownBytes)))
    }
    return outcome
  }
}
