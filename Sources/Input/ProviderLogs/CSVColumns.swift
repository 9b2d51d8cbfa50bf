import Basics

/// The columns of a log with a header line (RFC 4180), and their delimiter.
struct CSVColumns {
  let delimiter: UInt8
  /// The field of each column; nil for unknown columns.
  private(set) var meanings: [LogNames.Meaning?] = []

  /// Whether it is drawn, as psql and mysql print it: with blanks around the values, and rules.
  private let isDrawn: Bool
  /// Whether each record has a line of another program.
  let hasLines: Bool
  /// Whether it names columns of a list for an answer, which do not count, or for what no list of tokens has.
  let (hasAnswers, hasOthers): (Bool, Bool)

  /// Reads a header line; nil unless it names a column for the token and one for the answer, or, for a list, for the time
  /// of the invalidation. One of a list without that, but with short names alone, shows that no other time counts.
  init?(header line: UnsafeRawPointer, _ range: Range<Int>, names: LogNames, of kind: LogOptions.LogContent) {
    let text = UnsafeRawBufferPointer(start: line + range.lowerBound, count: range.count)
    let delimiters: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";"), UInt8(ascii: "|")]
    guard let delimiter = delimiters.first(where: { text.contains($0) }), text.count <= 8192 else {
      return nil
    }
    self.delimiter = delimiter
    isDrawn = delimiter == UInt8(ascii: "|") && text.contains(0x20)
    var (isToken, isAnswer, isTime, isText, areNames, isOther) = (false, false, false, false, true, false)
    for name in Self.split(text, at: delimiter) {
      let isMargin = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte <= 0x20 }
      let start = text[name].firstIndex { !isMargin($0) } ?? name.upperBound
      let end = text[start..<name.upperBound].lastIndex { !isMargin($0) }.map { $0 &+ 1 } ?? start
      let name = UnsafeRawBufferPointer(rebasing: text[start..<end])
      let short = LogName(name)
      areNames = areNames && short != nil
      let meaning = short.flatMap { names.meaning(of: $0) }
      meanings.append(meaning)
      switch meaning?.field.inHeader {
      case .token: isToken = true
      case .answer:
        isAnswer = true
        if kind == .reports { meanings[meanings.count - 1] = nil }
      case .invalidation: isTime = true
      case .line: (isText, isOther) = (true, true)
      case .detail where meaning.map { [.flags, .tokenLength, .origin].contains($0.field) } == true: break
      case .detail where kind == .reports && meaning?.field == .kind: meanings[meanings.count - 1] = nil
      case .detail, nil: isOther = true
      }
    }
    hasLines = isText && !isToken
    (hasAnswers, hasOthers) = (kind == .reports && isAnswer, isOther)
    guard hasLines || isToken, kind == .pushes ? isAnswer || hasLines : isTime || isToken && areNames else {
      return nil
    }
  }

  /// The ranges of the names. Delimiters in quotes are part of a name.
  private static func split(_ text: UnsafeRawBufferPointer, at delimiter: UInt8) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    var isQuoted = false
    for (index, byte) in text.enumerated() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == delimiter, !isQuoted {
        ranges.append(start..<index)
        start = index &+ 1
      }
    }
    return ranges + [start..<text.count]
  }

  /// Reads the record at the beginning of the `end` bytes from `line` on, and returns the index after it. Without a
  /// finding, that is of its line feed, or `end`.
  func read(
    _ line: UnsafeRawPointer, _ end: Int, into values: inout LogValues
  ) -> (end: Int, finding: LogFinding?) {
    var (index, column) = (0, 0)
    while true {
      let start = index
      var value: LogValue
      if index < end, byte(line, index) == UInt8(ascii: "\"") {
        (value, index) = quoted(line, start &+ 1..<end)
        if value.kind == .absent { return (index, LogFinding(.openQuote, start..<index)) }
        guard isBoundary(line, index, end) else {
          return (index, LogFinding(.textAfterQuote, index..<index &+ 1))
        }
      } else {
        index = plainEnd(line, start..<end)
        value = trimmed(LogValue(.text, start, index), line)
      }
      if column < meanings.count, let meaning = meanings[column] {
        values.put(value, for: meaning, in: line)
      }
      column &+= 1
      if index < end, byte(line, index) == delimiter {
        index &+= 1
        continue
      }
      if index < end, byte(line, index) == UInt8(ascii: "\r") { index &+= 1 }
      let isWhole = column == meanings.count
      return (index, isWhole ? nil : LogFinding(.columns(found: column, expected: meanings.count)))
    }
  }

  /// A value without the carriage return after it; in a drawn table without blanks around it, and none if it is the word
  /// for that.
  @inline(__always)
  private func trimmed(_ value: LogValue, _ line: UnsafeRawPointer) -> LogValue {
    var (start, end) = (value.range.lowerBound, value.range.upperBound)
    if !isDrawn {
      let hasReturn = end > start && byte(line, end &- 1) == UInt8(ascii: "\r")
      return hasReturn ? LogValue(.text, start, end &- 1) : value
    }
    while start < end, byte(line, start) <= 0x20 { start &+= 1 }
    while end > start, byte(line, end &- 1) <= 0x20 { end &-= 1 }
    let text = UnsafeRawBufferPointer(start: line + start, count: end &- start)
    return LogValue(.text, start, LogText(text).isNothing ? start : end)
  }

  /// Whether a line is one that is drawn between records, or the count below them: `---+---`, `(2 rows)`.
  func isRule(_ text: UnsafeRawBufferPointer) -> Bool {
    guard isDrawn else { return false }
    return Self.isRule(text) || LogText(text).index(of: "|") == nil
  }

  static func isRule(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy { ByteSet.rules.contains($0) }
  }

  @inline(__always)
  private func byte(_ line: UnsafeRawPointer, _ index: Int) -> UInt8 {
    line.load(fromByteOffset: index, as: UInt8.self)
  }

  /// Whether a field can end here.
  private func isBoundary(_ line: UnsafeRawPointer, _ index: Int, _ end: Int) -> Bool {
    guard index < end else { return true }
    let found = byte(line, index)
    return found == delimiter || found == 0x0a
      || found == UInt8(ascii: "\r") && (index &+ 1 == end || byte(line, index &+ 1) == 0x0a)
  }

  /// Index of the next delimiter or line feed.
  @inline(__always)
  private func plainEnd(_ line: UnsafeRawPointer, _ range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index &+ 8 <= range.upperBound {
      let block = EightBytes(line + index)
      let plain = EightBytes.count(before: block.marks(of: delimiter) | block.marks(of: 0x0a))
      index &+= plain
      if plain < 8 { return index }
    }
    while index < range.upperBound, byte(line, index) != delimiter, byte(line, index) != 0x0a { index &+= 1 }
    return index
  }

  /// The text up to the closing quote, and the index after this; an absent value if there is none in the next lines.
  private func quoted(_ line: UnsafeRawPointer, _ range: Range<Int>) -> (LogValue, Int) {
    var (index, lines) = (range.lowerBound, 0)
    var kind = LogValue.ValueKind.text
    while index < range.upperBound {
      switch byte(line, index) {
      case UInt8(ascii: "\""):
        guard index &+ 1 < range.upperBound, byte(line, index &+ 1) == UInt8(ascii: "\"") else {
          return (LogValue(kind, range.lowerBound, index), index &+ 1)
        }
        kind = .quotedText
        index &+= 1
      case 0x0a:
        lines &+= 1
        if lines == LogDecoder.mostLines { return (LogValue(), index) }
      default: break
      }
      index &+= 1
    }
    return (LogValue(), range.upperBound)
  }

  /// Replaces each pair of quotes by one quote; returns the number of bytes, which are not more than before.
  static func unquote(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
    var (index, count) = (0, 0)
    while index < text.count {
      target.storeBytes(of: text[index], toByteOffset: count, as: UInt8.self)
      count &+= 1
      index &+= text[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return count
  }
}
