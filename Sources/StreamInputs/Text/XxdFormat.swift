import WireBytes

/// Decodes the output of xxd, with any of its options but `-e` (bytes in another order), `-b` and `-i`.
package typealias XxdDecoder = OffsetTextDecoder<XxdFormat>

/// `00000010: 0011 2233 4455  .."3DU`: a colon behind the offset, one blank between groups of any length, two
/// or more before the text column, which is as long as the line has bytes.
package enum XxdFormat: OffsetTextFormat {
  package static let endsWithTotal = false
  package static let hintOnTextColumn = "the text was edited, or made with xxd -e or -b, which are not read"

  package static func behindOffset(_ text: RawSpan, at index: Int, to end: Int) -> BehindOffset {
    guard index < end, text.byte(at: index) == UInt8(ascii: ":") else { return .other }
    var start = index &+ 1
    while start < end, ASCII.isBlank(text.byte(at: start)) { start &+= 1 }
    return .hexColumn(start)
  }

  @inline(__always)
  package static func behindGroup(_ text: RawSpan, at index: Int, to end: Int) -> BehindGroup {
    guard index < end else { return .columnEnd }
    guard ASCII.isBlank(text.byte(at: index)) else { return .other }
    let isColumnEnd = index &+ 1 == end || ASCII.isBlank(text.byte(at: index &+ 1))
    return isColumnEnd ? .columnEnd : .group(index &+ 1)
  }

  /// The text column is told from the blanks before it by its length, as it may begin with blanks itself. An
  /// editor may have stripped blanks at the end of the line: characters that are missing there must be blanks.
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

  /// The base is decimal (`-d`) if a line's offset continues the one before in that base only. Offsets below
  /// ten are the same in both, and those behind `*` continue none.
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
