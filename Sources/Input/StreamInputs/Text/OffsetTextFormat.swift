import Basics

/// Properties of one hex dump tool's output. All have lines of an offset, a column of hex digits, and optionally a
/// column of text.
package protocol OffsetTextFormat: Sendable {
  /// Whether one tool alone writes it: offsets have seven digits or more, and a text column proves the bytes. If not,
  /// lines without an offset may precede the dump, and no text is compared.
  static var isStrict: Bool { get }
  /// Whether a dump ends with a line that has only the total size.
  static var endsWithTotal: Bool { get }
  /// The likely cause of a text column that differs from the bytes.
  static var causeOfOtherText: Message { get }

  /// Base of a text's offsets, determined from its head.
  static func base(of head: RawSpan) -> OffsetBase

  /// Kind of the characters after an offset that ends at `index` of a line that ends at `end`.
  static func afterOffset(_ text: RawSpan, at index: Int, to end: Int) -> AfterOffset

  /// Kind of the characters after a group of hex digits that ends at `index` of a line that ends at `end`.
  /// - Parameter count: bytes of the line up to there.
  static func afterGroup(_ text: RawSpan, at index: Int, to end: Int, count: Int) -> AfterGroup

  /// Compares the text column, after the hex column that ends at `start`, with the line's bytes.
  static func compare(_ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>)
    -> TextColumn
}

package enum AfterOffset {
  /// The hex column, which begins at this index.
  case hexColumn(Int)
  /// Nothing: the offset is the total.
  case lineEnd
  /// A character that does not belong here.
  case other
}

package enum AfterGroup {
  /// A group of digits, which begins at this index.
  case group(Int)
  /// The hex column has ended.
  case columnEnd
  /// A character that does not belong here.
  case other
}

package enum TextColumn: Equatable {
  case agrees
  /// Missing or blank.
  case absent
  /// The character at this index of the line (the end of the line, if characters are missing) does not match the byte
  /// of the hex column, `holds`; nil if that has no byte for it.
  case differs(at: Int, holds: UInt8?)

  /// The text column's character for a byte.
  @inline(__always)
  static func character(for byte: UInt8) -> UInt8 {
    byte &- 0x20 < 0x5f ? byte : UInt8(ascii: ".")
  }

  /// `differs` with the first index from `start` to `end` of `text` that does not match `bytes`, one character a
  /// byte; nil if there is no difference.
  @inline(__always)
  static func firstDifference(
    _ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>
  ) -> TextColumn? {
    var index = start
    for byte in bytes {
      guard index < end, text.byte(at: index) == character(for: byte) else {
        return .differs(at: min(index, end), holds: byte)
      }
      index &+= 1
    }
    return index < end ? .differs(at: index, holds: nil) : nil
  }
}

/// Base of a dump's offsets.
package enum OffsetBase: UInt64, Sendable {
  case decimal = 10
  case hexadecimal = 16

  /// An offset in this base, for a message.
  func name(_ offset: UInt64) -> String {
    (self == .decimal ? "" : "0x") + String(offset, radix: Int(rawValue))
  }

  /// Reads the offset that begins at `start`: its value and the index after its digits. Nil if there is no
  /// digit, or the offset needs more than 64 bits.
  func read(_ text: RawSpan, from start: Int, to end: Int) -> (value: UInt64, end: Int)? {
    let radix = rawValue
    var value: UInt64 = 0
    var index = start
    while index < end, let digit = Hex.value(ofDigit: text.byte(at: index)), digit < radix {
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      guard !overflow, product <= UInt64.max - UInt64(digit) else { return nil }
      value = product + UInt64(digit)
      index &+= 1
    }
    return index > start ? (value, index) : nil
  }
}

/// Decodes the output of xxd, with any of its options but `-e` (bytes in another order), `-b` and `-i`.
package typealias XxdDecoder = OffsetTextDecoder<XxdFormat>

