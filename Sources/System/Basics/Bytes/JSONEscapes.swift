/// Writes texts as JSON strings (RFC 8259): in quotes, with control characters and DEL escaped as `\u001f`. Reads their
/// escapes.
package enum JSONEscapes {
  /// The largest length of the JSON string for a text of `count` bytes.
  package static func bound(_ count: Int) -> Int { 6 * count + 2 }

  /// Writes `text`, which must be UTF-8, to `target`. Returns the number of bytes written.
  package static func write(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int {
    var output = target
    put(UInt8(ascii: "\""), at: &output)
    if var input = text.baseAddress {
      let end = input + text.count
      while input < end {
        if end - input >= 8 {
          let block = EightBytes(input)
          let plain = EightBytes.count(before: specials(block))
          output.storeBytes(of: block.word.littleEndian, as: UInt64.self)
          output += plain
          input += plain
          if plain == 8 { continue }
        }
        escape(input.load(as: UInt8.self), at: &output)
        input += 1
      }
    }
    put(UInt8(ascii: "\""), at: &output)
    return output - target
  }

  @inline(__always)
  private static func specials(_ block: EightBytes) -> UInt64 {
    block.marks(below: 0x20) | block.marks(of: UInt8(ascii: "\"")) | block.marks(of: UInt8(ascii: "\\"))
      | block.marks(of: 0x7f)
  }

  private static func escape(_ byte: UInt8, at output: inout UnsafeMutableRawPointer) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put("\\", byte, at: &output)
    case UInt8(ascii: "\n"): put("\\", UInt8(ascii: "n"), at: &output)
    case UInt8(ascii: "\r"): put("\\", UInt8(ascii: "r"), at: &output)
    case UInt8(ascii: "\t"): put("\\", UInt8(ascii: "t"), at: &output)
    case 0x00..<0x20, 0x7f:
      put("\\", UInt8(ascii: "u"), at: &output)
      put("0", UInt8(ascii: "0"), at: &output)
      let digits = Hex.digits(of: byte)
      output.storeBytes(of: digits.littleEndian, as: UInt16.self)
      output += 2
    default: put(byte, at: &output)
    }
  }

  private static func put(_ first: Unicode.Scalar, _ second: UInt8, at output: inout UnsafeMutableRawPointer)
  {
    put(UInt8(ascii: first), at: &output)
    put(second, at: &output)
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
