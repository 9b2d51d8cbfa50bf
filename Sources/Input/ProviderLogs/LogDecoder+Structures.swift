import Basics

/// Objects and lists of several lines, and those that are longer than a line may be: of these, each element is read for itself.
extension LogDecoder {
  /// A structure whose elements are read one by one.
  enum OpenStructure {
    case object
    /// Whether it lists accepted (true) or failed (false) pushes; nil for others.
    case list(isAccepted: Bool?)
  }

  enum StructureRead {
    case read(Read)
    case needsBytes
    /// The line is read for itself.
    case isLine
  }

  /// Lists of pushes are in an object, or in a list of objects.
  private static let deepestStructure = 8
  private static let (sent, failed) = (LogName("sent"), LogName("failed"))

  /// Whether a line may begin a structure that further lines continue, by how it ends.
  func mayOpenStructure(_ line: UnsafeRawBufferPointer, from start: Int) -> Bool {
    guard undecidedOffset >= structuresBegin, let last = line.last(where: { $0 > 0x20 }) else { return false }
    return ByteSet.openings.contains(last)
      || ",>:".utf8.contains(last) && ByteSet.openings.contains(line[start])
  }

  /// Reads a structure that the line from `start` to `lineEnd` opens.
  func readStructure(_ window: UnsafeRawPointer, _ count: Int, from start: Int, lineEnd: Int) -> StructureRead
  {
    let text = UnsafeRawBufferPointer(start: window, count: min(count, Self.longestLine))
    var index = start
    while let bracket = text[index..<lineEnd].firstIndex(where: ByteSet.openings.contains) {
      let isWhole = hasEnded && count < Self.longestLine
      switch StructureScan.read(UnsafeRawBufferPointer(rebasing: text[bracket...])) {
      case .closed(let length) where bracket &+ length <= lineEnd: index = bracket &+ length
      case .closed(let length):
        guard let end = self.lineEnd(window, bracket &+ length..<text.count) ?? (isWhole ? count : nil) else {
          return text.count < Self.longestLine ? .needsBytes : .isLine
        }
        return readLines(window, start..<end, length: min(end &+ 1, count))
      case .open where !isWhole && count < Self.longestLine: return .needsBytes
      case .open where bracket == start && hasList(text, from: start): return .read(open(text, start))
      case .open: return notBefore(text.count)
      case .broken(let offset): return notBefore(bracket &+ offset)
      }
    }
    return .isLine
  }

  /// The lines up to here begin no structure.
  private func notBefore(_ length: Int) -> StructureRead {
    structuresBegin = undecidedOffset &+ length
    return .isLine
  }

  private func readLines(_ window: UnsafeRawPointer, _ text: Range<Int>, length: Int) -> StructureRead {
    let outcome = readLine(window, text, isCut: false)
    if let read = beginElements(length, outcome, window) { return .read(read) }
    // There may be a push in each of the lines.
    if case .unrelated = outcome { return notBefore(length) }
    let record = UnsafeRawBufferPointer(start: window, count: length)
    let before = record[..<min(push.tokenStart, length)]
    return .read(take(length, outcome, lines: record.count { $0 == 0x0a }, before: before))
  }

  /// Whether a text is a list, or has one that may have pushes.
  func hasList(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
    if text[start] == UInt8(ascii: "[") { return true }
    var index = start
    while let bracket = text[index...].firstIndex(of: UInt8(ascii: "[")) {
      var end = bracket
      while end > start, !LogText.isWord(text[end &- 1]), bracket &- end < 8 { end &-= 1 }
      var begin = end
      while begin > start, LogText.isWord(text[begin &- 1]), end &- begin < 32 { begin &-= 1 }
      if isListName(UnsafeRawBufferPointer(rebasing: text[begin..<end])) { return true }
      index = bracket &+ 1
    }
    return false
  }

  private func isListName(_ name: UnsafeRawBufferPointer) -> Bool {
    LogName(name).flatMap { names.meaning(of: $0) }?.field == .list
  }

  // MARK: - Elements of an open structure

  private func open(_ text: UnsafeRawBufferPointer, _ bracket: Int) -> Read {
    listName = nil
    openStructures = [text[bracket] == UInt8(ascii: "{") ? .object : .list(isAccepted: nil)]
    return take(bracket &+ 1, .passed, lines: 0)
  }

