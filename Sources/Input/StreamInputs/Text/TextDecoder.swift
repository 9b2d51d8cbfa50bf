import Basics

/// Decodes the text of a dump into bytes, a block at a time. One decoder reads one file.
///
/// The output (bytes and their offsets, gaps, errors) does not depend on how the text is divided into blocks.
package protocol TextDecoder: Sendable {
  /// Decodes `text`, the next block of the file, from `start` on, and returns the index after the last byte read:
  /// `text.byteCount`, or less when `output` is full and must be drained first.
  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int

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
  func newlineIndex(from start: Int) -> Int? {
    extracting(droppingFirst: start).withUnsafeBytes { text in
      text.baseAddress.flatMap { base in
        memchr(base, Int32(ASCII.newline), text.count).map { start &+ (UnsafeRawPointer($0) - base) }
      }
    }
  }

  /// Whether there is a byte that does not occur in text.
  var hasControlCharacters: Bool { (0..<byteCount).contains { ASCII.isControl(byte(at: $0)) } }

  /// Whether it begins with a UTF-8 byte order mark, which some editors add to any text.
  var beginsWithByteOrderMark: Bool { has("\u{feff}") }
}
