import Basics

/// Decodes escaped texts. The result is never longer than the text.
enum LogEscapes {
  /// Unescapes the content of a valid JSON string; returns the number of bytes. An unpaired surrogate becomes
  /// U+FFFD.
  static func json(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
    var end = target
    var index = 0
    while index < text.count {
      let byte = text[index]
      index &+= 1
      guard byte == UInt8(ascii: "\\"), index < text.count else {
        put(byte, at: &end)
        continue
      }
      let letter = text[index]
      index &+= 1
      switch letter {
      case UInt8(ascii: "b"): put(0x08, at: &end)
      case UInt8(ascii: "f"): put(0x0c, at: &end)
      case UInt8(ascii: "n"): put(0x0a, at: &end)
      case UInt8(ascii: "r"): put(0x0d, at: &end)
      case UInt8(ascii: "t"): put(0x09, at: &end)
      case UInt8(ascii: "u"): put(scalar(text, &index), at: &end)
      default: put(letter, at: &end)
      }
    }
    return end - target
  }

  /// Replaces each pair of quotes by one quote; returns the number of bytes.
  static func quotes(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
    var end = target
    var index = 0
    while index < text.count {
      put(text[index], at: &end)
      index &+= text[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return end - target
  }

  private static func put(_ byte: UInt8, at end: inout UnsafeMutableRawPointer) {
    end.storeBytes(of: byte, as: UInt8.self)
    end += 1
  }

  private static func put(_ scalar: Unicode.Scalar, at end: inout UnsafeMutableRawPointer) {
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { put(byte, at: &end) }
  }

  private static func scalar(_ text: UnsafeRawBufferPointer, _ index: inout Int) -> Unicode.Scalar {
    let replacement: Unicode.Scalar = "\u{fffd}"
    guard let first = unit(text, &index) else { return replacement }
    guard 0xd800..<0xdc00 ~= first else { return Unicode.Scalar(first) ?? replacement }
    var next = index
    guard next &+ 2 <= text.count, text[next] == UInt8(ascii: "\\"), text[next &+ 1] == UInt8(ascii: "u")
    else {
      return replacement
    }
    next &+= 2
    guard let second = unit(text, &next), 0xdc00..<0xe000 ~= second else { return replacement }
    index = next
    return Unicode.Scalar(0x10000 &+ (first &- 0xd800) &<< 10 &+ (second &- 0xdc00)) ?? replacement
  }

  private static func unit(_ text: UnsafeRawBufferPointer, _ index: inout Int) -> UInt32? {
    guard index &+ 4 <= text.count else { return nil }
    var value: UInt32 = 0
    for digit in text[index..<index &+ 4] {
      guard let digit = Hex.value(ofDigit: digit) else { return nil }
      value = value &<< 4 | UInt32(digit)
    }
    index &+= 4
    return value
  }
}
