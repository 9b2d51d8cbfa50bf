import Basics

/// A line of an export, or a chunk of one that is too long to buffer.
struct ExportLine {
  /// Offset in the file, from 0, of its first character.
  var fileOffset: Int
  /// Gives the line's number and columns.
  var cursor: TextCursor
  /// Whether it begins the line, and whether it ends it: both but for chunks of a long line.
  var isStart: Bool
  var isEnd: Bool
  /// Whether a line end follows; it is missing only from a file's last line, which may be cut.
  var isTerminated: Bool
  /// Whether that line end has a carriage return.
  var hasReturn: Bool

  /// The position in the file of the character at `index` of the line.
  func position(_ index: Int) -> TextPosition { cursor.position(fileOffset &+ index) }
}

/// Reads the lines of one format. One value reads one file.
protocol ExportLines: Sendable {
  /// - Parameter text: the line without its end.
  mutating func read(_ text: RawSpan, of line: ExportLine, into events: inout ExportEvents)

  /// The file has ended.
  mutating func finish(at position: TextPosition, into events: inout ExportEvents)
}

/// Reads an export block by block; the result does not depend on the block boundaries.
protocol ExportDecoder: Sendable {
  /// Reads `text`, the file's next block, from `start` on, and returns the index after the last byte read: its end,
  /// or less when `events` is full and must be drained first.
  mutating func read(_ text: RawSpan, from start: Int, into events: inout ExportEvents) -> Int

  mutating func finish(into events: inout ExportEvents)
}

/// Splits blocks into lines.
struct ExportLineReader<Lines: ExportLines>: ExportDecoder {
  /// A longer line is passed in chunks of this many bytes. Groups of 2 digits, of 3 characters (`51 80 `) and of 6
  /// (`0x51, `) all end at a chunk's end.
  static var chunkLength: Int { 48 << 10 }

  private var lines: Lines
  /// At the first character that was not passed on.
  private var cursor = TextCursor()
  /// The beginning of an incomplete line; at most one byte more than `chunkLength`, so that a carriage return never
  /// becomes a chunk's last byte.
  private var partial: [UInt8] = []
  /// Whether chunks of the current line were passed on.
  private var isWithinLine = false

  init(_ lines: Lines) { self.lines = lines }

  mutating func read(_ text: RawSpan, from start: Int, into events: inout ExportEvents) -> Int {
    var index = start
    while index < text.byteCount, !events.isFull {
      let newline = text.newlineIndex(from: index)
      let end = newline ?? text.byteCount
      if newline != nil, partial.isEmpty, end &- index <= Self.chunkLength {
        emit(text.extracting(index..<end), isEnd: true, isTerminated: true, into: &events)
      } else {
        buffer(text.extracting(index..<end), into: &events)
        if newline != nil { emitPartial(isTerminated: true, into: &events) }
      }
      index = end
      if newline != nil {
        cursor.passNewline(at: cursor.fileOffset)
        cursor.fileOffset &+= 1
        index &+= 1
      }
    }
    return index
  }

  mutating func finish(into events: inout ExportEvents) {
    if !partial.isEmpty || isWithinLine { emitPartial(isTerminated: false, into: &events) }
    lines.finish(at: cursor.position, into: &events)
    events.closeFaults()
  }

  /// Buffers a part of a line; a full chunk is passed on.
  private mutating func buffer(_ text: RawSpan, into events: inout ExportEvents) {
    var index = 0
    while index < text.byteCount {
      let count = min(text.byteCount &- index, Self.chunkLength &+ 1 &- partial.count)
      text.extracting(index..<index &+ count).withUnsafeBytes { partial.append(contentsOf: $0) }
      index &+= count
      guard partial.count > Self.chunkLength, let last = partial.popLast() else { continue }
      emitPartial(isEnd: false, isTerminated: false, into: &events)
      partial.append(last)
    }
  }

  private mutating func emitPartial(
    isEnd: Bool = true, isTerminated: Bool, into events: inout ExportEvents
  ) {
    var line: [UInt8] = []
    swap(&line, &partial)
    emit(line.span.bytes, isEnd: isEnd, isTerminated: isTerminated, into: &events)
    line.removeAll(keepingCapacity: true)
    swap(&line, &partial)
  }

