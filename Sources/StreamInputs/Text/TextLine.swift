/// A line of a text, within the block or buffer that holds it.
struct TextLine {
  /// Where it stands in the block, without its line end.
  let range: Range<Int>
  /// Whether a line end follows; it is missing only from the last line of a file.
  let isTerminated: Bool
  /// At the line's first character.
  let cursor: TextCursor

  /// The line's end without the carriage return of a line end that has one.
  func end(in text: RawSpan) -> Int {
    let end = range.upperBound
    let hasReturn = isTerminated && !range.isEmpty && text.byte(at: end - 1) == ASCII.carriageReturn
    return hasReturn ? end - 1 : end
  }

  /// The line's end without any white space.
  func trimmedEnd(in text: RawSpan) -> Int {
    var end = range.upperBound
    while end > range.lowerBound, ASCII.isWhiteSpace(text.byte(at: end - 1)) { end -= 1 }
    return end
  }

  /// The place in the file of the character at `index` of the block.
  func place(_ index: Int) -> TextPlace {
    cursor.place(cursor.fileOffset + index - range.lowerBound)
  }

  /// The byte offset in the file of the character at `index` of the block.
  func fileOffset(_ index: Int) -> Int { cursor.fileOffset &+ index &- range.lowerBound }
}

/// Puts the lines of a text together that the ends of blocks have cut.
struct LineAssembly: Sendable {
  /// The longest line that we read, in bytes without its line end: xxd's longest (`-c 256 -g 1`) has about
  /// 1050. Longer ones are passed over without being held.
  static let maxLength = 4096

  /// At the first character of the line that is being read.
  var cursor = TextCursor()
  private var partial: [UInt8] = []
  /// Bytes of the present line that were not held because it is too long; 0 for any other line.
  private var passed = 0

  var isTooLong: Bool { passed > 0 }

  /// Whether nothing of a line is there.
  var isEmpty: Bool { partial.isEmpty && passed == 0 }

  /// Adds a piece of the present line. Returns true if that makes it too long.
  mutating func add(_ text: RawSpan, _ range: Range<Int>) -> Bool {
    if passed > 0 {
      passed += range.count
      return false
    }
    if partial.count + range.count > Self.maxLength {
      passed = partial.count + range.count
      partial.removeAll(keepingCapacity: true)
      return true
    }
    for index in range { partial.append(text.byte(at: index)) }
    return false
  }

  /// The present line, for as long as it is read; `putBack` returns the storage.
  mutating func take() -> [UInt8] {
    var line: [UInt8] = []
    swap(&line, &partial)
    return line
  }

  mutating func putBack(_ line: [UInt8]) {
    partial = line
  }

  /// The present line, of which `length` bytes were not added here, has been read, and a newline follows.
  mutating func endLine(length: Int) {
    cursor.fileOffset += length + partial.count + passed
    cursor.passNewline(at: cursor.fileOffset)
    cursor.fileOffset += 1
    partial.removeAll(keepingCapacity: true)
    passed = 0
  }
}
