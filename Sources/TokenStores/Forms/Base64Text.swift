/// Base64 (RFC 4648) of a token in a column or a field.
enum Base64Text {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value 0 to 63 of each digit, 255 of what is none: both alphabets, as nobody mixes them to mean two things.
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
      for place in 0..<4 {
        let digit = digits[Int(bits >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`; nil where it is no base64, or was cut off. Line ends are skipped.
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
        let held = digits * 6 % 8
        if held < 6 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held))) }
      }
    }
    guard digits % 4 != 1, padding == 0 || padding == (4 - digits % 4) % 4 else { return nil }
    // Bits after the last byte are zero, unless the text goes on somewhere else.
    return bits & (1 << UInt32(digits * 6 % 8) - 1) == 0 ? bytes : nil
  }
}
