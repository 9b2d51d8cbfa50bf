import Basics

/// The layout of a hex dump's lines: an offset, a column of hex digits, and mostly a column of text.
package struct OffsetLayout: Equatable, Sendable {
  /// The raw value is the least number of digits of an offset: older versions of xxd print seven, Wireshark four; seven
  /// before blanks are also of hexdump without -C, which prints words.
  package enum DumpStyle: Int, Sendable {
    /// `00000010: 0011 2233 4455  .."3DU`: a colon after the offset, one blank between groups of any length, two or
    /// more before the text column, which is as long as the line has bytes. The output of `xxd`.
    case xxd = 7
    /// `00000010  00 11 22 33 44 55  |.."3DU|`: blanks after the offset and between bytes, the text column between
    /// bars; the last line is the total alone, `00000016`. The output of `hexdump -C`, also called `hd`.
    case hexdump = 8
    /// Any other tool's: words before the offset, marks between all columns, and any text. What offsets that continue
    /// each other prove is in the other properties.
    case other = 4
  }

  package let kind: DumpStyle
  package var base = OffsetBase.hexadecimal
  /// Words of a line before its offset.
  var words = 0
  /// Bytes of a whole line, the length of its hex column, and the most characters between two of its groups.
  var width = Int.max
  var length = Int.max
  var gap = 1
  /// Whether a group has several bytes, which may be in another order.
  var hasWords = false

  package init(_ kind: DumpStyle, base: OffsetBase = .hexadecimal) {
    self.kind = kind
    self.base = base
  }

  typealias Offset = (value: UInt64, start: Int, end: Int)

  /// The line's offset, its first digit, and the index after its digits; nil if there is none.
  func offset(of line: RawSpan) -> Offset? {
    guard kind == .other else { return base.read(line, from: 0).map { ($0.value, 0, $0.end) } }
    var start = line.skippingMarks(from: 0)
    for _ in 0..<words { start = line.nextWord(from: start) }
    return offset(line, at: start)
  }

  /// The offset that is the word at `start`.
  func offset(_ line: RawSpan, at start: Int) -> Offset? {
    let start = line.skippingPrefix(at: start)
    guard let (value, end) = base.read(line, from: start), end &- start >= kind.rawValue else { return nil }
    return (value, start, end)
  }

  /// The index of the hex column, after an offset that ends at `index`: the end of the line, if that is a total; nil if
  /// another character follows.
  func columnStart(_ line: RawSpan, afterOffset index: Int) -> Int? {
    switch kind {
    case .xxd: return line.has(":", at: index) ? line.skippingBlanks(from: index &+ 1) : nil
    case .hexdump:
      let start = line.skippingBlanks(from: index)
      return start > index || start == line.byteCount ? start : nil
    case .other:
      let unit = line.has("h", at: index) ? index &+ 1 : index
      // gdb names the symbol before the bytes, `0x7ffe10 <buffer+8>:`.
      let label = line.skippingBlanks(from: unit)
      let start = line.skippingMarks(
        from: line.has("<", at: label) ? line.end(of: ">", from: label) ?? unit : unit)
      return start > unit || start == line.byteCount ? line.skippingPrefix(at: start) : nil
    }
  }

  /// The index of the group of digits after the one that ends at `index`: nil at the end of the hex column, and
  /// `index` itself if a character follows that does not belong there.
  /// - Parameters:
  ///   - column: the index of the hex column.
  ///   - count: bytes of the line up to there.
  @inline(__always)
  private func nextGroup(_ line: RawSpan, after index: Int, column: Int, count: Int) -> Int? {
    guard index < line.byteCount else { return nil }
    switch kind {
    case .xxd:
      guard ASCII.isBlank(line.byte(at: index)) else { return index }
      let isLast = index &+ 1 == line.byteCount || ASCII.isBlank(line.byte(at: index &+ 1))
      return isLast ? nil : index &+ 1
    case .hexdump:
      let next = line.skippingBlanks(from: index)
      return next == line.byteCount || line.byte(at: next) == UInt8(ascii: "|") ? nil : next
    case .other:
      if ASCII.isWordCharacter(line.byte(at: index)) { return index }
      guard count < width else { return nil }
      // Mostly, two digits and another mark follow.
      if index &+ 3 < line.byteCount, index &+ 3 &- column <= length,
        Digits.areHexPair(in: line, at: index &+ 1), !ASCII.isWordCharacter(line.byte(at: index &+ 3))
      {
        return index &+ 1
      }
      let next = line.skippingPrefix(at: line.skippingMarks(from: index))
      guard next &- index <= gap, let end = Self.groupEnd(line, from: next), end &- column <= length else {
        return nil
      }
      return next
    }
  }

  /// The index after the word at `start`, if it consists of pairs of hex digits.
  static func groupEnd(_ line: RawSpan, from start: Int) -> Int? {
    let end = Digits.hexEnd(in: line, from: start, to: line.byteCount)
    let isGroup =
      end > start && (end &- start) % 2 == 0
      && (end == line.byteCount || !ASCII.isWordCharacter(line.byte(at: end)))
    return isGroup ? end : nil
  }

  // MARK: - Columns

  enum TextColumn: Equatable {
    case agrees
    /// Missing or blank.
    case absent
    /// The character at this index of the line (its end, if characters are missing) does not match the byte of the hex
    /// column, `holds`; nil if that has no byte for it.
    case differs(at: Int, holds: UInt8?)
  }

  enum LineReading {
    case whole(TextColumn)
    /// The hex column is read up to an invalid character.
    case damaged(at: Int, Message)
    /// The text ends within it.
    case cut(at: Int)
  }

  /// Adds the bytes of the hex column, which begins at `column`, to `output`, up to the first error.
  /// - Parameter fileOffset: of the line.
  func readColumns(
    _ line: RawSpan, from column: Int, isTerminated: Bool, at fileOffset: Int, into output: inout DecodedText
  ) -> LineReading {
    var index = column
    let before = output.bytes.count
    while true {
      let end = Digits.hexEnd(in: line, from: index, to: line.byteCount)
      let (digits, isCut) = (end &- index, end == line.byteCount && !isTerminated)
      let count = output.bytes.count &- before &+ digits / 2
      let next = nextGroup(line, after: end, column: column, count: count)
      if digits % 2 == 1, !isCut, next != end {
        // It is unknown which digit is missing or extra, so none is used.
        return .damaged(
          at: index,
          "expected two hex digits per byte, found a group of \(digits); the rest of the line is skipped")
      }
      if digits > 0 { _ = output.appendHex(line, index..<end, maxCount: digits / 2, at: fileOffset &+ index) }
      if isCut, digits % 2 == 1 || digits == 0 { return .cut(at: end) }
      guard digits > 0, next != end else {
        let found = end < line.byteCount ? characterName(line.byte(at: end)) : "the end of the line"
        return .damaged(at: end, "expected a hex digit, found \(found); the rest of the line is skipped")
      }
      guard let next else { return .whole(compare(line, from: end, with: output.bytes[before...])) }
      index = next
    }
  }

  /// Compares the text column, after the hex column that ends at `start`, with the line's bytes.
  private func compare(_ line: RawSpan, from start: Int, with bytes: ArraySlice<UInt8>) -> TextColumn {
    if kind == .other { return .agrees }
    var end = line.byteCount
    while end > start, ASCII.isBlank(line.byte(at: end &- 1)) { end &-= 1 }
    if kind == .hexdump {
      let column = line.skippingBlanks(from: start)
      if column == line.byteCount { return .absent }
      let isClosed = end &- 1 > column && line.byte(at: end &- 1) == UInt8(ascii: "|")
      let last = isClosed ? end &- 1 : line.byteCount
      let found = Self.compare(line, from: column &+ 1, to: last, with: bytes)
      return found == .agrees && !isClosed ? .differs(at: line.byteCount, holds: nil) : found
    }
    // The start of xxd's column follows from its length, as it may begin with blanks itself. An editor may have
    // stripped trailing blanks: missing characters at the end must be blanks.
    let isPadded = line.byteCount &- start >= bytes.count &+ 2
    var shown = bytes
    while shown.last == UInt8(ascii: " ") { shown.removeLast() }
    if end == start { return shown.isEmpty && isPadded ? .agrees : .absent }
    let column = end &- shown.count
    let isApart = column >= start &+ 2 && line.skippingBlanks(from: start) >= column
    if isApart, Self.compare(line, from: column, to: end, with: shown) == .agrees { return .agrees }
    let full = line.byteCount &- bytes.count
    let likely = isPadded && line.skippingBlanks(from: start) >= full ? full : start &+ 2
    return Self.compare(line, from: likely, to: line.byteCount, with: bytes)
  }

  /// Compares the characters from `start` to `end` with `bytes`, one a byte.
  @inline(__always)
  private static func compare(
    _ line: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>
  ) -> TextColumn {
    var index = start
    for byte in bytes {
      let shown = byte &- 0x20 < 0x5f ? byte : UInt8(ascii: ".")
      guard index < end, line.byte(at: index) == shown else {
        return .differs(at: min(index, line.byteCount), holds: byte)
      }
      index &+= 1
    }
    return index < end ? .differs(at: index, holds: nil) : .agrees
  }
}

package enum OffsetBase: UInt64, CaseIterable, Sendable {
  case hexadecimal = 16
  case decimal = 10
  case octal = 8

  /// An offset in this base, for a message.
  func name(_ offset: UInt64) -> String {
    (self == .hexadecimal ? "0x" : self == .octal ? "0" : "") + String(offset, radix: Int(rawValue))
  }

  /// Reads the offset that begins at `start`: its value and the index after its digits. Nil if there is no
  /// digit, or the offset needs more than 64 bits.
  func read(_ line: RawSpan, from start: Int) -> (value: UInt64, end: Int)? {
    let radix = rawValue
    var value: UInt64 = 0
    var index = start
    while index < line.byteCount, let digit = Hex.value(ofDigit: line.byte(at: index)), digit < radix {
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      guard !overflow, product <= UInt64.max - UInt64(digit) else { return nil }
      value = product + UInt64(digit)
      index &+= 1
    }
    return index > start ? (value, index) : nil
  }
}
