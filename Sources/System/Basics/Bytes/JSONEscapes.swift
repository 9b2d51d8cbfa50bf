/// Writes texts as JSON strings (RFC 8259): in quotes, with control characters and DEL escaped as `\u001f`.
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
}
