import WireBytes

/// Decodes the output of `hexdump -C`, which is also called `hd`.
package typealias HexdumpDecoder = OffsetTextDecoder<HexdumpFormat>

/// `00000010  00 11 22 33 44 55  |.."3DU|`: blanks behind the offset and between bytes, the text column between
/// bars; the last line is the total alone, `00000016`.
package enum HexdumpFormat: OffsetTextFormat {
  package static let endsWithTotal = true
  package static let hintOnTextColumn = "the text was edited"

  package static func base(of head: RawSpan) -> OffsetBase { .hexadecimal }

  package static func behindOffset(_ text: RawSpan, at index: Int, to end: Int) -> BehindOffset {
    let start = endOfBlanks(text, from: index, to: end)
    if start == end { return .lineEnd }
    return start > index ? .hexColumn(start) : .other
  }

  @inline(__always)
  package static func behindGroup(_ text: RawSpan, at index: Int, to end: Int) -> BehindGroup {
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
  private static func endOfBlanks(_ text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, ASCII.isBlank(text.byte(at: index)) { index &+= 1 }
    return index
  }
}