/// `00000010: 0011 2233 4455  .."3DU`: a colon after the offset, one blank between groups of any length, two
/// or more before the text column, which is as long as the line has bytes.
package enum XxdFormat: OffsetTextFormat {
  package static let isStrict = true
  package static let endsWithTotal = false
  package static var causeOfOtherText: Message {
    "the text was edited, or made with xxd -e or -b, which are not read"
  }

  package static func afterOffset(_ text: RawSpan, at index: Int, to end: Int) -> AfterOffset {
    guard index < end, text.byte(at: index) == UInt8(ascii: ":") else { return .other }
    var start = index &+ 1
    while start < end, ASCII.isBlank(text.byte(at: start)) { start &+= 1 }
    return .hexColumn(start)
  }

  @inline(__always)
  package static func afterGroup(_ text: RawSpan, at index: Int, to end: Int, count: Int) -> AfterGroup {
    guard index < end else { return .columnEnd }
    guard ASCII.isBlank(text.byte(at: index)) else { return .other }
    let isColumnEnd = index &+ 1 == end || ASCII.isBlank(text.byte(at: index &+ 1))
    return isColumnEnd ? .columnEnd : .group(index &+ 1)
  }

  /// The start of the text column follows from its length, as it may begin with blanks itself. An editor may have
  /// stripped trailing blanks: missing characters at the end must be blanks.
  package static func compare(
    _ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>
  ) -> TextColumn {
    let full = end &- bytes.count
    if full >= start &+ 2, TextColumn.firstDifference(text, from: full, to: end, with: bytes) == nil,
      areBlanks(text, from: start, to: full)
    {
      return .agrees
    }
    if areBlanks(text, from: start, to: end) { return .absent }
    let stripped = bytes.reversed().prefix { $0 == UInt8(ascii: " ") }.count
    var trimmedEnd = end
    while ASCII.isBlank(text.byte(at: trimmedEnd - 1)) { trimmedEnd -= 1 }
    let column = trimmedEnd - (bytes.count - stripped)
    let shown = bytes.dropLast(stripped)
    if column >= start + 2, areBlanks(text, from: start, to: column),
      TextColumn.firstDifference(text, from: column, to: trimmedEnd, with: shown) == nil
    {
      return .agrees
    }
    let likely = full >= start + 2 && areBlanks(text, from: start, to: full) ? full : start + 2
    return TextColumn.firstDifference(text, from: likely, to: end, with: bytes) ?? .agrees
  }

  private static func areBlanks(_ text: RawSpan, from start: Int, to end: Int) -> Bool {
    var index = start
    while index < end {
      guard ASCII.isBlank(text.byte(at: index)) else { return false }
      index &+= 1
    }
    return true
  }

  /// The base is decimal (`-d`) if a line's offset continues the one before in that base only. Offsets below ten are
  /// the same in both, and those after `*` continue none.
  package static func base(of head: RawSpan) -> OffsetBase {
    var base: OffsetBase?
    var before: HeadLine?
    HeadLine.forEach(in: head, isWhole: false, as: self) { line in
      if base == nil, let before, let end = before.end(in: .hexadecimal), let offset = line.hexOffset {
        let continuesDecimal = line.decimalOffset != nil && line.decimalOffset == before.end(in: .decimal)
        if (offset == end) != continuesDecimal { base = continuesDecimal ? .decimal : .hexadecimal }
      }
      before = line
    }
    return base ?? .hexadecimal
  }
}

/// Decodes the output of `hexdump -C`, which is also called `hd`.
package typealias HexdumpDecoder = OffsetTextDecoder<HexdumpFormat>

/// `00000010  00 11 22 33 44 55  |.."3DU|`: blanks after the offset and between bytes, the text column between
/// bars; the last line is the total alone, `00000016`.
package enum HexdumpFormat: OffsetTextFormat {
  package static let isStrict = true
  package static let endsWithTotal = true
  package static var causeOfOtherText: Message { "the text was edited" }

  package static func base(of head: RawSpan) -> OffsetBase { .hexadecimal }

  package static func afterOffset(_ text: RawSpan, at index: Int, to end: Int) -> AfterOffset {
    let start = endOfBlanks(text, from: index, to: end)
    if start == end { return .lineEnd }
    return start > index ? .hexColumn(start) : .other
  }

  @inline(__always)
  package static func afterGroup(_ text: RawSpan, at index: Int, to end: Int, count: Int) -> AfterGroup {
    let next = endOfBlanks(text, from: index, to: end)
    if next == end || text.byte(at: next) == bar { return .columnEnd }
    return next > index ? .group(next) : .other
  }

  package static func compare(
    _ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>
  ) -> TextColumn {
    let column = endOfBlanks(text, from: start, to: end)
    if column == end { return .absent }
    let first = column &+ 1
    var last = end &- 1
    while last > first, ASCII.isBlank(text.byte(at: last)) { last &-= 1 }
    guard text.byte(at: last) == bar, last >= first else {
      return TextColumn.firstDifference(text, from: first, to: end, with: bytes)
        ?? .differs(at: end, holds: nil)
    }
    return TextColumn.firstDifference(text, from: first, to: last, with: bytes) ?? .agrees
  }

  private static let bar = UInt8(ascii: "|")

  @inline(__always)
  fileprivate static func endOfBlanks(_ text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, ASCII.isBlank(text.byte(at: index)) { index &+= 1 }
    return index
  }
}

/// Decodes hex dumps of other tools, which print an offset, bytes, and any text: Wireshark's copies, `tshark -x`, PowerShell's
/// Format-Hex, and the layout of xxd with another text.
package typealias ColumnDecoder = OffsetTextDecoder<ColumnFormat>

