/// Base64 (RFC 4648) of a token.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value 0 to 63 of a digit of either alphabet; nil for any other byte.
  package static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit &- UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit &- UInt8(ascii: "a") &+ 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0") &+ 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  /// The digit for a value from 0 to 63, in the first alphabet.
  package static func digit(_ value: Int) -> UInt8 { digits[value & 63] }

  /// In the first alphabet, with padding.
  package static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let digit = digits[Int(bits >> UInt32(18 - 6 * index) & 63)]
        text.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes `text`, of both alphabets, with or without padding, to `target`, which must have room for three
  /// quarters of its length. Line ends are skipped. Returns the number of bytes, from 1; nil if it is not base64, or
  /// truncated.
  package static func decode(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    var bits: UInt32 = 0
    var (digits, padding, count) = (0, 0, 0)
    for byte in text {
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
      case UInt8(ascii: "="): padding &+= 1
      default:
        guard padding == 0, let value = value(ofDigit: byte) else { return nil }
        bits = bits &<< 6 | UInt32(value)
        digits &+= 1
        let rest = digits &* 6 & 7
        guard rest < 6 else { continue }
        let whole = UInt8(truncatingIfNeeded: bits &>> UInt32(rest))
        target.storeBytes(of: whole, toByteOffset: count, as: UInt8.self)
        count &+= 1
      }
    }
    guard count > 0, digits & 3 != 1, padding == 0 || padding == -digits & 3 else { return nil }
    // Non-zero bits after the last byte mean that the text is truncated.
    return bits & (1 &<< UInt32(digits &* 6 & 7) &- 1) == 0 ? count : nil
  }
}
