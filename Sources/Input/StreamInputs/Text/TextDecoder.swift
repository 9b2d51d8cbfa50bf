import Basics

/// Decodes the text of a dump into bytes, a block at a time. One decoder reads one file.
///
/// The output (bytes and their offsets, gaps, faults) does not depend on how the text is divided into blocks.
package protocol TextDecoder: Sendable {
  /// Decodes `text`, the next block of the file, from `start` on, and returns the index after the last byte read:
  /// `text.byteCount`, or less when `output` is full and must be drained first.
  mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int

  /// The file has ended. Returns false when `output` is full: drain it and call again.
  mutating func finish(into output: inout DecodedText) -> Bool
}

/// The characters in the layout of text dumps.
enum ASCII {
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  /// A space or a tab.
  @inline(__always)
  static func isBlank(_ character: UInt8) -> Bool {
    character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
  }

  @inline(__always)
  static func isWhiteSpace(_ character: UInt8) -> Bool {
    isBlank(character) || character == newline || character == carriageReturn
  }

  /// Whether this byte does not occur in text: control characters other than tab and line ends.
  static func isControl(_ character: UInt8) -> Bool {
    (character < 0x20 && !isWhiteSpace(character)) || character == 0x7f
  }

  static func isPrintable(_ character: UInt8) -> Bool { (0x20...0x7e).contains(character) }

  /// Whether it is a letter or a digit of ASCII.
  @inline(__always)
  static func isWordCharacter(_ character: UInt8) -> Bool {
    character | 0x20 &- UInt8(ascii: "a") < 26 || character &- UInt8(ascii: "0") < 10
  }
}

extension RawSpan {
  /// The index of the first newline at or after `start`; nil if there is none. Eight bytes a step.
  func newlineIndex(from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while byteCount &- index >= 8 {
      let word = UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let difference = word ^ (ones &* UInt64(ASCII.newline))
      // The lowest byte of the word that is zero gets its top bit set (bits above it may be wrong).
      let zeros = (difference &- ones) & ~difference & (ones &* 0x80)
      if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < byteCount {
      if byte(at: index) == ASCII.newline { return index }
      index &+= 1
    }
    return nil
  }

  /// Whether there is a byte that does not occur in text.
  var hasControlCharacters: Bool {
    for index in 0..<byteCount where ASCII.isControl(byte(at: index)) { return true }
    return false
  }

  /// The ranges of the lines that are not empty, without white space at their ends; the last one, which may be cut,
  /// only if this head is the whole file.
  func lines(isWhole: Bool) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = beginsWithByteOrderMark ? 3 : 0
    while start < byteCount, let lineEnd = newlineIndex(from: start) ?? (isWhole ? byteCount : nil) {
      var end = lineEnd
      while end > start, ASCII.isWhiteSpace(byte(at: end &- 1)) { end &-= 1 }
      if end > start { lines.append(start..<end) }
      start = lineEnd &+ 1
    }
    return lines
  }

  /// Whether it begins with a UTF-8 byte order mark, which some editors add to any text.
  var beginsWithByteOrderMark: Bool {
    byteCount >= 3 && byte(at: 0) == 0xef && byte(at: 1) == 0xbb && byte(at: 2) == 0xbf
  }

  /// The most common number of characters other than white space in the lines of this head, if more than half of them
  /// have it. One damaged line does not change it. Empty lines do not count, nor does the last one, which may be
  /// shorter.
  var commonLineWidth: Int? {
    let widths = lines(isWhole: true).dropLast().map { line in
      line.count { !ASCII.isWhiteSpace(byte(at: $0)) }
    }.sorted()
    guard !widths.isEmpty else { return nil }
    let median = widths[widths.count / 2]
    return widths.count { $0 == median } * 2 > widths.count ? median : nil
  }
}
