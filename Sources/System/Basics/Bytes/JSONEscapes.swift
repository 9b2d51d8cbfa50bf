/// Writes texts as JSON strings (RFC 8259): in quotes, with control characters and DEL escaped as `\u001f`. Reads their
/// escapes.
package enum JSONEscapes {
  /// The largest length of the JSON string for a text of `count` bytes.
  package static func bound(_ count: Int) -> Int { 6 * count + 2 }

  /// Writes `text`, which must be UTF-8, to `target`. Returns the number of bytes written.
  package static func write(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
    var output = target
    put(UInt8(ascii: "\""), at: &output)
    output = WideLoop.escape(text, to: output)
    put(UInt8(ascii: "\""), at: &output)
    return output - target
  }

  @inline(__always)
  private static func put(_ byte: UInt8, at output: inout UnsafeMutableRawPointer) {
    output.storeBytes(of: byte, as: UInt8.self)
    output += 1
  }

  /// Decodes the content of a JSON string to `target`, which must have room for its length. Returns the number of bytes.
  /// - Parameter unpaired: the index after the first half of a surrogate pair, each of which becomes U+FFFD.
  package static func read(
    _ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, unpaired: inout Int?
  ) -> Int {
    var output = target
    var index = 0
    while index < text.count {
      let isEscape = text[index] == UInt8(ascii: "\\") && index &+ 1 < text.count
      index &+= isEscape ? 2 : 1
      let byte = text[index &- 1]
      switch byte {
      case UInt8(ascii: "u") where isEscape:
        let scalar = scalar(text, &index)
        if scalar == nil, unpaired == nil { unpaired = index }
        for byte in scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter { put(byte, at: &output) }
      default: put(isEscape ? escaped(byte) : byte, at: &output)
      }
    }
    return output - target
  }

  private static func escaped(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// The character of the 4 hex digits at `index`, or of a pair of them; nil if there is none.
  private static func scalar(_ text: UnsafeRawBufferPointer, _ index: inout Int) -> Unicode.Scalar? {
    guard let first = unit(text, index) else { return nil }
    index &+= 4
    guard 0xd800..<0xdc00 ~= first else { return Unicode.Scalar(first) }
    guard text[index...].starts(with: "\\u".utf8), let second = unit(text, index &+ 2),
      0xdc00..<0xe000 ~= second
    else { return nil }
    index &+= 6
    return Unicode.Scalar(0x10000 &+ (first &- 0xd800) &<< 10 &+ (second &- 0xdc00))
  }

  private static func unit(_ text: UnsafeRawBufferPointer, _ index: Int) -> UInt32? {
    guard index &+ 4 <= text.count else { return nil }
    var value: UInt32 = 0
    for digit in text[index..<index &+ 4] {
      guard let digit = Hex.value(ofDigit: digit) else { return nil }
      value = value &<< 4 | UInt32(digit)
    }
    return value
  }
}
