import PacketCapture
import WireBytes

/// The characters of base64 and what they stand for.
enum Base64Alphabet {
  /// Marks beside the six bits of a value: the character is none of base64; it is `-` or `_`, which only the
  /// URL-safe alphabet has.
  static let isForeign: UInt8 = 0x80
  static let isURLSafe: UInt8 = 0x40

  /// Three bytes stand at the first three of every four characters.
  static let spacing = Spacing(stride: 1, groupSize: 3, groupStride: 4)

  /// The value of each byte of text, 0 to 63, with its marks.
  static let values: InlineArray<256, UInt8> = {
    let standard: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    var values = InlineArray<256, UInt8>(repeating: isForeign)
    for value in 0..<64 { values[Int(standard.utf8Start[value])] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62 | isURLSafe
    values[Int(UInt8(ascii: "_"))] = 63 | isURLSafe
    return values
  }()

  /// The 24 bits of the four characters at `index` of `text`, and the marks of all of them.
  @inline(__always)
  static func group(in text: RawSpan, at index: Int) -> (bits: UInt32, marks: UInt8) {
    let word = UInt32(
      littleEndian: text.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
    let first = values[Int(word & 0xff)]
    let second = values[Int(word &>> 8 & 0xff)]
    let third = values[Int(word &>> 16 & 0xff)]
    let fourth = values[Int(word &>> 24)]
    let bits =
      UInt32(first & 63) &<< 18 | UInt32(second & 63) &<< 12 | UInt32(third & 63) &<< 6 | UInt32(fourth & 63)
    return (bits, (first | second | third | fourth) & 0xc0)
  }
}
