import Basics

/// Objects and lists of several lines, of which each is wrapped (docs/spec/provider-logs.md#wrapped-lines).
extension LogDecoder {
  /// Whether a line may wrap the first one of a structure, by how that ends.
  func mayWrapStructure(_ line: UnsafeRawBufferPointer, from start: Int) -> Bool {
    let mayOpen = { (byte: UInt8) in ByteSet.openings.contains(byte) || byte == UInt8(ascii: ",") }
    guard undecidedOffset >= structuresBegin else { return false }
    guard LogText(line).begins("{\"", at: start) else { return line.last { $0 > 0x20 }.map(mayOpen) ?? false }
    return line.indices.dropFirst(start &+ 4).dropLast().contains { index in
      guard line[index] == UInt8(ascii: "\""), ",}".utf8.contains(line[index &+ 1]) else { return false }
      return mayOpen(line[index &- (LogText(line).begins("\\n", at: index &- 2) ? 3 : 1)])
    }
  }

  /// Reads a structure of several lines, the first of which is wrapped in `first`.
  func readWrapped(_ window: UnsafeRawPointer, _ count: Int, _ first: Range<Int>) -> StructureRead {
    let text = UnsafeRawBufferPointer(start: window, count: min(count, Self.longestLine))
    var (joined, depth, wrapper, end) = ([UInt8](), 0, LineWrapper?.none, first.upperBound)
    while end &+ 1 < text.count,
      let next = lineEnd(window, end &+ 1..<text.count) ?? (isWhole(count) ? text.count : nil)
    {
      let line = text[end &+ 1..<next]
      if wrapper == nil {
        let inner = object(window, first)?[.text]
        wrapper = LineWrapper(text[first], next: line, inner: inner)
        guard let value = wrapper?.unwrap(text[first], inner: inner) else { return .isLine }
        join(value, of: window, to: &joined)
        guard let opened = Self.depth(of: joined) else { return .isLine }
        depth = opened
      }
      let inner = object(window, end &+ 1..<next)?[.text]
      guard let value = wrapper?.unwrap(line, inner: inner) else {
        return readUnclosed(joined, window, end &+ 1, .interleaved)
      }
      let known = joined.count
      join(value, of: window, to: &joined)
      guard StructureScan.continues(joined[known]) else {
        if ByteSet.openings.contains(joined[known]) { wasInterrupted = true }
        return readUnclosed(Array(joined[..<known]), window, end &+ 1, .interleaved)
      }
      switch joined[known...].withUnsafeBytes({ StructureScan.read($0, depth: depth) }) {
      case .open(let inner): (depth, end) = (inner, next)
      case .closed where wasInterrupted: return readUnclosed(joined, window, next, .interleaved)
      case .closed:
        let own = ownTime(UnsafeRawBufferPointer(start: window, count: first.upperBound), first)
        let time = object(window, first).map(push.timeAround) ?? own
        let outcome = joined.withUnsafeBytes { readNested($0, depth: 0, time: time) }
        if case .unrelated = outcome, elements.isEmpty { return notBefore(next) }
        hasBegun = true
        return .read(take(window, min(next &+ 1, count), elementsOr: outcome))
      case .broken: return .isLine
      }
    }
    guard hasEnded || count >= Self.longestLine else { return .needsBytes }
    guard wrapper != nil else { return .isLine }
    let cause: LogFinding.Cause = isWhole(count) ? .json(expected: "a closing bracket") : .tooLong
    return readUnclosed(joined, window, min(end &+ 1, count), cause)
  }

  /// The values of a line that is an object of JSON with a text.
  private func object(_ window: UnsafeRawPointer, _ line: Range<Int>) -> LogValues? {
    let text = UnsafeRawBufferPointer(start: window + line.lowerBound, count: line.count)
    guard text.first == UInt8(ascii: "{"), JSONText.error(of: text) == nil else { return nil }
    let values = members(of: MemberReader.Element(range: line), window).values
    return values[.text].isText ? values : nil
  }

  /// Appends a line with its line feed. A text in JSON may have its own.
  private func join(_ line: LogValue, of window: UnsafeRawPointer, to joined: inout [UInt8]) {
    push.begin(window)
    let text = push.text(line)
    joined += text
    if text.last != 0x0a { joined.append(0x0a) }
  }

  /// How many brackets the first line of a structure leaves open; nil if it is none.
  private static func depth(of line: [UInt8]) -> Int? {
    guard let first = line.first(where: { $0 > 0x20 }), let last = line.last(where: { $0 > 0x20 }),
      ByteSet.openings.contains(last) || last == UInt8(ascii: ",") && ByteSet.openings.contains(first)
    else { return nil }
    var index = 0
    while let bracket = line[index...].firstIndex(where: ByteSet.openings.contains) {
      switch line[bracket...].withUnsafeBytes({ StructureScan.read($0) }) {
      case .closed(let length): index = bracket &+ length
      case .open(let depth): return depth
      case .broken: return nil
      }
    }
    return nil
  }

  /// What is there of a structure, up to `end`. If that names no token, each line is read for itself.
  private func readUnclosed(
    _ joined: [UInt8], _ window: UnsafeRawPointer, _ end: Int, _ cause: LogFinding.Cause
  ) -> StructureRead {
    let finding = LogFinding(cause)
    let namesToken = joined.withUnsafeBytes { bytes in
      let all = MemberReader.Element(range: 0..<bytes.count, finding: finding)
      return bytes.baseAddress.map { members(of: all, $0).mayHavePushes }
    }
    guard namesToken == true else { return notBefore(end) }
    hasBegun = true
    return .read(take(window, end, outcome(.finding(finding), window)))
  }
}
