import Basics

/// A line in the head of what may be a hex dump.
struct HeadLine {
  /// The offset, read as hex and as decimal digits; nil if the line has none, or not of that kind.
  private(set) var hexOffset: UInt64?
  private(set) var decimalOffset: UInt64?
  /// Number of bytes in the hex column.
  private(set) var count = 0
  /// Whether the whole line is valid, and a text column, if present, agrees with the bytes.
  private(set) var isClean = false
  private(set) var hasTextColumn = false

  /// The offset of the next line, if none is missing.
  func end(in base: OffsetBase) -> UInt64? {
    let offset = base == .decimal ? decimalOffset : hexOffset
    return offset.map { $0 &+ UInt64(count) }
  }

  /// Minimum number of digits of an offset; older versions of xxd print seven, Wireshark four, all others eight.
  private static func fewestDigits(isStrict: Bool) -> Int { isStrict ? 7 : 4 }

  private init<Format: OffsetTextFormat>(
    _ text: RawSpan, _ line: TextLine, as format: Format.Type, scratch: inout DecodedText
  ) {
    let start = line.range.lowerBound
    let end = line.end(in: text)
    guard let hex = OffsetBase.hexadecimal.read(text, from: start, to: end),
      hex.end - start >= Self.fewestDigits(isStrict: Format.isStrict)
    else { return }
    hexOffset = hex.value
    if let decimal = OffsetBase.decimal.read(text, from: start, to: end), decimal.end == hex.end {
      decimalOffset = decimal.value
    }
    switch Format.afterOffset(text, at: hex.end, to: end) {
    case .other: break
    case .lineEnd: isClean = true
    case .hexColumn(let column):
      scratch.removeAll()
      let outcome = HexColumn.read(text, from: column, to: end, of: line, as: format, into: &scratch)
      count = scratch.bytes.count
      guard case .whole(let hexEnd) = outcome else { return }
      let textColumn = Format.compare(text, from: hexEnd, to: end, with: scratch.bytes[...])
      hasTextColumn = Format.isStrict && textColumn == .agrees
      isClean = textColumn == .agrees || textColumn == .absent
    }
  }

  /// Calls `body` for every line of `head` except empty ones; for the last one, which may be cut, only if the head is
  /// the whole file.
  static func forEach<Format: OffsetTextFormat>(
    in head: RawSpan, isWhole: Bool, as format: Format.Type, _ body: (HeadLine) -> Void
  ) {
    var scratch = DecodedText()
    var start = head.beginsWithByteOrderMark ? 3 : 0
    while start < head.byteCount {
      let newline = head.newlineIndex(from: start)
      guard newline != nil || isWhole else { return }
      let end = newline ?? head.byteCount
      let line = TextLine(range: start..<end, isTerminated: newline != nil, cursor: TextCursor())
      if end - start <= LineAssembly.maxLength, line.trimmedEnd(in: head) > start {
        body(HeadLine(head, line, as: format, scratch: &scratch))
      }
      start = end + 1
    }
  }
}

extension OffsetTextDecoder {
  /// Whether a file that begins with `head` (`isWhole`: and has no more) is such a dump: most lines are valid, and at
  /// least one is unambiguous, as its text column agrees with its bytes or its offset continues the line before.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    guard !head.hasControlCharacters else { return false }
    var lines = 0
    var clean = 0
    var isDistinct = false
    var before: HeadLine?
    HeadLine.forEach(in: head, isWhole: isWhole, as: Format.self) { line in
      // Lines before the dump do not count where they are allowed.
      lines += Format.isStrict || clean > 0 || line.isClean ? 1 : 0
      clean += line.isClean ? 1 : 0
      let continues =
        line.hexOffset.map { $0 == before?.end(in: .hexadecimal) } == true
        || line.decimalOffset.map { $0 == before?.end(in: .decimal) } == true
      if line.isClean, line.hasTextColumn || continues { isDistinct = true }
      before = line.isClean && line.count > 0 ? line : nil
    }
    return isDistinct && clean * 2 > lines
  }
}