  private mutating func emit(
    _ text: RawSpan, isEnd: Bool, isTerminated: Bool, into events: inout ExportEvents
  ) {
    var text = text
    var length = text.byteCount
    if cursor.fileOffset == 0, text.beginsWithByteOrderMark {
      cursor.skip(byteOrderMark: 3)
      text = text.extracting(droppingFirst: 3)
      length &-= 3
    }
    let hasReturn = isTerminated && length > 0 && text.byte(at: length &- 1) == ASCII.carriageReturn
    let line = ExportLine(
      fileOffset: cursor.fileOffset, cursor: cursor, isStart: !isWithinLine, isEnd: isEnd,
      isTerminated: isTerminated, hasReturn: hasReturn)
    lines.read(hasReturn ? text.extracting(droppingLast: 1) : text, of: line, into: &events)
    cursor.fileOffset &+= length
    isWithinLine = !isEnd
  }
}

/// Reading of words and numbers in an export's lines.
extension RawSpan {
  func has(_ word: StaticString, at index: Int = 0) -> Bool {
    guard index >= 0, index <= byteCount, byteCount &- index >= word.utf8CodeUnitCount else { return false }
    for position in 0..<word.utf8CodeUnitCount
    where byte(at: index &+ position) != word.utf8Start[position] {
      return false
    }
    return true
  }

  /// The index after the first `word` at or after `start`.
  func end(of word: StaticString, from start: Int) -> Int? {
    var index = start
    while byteCount &- index >= word.utf8CodeUnitCount {
      if has(word, at: index) { return index &+ word.utf8CodeUnitCount }
      index &+= 1
    }
    return nil
  }

  /// The index of the first character at or after `start` that is not blank.
  func skippingBlanks(from start: Int) -> Int {
    var index = start
    while index < byteCount, ASCII.isBlank(byte(at: index)) { index &+= 1 }
    return index
  }

  /// The decimal number at `start`, and the index after it; nil without a digit or with more than 18.
  func number(at start: Int) -> (value: Int, end: Int)? {
    var index = start
    var value = 0
    while index < byteCount, case let digit = byte(at: index) &- UInt8(ascii: "0"), digit < 10 {
      guard index &- start < 18 else { return nil }
      value = value &* 10 &+ Int(digit)
      index &+= 1
    }
    return index > start ? (value, index) : nil
  }

  /// The number at `start`, if only blanks follow it.
  func wholeNumber(at start: Int) -> Int? {
    guard let (value, end) = number(at: start), skippingBlanks(from: end) == byteCount else { return nil }
    return value
  }

  /// The text in `range` without blanks at its ends; for headers, never for data.
  func string(_ range: Range<Int>) -> String {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, ASCII.isBlank(byte(at: start)) { start &+= 1 }
    while start < end, ASCII.isBlank(byte(at: end &- 1)) { end &-= 1 }
    return extracting(start..<end).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A time in seconds with a fraction, `1400000000.299999952`, at `start`; nil if there is none, or it is 0.
  /// - Parameter maxDigits: number of accurate digits; the rest is rounded.
  func time(at start: Int, maxDigits: Int) -> CaptureTime? {
    guard let (seconds, end) = number(at: start), seconds > 0 else { return nil }
    guard end < byteCount, byte(at: end) == UInt8(ascii: "."),
      let (fraction, fractionEnd) = number(at: end &+ 1)
    else { return CaptureTime(seconds: Int64(seconds)) }
    var digits = fractionEnd &- end &- 1
    var value = fraction
    var rest = 0
    while digits > maxDigits {
      (value, rest) = value.quotientAndRemainder(dividingBy: 10)
      digits &-= 1
    }
    if rest >= 5 { value &+= 1 }
    var unit = 1
    for _ in 0..<digits { unit &*= 10 }
    return CaptureTime(
      seconds: Int64(seconds &+ value / unit), fraction: UInt64(value % unit), digits: UInt8(digits))
  }
}

/// Separator lines of one repeated character.
enum RuledLine {
  /// Minimum length; tools print 63 and more.
  private static let shortest = 40

  /// Whether the line from `start` on consists of `sign` alone.
  static func isDrawn(with sign: Unicode.Scalar, in text: RawSpan, from start: Int = 0) -> Bool {
    guard text.byteCount &- start >= shortest else { return false }
    for index in start..<text.byteCount where text.byte(at: index) != UInt8(ascii: sign) { return false }
    return true
  }
}
