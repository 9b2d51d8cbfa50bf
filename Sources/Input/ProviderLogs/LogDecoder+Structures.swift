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

  /// Bytes in which the rest of an interrupted structure comes, if two programs write at once.
  private static let interleavedReach = 4096
  /// Lists of pushes are in an object, or in a list of objects.
  private static let deepestStructure = 8

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
      switch StructureScan.read(UnsafeRawBufferPointer(rebasing: text[bracket...])) {
      case .closed(let length) where bracket &+ length <= lineEnd: index = bracket &+ length
      case .closed(let length):
        guard
          let end = self.lineEnd(window, bracket &+ length..<text.count) ?? (isWhole(count) ? count : nil)
        else {
          return text.count < Self.longestLine ? .needsBytes : .isLine
        }
        if wasInterrupted {
          let most = end &+ Self.interleavedReach
          guard most < text.count || hasEnded || text.count == Self.longestLine else { return .needsBytes }
          if StructureScan.closesMore(text[end..<min(most, text.count)]) {
            let finding = LogFinding(.interleaved, start..<end)
            return .read(take(window, end &+ 1, outcome(.finding(finding), window)))
          }
        }
        return readLines(window, start..<end, length: min(end &+ 1, count))
      case .open where !hasEnded && count < Self.longestLine: return .needsBytes
      case .open where hasList(text, from: bracket): return .read(open(window, bracket))
      case .open: return notBefore(text.count)
      case .broken(let offset):
        let next = bracket &+ offset
        let end = self.lineEnd(window, next..<text.count) ?? text.count
        guard end &+ 1 < text.count || hasEnded || text.count == Self.longestLine else { return .needsBytes }
        // PHP writes its bracket in a line of its own.
        let opens = { (byte: UInt8?) in byte.map(ByteSet.openings.contains) ?? false }
        let last = text[next..<end].last { $0 > 0x20 }
        if opens(text[next]) || opens(last) || opens(text[end...].dropFirst().first) { wasInterrupted = true }
        return notBefore(next)
      }
    }
    return .isLine
  }

  /// The lines up to here begin no structure.
  func notBefore(_ length: Int) -> StructureRead {
    structuresBegin = undecidedOffset &+ length
    return .isLine
  }

  private func readLines(_ window: UnsafeRawPointer, _ text: Range<Int>, length: Int) -> StructureRead {
    let outcome = readLine(window, text, isCut: false)
    // There may be a push in each of the lines.
    if case .unrelated = outcome, elements.isEmpty { return notBefore(length) }
    return .read(take(window, length, elementsOr: outcome))
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
      let name = LogName(UnsafeRawBufferPointer(rebasing: text[begin..<end]))
      if name.flatMap({ names.meaning(of: $0) })?.field == .list { return true }
      index = bracket &+ 1
    }
    return false
  }

  // MARK: - Elements of an open structure

  private func open(_ window: UnsafeRawPointer, _ bracket: Int) -> Read {
    listName = nil
    let isObject = window.load(fromByteOffset: bracket, as: UInt8.self) == UInt8(ascii: "{")
    openStructures = [isObject ? .object : .list(isAccepted: nil)]
    return take(window, bracket &+ 1, .passed)
  }

  /// Reads an element, or what is before the next one; nil if the window does not contain its end.
  func readPiece(_ window: UnsafeRawPointer, _ count: Int) -> Read? {
    let text = UnsafeRawBufferPointer(start: window, count: min(count, Self.longestLine))
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
        return index > 0 ? take(window, index, .passed) : readUnit(window, count)
      case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
        openStructures.removeLast()
        index &+= 1
        if openStructures.isEmpty { return take(window, index, .passed) }
      case 0x0a:
        guard index &+ 1 < text.count else {
          return index > 0 || hasEnded ? take(window, max(index, 1), .passed) : nil
        }
        guard StructureScan.continues(text[index &+ 1]) else { return broken(window, index &+ 1) }
        index &+= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = StructureScan.quotedEnd(text, index) else {
          if index > 0 { return take(window, index, .passed) }
          return hasEnded
            ? cut(window, text.count) : count < Self.longestLine ? nil : broken(window, text.count)
        }
        if case .list(true)? = openStructures.last {
          guard index == 0 else { return take(window, index, .passed) }
          // A quote that its line does not close is no text.
          guard end > 1 else { return take(window, end, .passed) }
          push.make(accepted: 1..<end &- 1, of: window)
          return take(window, end, .push)
        }
        listName = LogName(UnsafeRawBufferPointer(rebasing: text[(index &+ 1)..<max(end &- 1, index &+ 1)]))
        index = end
      case _ where LogText.isWord(text[index]):
        let end = text[index...].firstIndex { !LogText.isWord($0) } ?? text.count
        guard end < text.count || index == 0 else { return take(window, index, .passed) }
        listName = LogName(UnsafeRawBufferPointer(rebasing: text[index..<end]))
        index = end
      default: index &+= 1
      }
    }
    return take(window, index, .passed)
  }

  /// The structure ends before its closing bracket.
  private func broken(_ window: UnsafeRawPointer, _ length: Int) -> Read {
    openStructures = []
    structuresBegin = undecidedOffset &+ Self.longestLine
    let finding = LogFinding(.json(expected: "a closing bracket"), 0..<length)
    return take(window, length, outcome(.finding(finding), window))
  }

  private func cut(_ window: UnsafeRawPointer, _ length: Int) -> Read {
    openStructures = []
    return take(window, length, .truncated)
  }

  /// Reads the structure that begins here.
  private func readUnit(_ window: UnsafeRawPointer, _ count: Int) -> Read? {
    let text = UnsafeRawBufferPointer(start: window, count: min(count, Self.longestLine))
    guard openStructures.count < Self.deepestStructure else { return broken(window, 1) }
    let isList = text[0] != UInt8(ascii: "{")
    var (isElement, isAccepted) = (false, Bool?.none)
    if case .list(let known)? = openStructures.last { (isElement, isAccepted) = (true, known) }
    if isList, isElement || listName.flatMap({ names.meaning(of: $0) })?.field == .list {
      openStructures.append(.list(isAccepted: listName?.acceptance ?? isAccepted))
      return take(window, 1, .passed)
    }
    switch StructureScan.read(text) {
    case .closed(let length) where isList: return take(window, length, .passed)
    case .closed(let length):
      let outcome =
        isElement
        ? read(MemberReader.Element(range: 0..<length, isAccepted: isAccepted), of: window)
        : readLine(window, 0..<length, isCut: false)
      if isElement { (elements, innerElements, elementsDepth) = (innerElements, [], 0) }
      return take(window, length, elementsOr: outcome)
    case .open where isWhole(count): return cut(window, count)
    case .open where count < Self.longestLine: return nil
    case .open:
      openStructures.append(isList ? .list(isAccepted: nil) : .object)
      return take(window, 1, .passed)
    case .broken(let offset): return broken(window, max(offset, 1))
    }
  }
}