  /// Reads an element, or what is before the next one; nil if the window does not contain its end.
  func readPiece(_ window: UnsafeRawPointer, _ count: Int) -> Read? {
    let text = UnsafeRawBufferPointer(start: window, count: min(count, Self.longestLine))
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
        return index > 0 ? passed(text, index) : readUnit(text, count)
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
        openStructures.removeLast()
        index &+= 1
        if openStructures.isEmpty { return passed(text, index) }
      case 0x0a:
        guard index &+ 1 < text.count else {
          return index > 0 || hasEnded ? passed(text, max(index, 1)) : nil
        }
        guard StructureScan.continues(text[index &+ 1]) else { return broken(text, index &+ 1) }
        index &+= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = StructureScan.quotedEnd(text, index) else {
          if index > 0 { return passed(text, index) }
          return hasEnded ? cut(text) : count < Self.longestLine ? nil : broken(text, text.count)
        }
        if case .list(true)? = openStructures.last {
          guard index == 0 else { return passed(text, index) }
          push.make(accepted: 1..<end &- 1, of: window)
          return take(end, .push, lines: 0)
        }
        listName = LogName(UnsafeRawBufferPointer(rebasing: text[(index &+ 1)..<max(end &- 1, index &+ 1)]))
        index = end
      case _ where LogText.isWord(text[index]):
        let end = text[index...].firstIndex { !LogText.isWord($0) } ?? text.count
        guard end < text.count || index == 0 else { return passed(text, index) }
        listName = LogName(UnsafeRawBufferPointer(rebasing: text[index..<end]))
        index = end
      default: index &+= 1
      }
    }
    return passed(text, index)
  }

  private func passed(_ text: UnsafeRawBufferPointer, _ length: Int) -> Read {
    take(length, .passed, lines: text[..<length].count { $0 == 0x0a })
  }

  /// The structure ends before its closing bracket.
  private func broken(_ text: UnsafeRawBufferPointer, _ length: Int) -> Read {
    openStructures = []
    structuresBegin = undecidedOffset &+ text.count
    let outcome = text.baseAddress.map {
      problem(LogProblem(.json(expected: "a closing bracket"), 0..<length), $0)
    }
    return take(length, outcome ?? .unrelated, lines: text[..<length].count { $0 == 0x0a })
  }

  private func cut(_ text: UnsafeRawBufferPointer) -> Read {
    openStructures = []
    return take(text.count, .truncated)
  }

  /// Reads the structure that begins here.
  private func readUnit(_ text: UnsafeRawBufferPointer, _ count: Int) -> Read? {
    guard openStructures.count < Self.deepestStructure else { return broken(text, 1) }
    var isElement = false
    if case .list? = openStructures.last { isElement = true }
    let isList = text[0] != UInt8(ascii: "{")
    let isAccepted: Bool? = if case .list(let known)? = openStructures.last { known } else { nil }
    if isList, isElement || listName.flatMap({ names.meaning(of: $0) })?.field == .list {
      let kind = listName == Self.sent ? true : listName == Self.failed ? false : isAccepted
      openStructures.append(.list(isAccepted: kind))
      return take(1, .passed, lines: 0)
    }
    let isWhole = hasEnded && count < Self.longestLine
    switch StructureScan.read(text) {
    case .closed(let length):
      guard !isList, let base = text.baseAddress else { return passed(text, length) }
      let outcome =
        isElement
        ? read(MemberReader.Element(range: 0..<length, isAccepted: isAccepted), of: base)
        : readLine(base, 0..<length, isCut: false)
      if let read = beginElements(length, outcome, base) { return read }
      let before = text[..<min(push.tokenStart, length)]
      return take(length, outcome, lines: text[..<length].count { $0 == 0x0a }, before: before)
    case .open where isWhole: return cut(text)
    case .open where count < Self.longestLine: return nil
    case .open:
      openStructures.append(isList ? .list(isAccepted: nil) : .object)
      return take(1, .passed, lines: 0)
    case .broken(let offset): return broken(text, max(offset, 1))
    }
  }
}
