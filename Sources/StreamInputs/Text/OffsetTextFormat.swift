import WireBytes

/// What sets the output of one hex dump tool apart from that of another. All have lines of an offset, a
/// column of hex digits, and perhaps a column of text.
package protocol OffsetTextFormat: Sendable {
  /// Whether a dump ends with a line that holds its total alone.
  static var endsWithTotal: Bool { get }
  /// Where a text column that disagrees with the bytes comes from, for a message.
  static var hintOnTextColumn: String { get }

  /// In what base the offsets of a text are written, judged by its head.
  static func base(of head: RawSpan) -> OffsetBase

  /// What stands behind an offset that ends at `index` of a line that ends at `end`.
  static func behindOffset(_ text: RawSpan, at index: Int, to end: Int) -> BehindOffset

  /// What stands behind a group of hex digits that ends at `index` of a line that ends at `end`.
  static func behindGroup(_ text: RawSpan, at index: Int, to end: Int) -> BehindGroup

  /// Compares the text column, behind the hex column that ends at `start`, with the line's bytes.
  static func compare(_ text: RawSpan, from start: Int, to end: Int, with bytes: ArraySlice<UInt8>)
    -> TextColumn
}

package enum BehindOffset {
  /// The hex column, which begins at this index.
  case hexColumn(Int)
  /// Nothing: the offset is the total.
  case lineEnd
  /// A character that does not belong here.
  case other
}

package enum BehindGroup {
  /// A group of digits, which begins at this index.
  case group(Int)
  /// The hex column has ended.
  case columnEnd
  /// A character that does not belong here.
  case other
}

package enum TextColumn: Equatable {
  case agrees
  /// There is none, or nothing but blanks.
  case absent
  /// The character at this index of the line (the line's end, if characters are missing) is not what the
  /// byte that the hex column holds would show as; nil if the hex column has no byte for it.
  case differs(at: Int, holds: UInt8?)

  /// What the tools show for a byte.
  @inline(__always)
  static func character(for byte: UInt8) -> UInt8 {
    byte &- 0x20 < 0x5f ? byte : UInt8(ascii: ".")
  }

  /// `differs` with the first place from `start` to `end` of `text` that does not show what `bytes` hold, one
  /// character a byte; nil if there is no difference.
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

/// The base in which a dump's offsets are written.
package enum OffsetBase: UInt64, Sendable {
  case decimal = 10
  case hexadecimal = 16

  /// An offset as the text's lines show it, for a message.
  func name(_ offset: UInt64) -> String {
    (self == .decimal ? "" : "0x") + String(offset, radix: Int(rawValue))
  }

  /// Reads the offset that begins at `start`: its value and the index behind its digits. Nil if there is no
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
