import Basics

/// The forms in which bytes of a file are a token.
package enum TokenSpelling: String, Sendable { case bytes, hex, description, base64 }

/// Reads the hex digits of a token, one after another, from bytes in one of its forms.
struct DigitCursor {
  /// How the bytes are read; base64 in each of its phases: none, one or two bytes of a group of three precede the token.
  enum Encoding: Int, CaseIterable {
    case bytes, hex, base64, base64After1, base64After2

    /// Bits of the first character that precede the token.
    var foreignBits: Int { 2 * max(0, rawValue - Encoding.base64.rawValue) }
  }

  private let bytes: UnsafeRawBufferPointer
  private let encoding: Encoding
  /// The index after the last byte that was read.
  private(set) var end: Int
  /// Digits so far, and whether a space was between them.
  private var count = 0
  private var hasSpaces = false
  /// Bits that were read, but not returned.
  private var bits: UInt32 = 0
  private var bitCount: Int

  init(_ encoding: Encoding, _ bytes: UnsafeRawBufferPointer, from start: Int) {
    (self.encoding, self.bytes, end, bitCount) = (encoding, bytes, start, -encoding.foreignBits)
  }

  /// The next digit; nil if none follows.
  mutating func next() -> UInt8? {
    // NSData prints groups of eight digits.
    if encoding == .hex, count > 0, count & 7 == 0, end + 1 < bytes.count, bytes[end] == UInt8(ascii: " "),
      Hex.value(ofDigit: bytes[end + 1]) != nil
    {
      hasSpaces = true
      end += 1
    }
    while bitCount < 4 {
      guard end < bytes.count, let (value, width) = meaning(of: bytes[end]) else { return nil }
      bits = bits &<< UInt32(width) | UInt32(value)
      bitCount += width
      end += 1
    }
    bitCount -= 4
    count += 1
    return UInt8(truncatingIfNeeded: bits &>> UInt32(bitCount) & 15)
  }

  /// What a byte means, and its bits; nil if it is none of the encoding.
  private func meaning(of byte: UInt8) -> (value: UInt8, width: Int)? {
    switch encoding {
    case .bytes: (byte, 8)
    case .hex: Hex.value(ofDigit: byte).map { ($0, 4) }
    case .base64, .base64After1, .base64After2: Base64.value(ofDigit: byte).map { ($0, 6) }
    }
  }

  var spelling: TokenSpelling {
    switch encoding {
    case .bytes: .bytes
    case .hex: hasSpaces ? .description : .hex
    case .base64, .base64After1, .base64After2: .base64
    }
  }
}