/// `0010   00 11 22 33  .."3`: an offset of four digits or more and a byte in each group, or after a colon more. Offsets that
/// continue each other prove it; so do not those of words in an unknown byte order (`od`, `hexdump`).
package enum ColumnFormat: OffsetTextFormat {
  package static let isStrict = false
  package static let endsWithTotal = false
  package static var causeOfOtherText: Message { "the text was edited" }
  /// Bytes after which one blank may end the column.
  private static let width = 16

  package static func base(of head: RawSpan) -> OffsetBase { .hexadecimal }

  package static func afterOffset(_ text: RawSpan, at index: Int, to end: Int) -> AfterOffset {
    let hasColon = index < end && text.byte(at: index) == UInt8(ascii: ":")
    let start = HexdumpFormat.endOfBlanks(text, from: hasColon ? index &+ 1 : index, to: end)
    if start == end { return hasColon ? .other : .lineEnd }
    let digits = HexDigits.end(in: text, from: start, to: end) &- start
    return start > index && digits > 0 && (hasColon || digits == 2) ? .hexColumn(start) : .other
  }

  package static func afterGroup(_ text: RawSpan, at index: Int, to end: Int, count: Int) -> AfterGroup {
    let next = HexdumpFormat.endOfBlanks(text, from: index, to: end)
    if next == end { return .columnEnd }
    if next == index { return .other }
    let groupEnd = HexDigits.end(in: text, from: next, to: end)
    let isGroup =
      groupEnd > next && (groupEnd &- next) % 2 == 0
      && (groupEnd == end || ASCII.isBlank(text.byte(at: groupEnd)))
    // Some tools leave one blank before the text, others two in the middle.
    let isApart = next &- index > (count == width / 2 ? 2 : 1)
    return isGroup && !isApart && !(count >= width && isText(text, from: next, to: end, of: count))
      ? .group(next) : .columnEnd
  }

  /// Whether the rest of a line has no more characters than the line has bytes.
  private static func isText(_ text: RawSpan, from start: Int, to end: Int, of count: Int) -> Bool {
    (start..<end).count { text.byte(at: $0) & 0xc0 != 0x80 } <= count
  }

  package static func compare(
    _ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>
  ) -> TextColumn { .agrees }
}

/// Reads the hex column of a dump's line.
enum HexColumn {
  /// Result of reading a hex column.
  enum Outcome {
    /// Read completely; `end` is the index after its last digit.
    case whole(end: Int)
    /// Read up to an invalid character at `index`.
    case damaged(index: Int, message: Message)
    /// The text ends within it.
    case cut(index: Int)
  }

  /// Adds the bytes of the column that begins at `start`, in a line that ends at `lineEnd`, to `output`, up to the
  /// first error.
  static func read<Format: OffsetTextFormat>(
    _ text: RawSpan, from start: Int, to lineEnd: Int, of line: TextLine, as format: Format.Type,
    into output: inout DecodedText
  ) -> Outcome {
    var index = start
    let before = output.bytes.count
    while true {
      let end = HexDigits.end(in: text, from: index, to: lineEnd)
      let count = output.bytes.count &- before &+ (end &- index) / 2
      let next = Format.afterGroup(text, at: end, to: lineEnd, count: count)
      let isCut = end == lineEnd && !line.isTerminated
      if (end &- index) % 2 == 1, !isCut {
        if case .other = next {} else { return oddGroup(at: index, digits: end - index) }
      }
      if end > index {
        let count = (end &- index) / 2
        _ = output.appendHex(text, from: index, maxCount: count, at: line.fileOffset(index))
      }
      if isCut, (end &- index) % 2 == 1 || end == index { return .cut(index: end) }
      switch next {
      case .group(let start) where end > index: index = start
      case .columnEnd where end > index: return .whole(end: end)
      default: return unexpected(text, at: end, lineEnd: lineEnd)
      }
    }
  }

  /// A group with an odd number of digits: it is unknown which digit is missing or extra, so none is used.
  private static func oddGroup(at index: Int, digits: Int) -> Outcome {
    .damaged(
      index: index,
      message: "expected two hex digits per byte, found a group of \(digits); the rest of the line is skipped"
    )
  }

  private static func unexpected(_ text: RawSpan, at index: Int, lineEnd: Int) -> Outcome {
    let found = index < lineEnd ? characterName(text.byte(at: index)) : "the end of the line"
    return .damaged(
      index: index, message: "expected a hex digit, found \(found); the rest of the line is skipped")
  }
}

/// Detects the output of `od` and of `hexdump` without `-C`: an offset of six or seven digits, octal or hexadecimal,
/// before words of unknown byte order. Read as plain hex it would give the offsets as bytes.
enum OffsetWords {
  private static let offsetDigits = 6...7
  /// Bytes of a line.
  private static let lineLength = 16

  /// Whether `head` begins with a line at offset 0 and one that continues it.
  static func begin(_ head: [UInt8]) -> Bool {
    let lines = head.prefix(256).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count >= 2, let first = offset(of: lines[0]), let second = offset(of: lines[1]) else {
      return false
    }
    let values = [Int(second, radix: 16), Int(second, radix: 8)].compactMap { $0 }
    return Int(first, radix: 16) == 0 && values.contains { (1...lineLength).contains($0) }
  }

  /// The leading digits of a line, if their number is that of an offset and a blank or nothing follows.
  private static func offset(of line: ArraySlice<UInt8>) -> String? {
    let digits = line.prefix { Hex.value(ofDigit: $0) != nil }
    let next = line.dropFirst(digits.count).first
    guard offsetDigits.contains(digits.count), next.map(ASCII.isWhiteSpace) ?? true else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}
