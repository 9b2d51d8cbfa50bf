/// Base64 (RFC 4648) of a token in a column or a field.
enum Base64Text {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value 0 to 63 of each digit of both alphabets, 255 for other bytes.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// In the first alphabet, with padding.
  static func text(of bytes: [UInt8]) -> String {
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

  /// The bytes of `text`; nil if it is not base64, or truncated. Line ends are skipped.
  static func bytes(of text: String) -> [UInt8]? {
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var bits: UInt32 = 0
    var digits = 0
    var padding = 0
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
      case UInt8(ascii: "="): padding += 1
      default:
        let value = values[Int(byte)]
        guard value < 64, padding == 0 else { return nil }
        bits = bits << 6 | UInt32(value)
        digits += 1
        let rest = digits * 6 % 8
        if rest < 6 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(rest))) }
      }
    }
    guard digits % 4 != 1, padding == 0 || padding == (4 - digits % 4) % 4 else { return nil }
    // Non-zero bits after the last byte mean that the text is truncated.
    return bits & (1 << UInt32(digits * 6 % 8) - 1) == 0 ? bytes : nil
  }
}
