import Basics

/// Decodes hex tokens, eight digits at a time.
enum LogToken {
  /// Decodes `text` to `target`, which must have room for half its length. Returns the length; nil if it is
  /// empty or not an even number of hex digits.
  static func decode(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    guard let start = text.baseAddress, text.count > 0, text.count & 1 == 0 else { return nil }
    var index = 0
    while index &+ 8 <= text.count {
      guard let four = fourBytes(EightBytes(start + index)) else { return nil }
      target.storeBytes(of: four.littleEndian, toByteOffset: index &>> 1, as: UInt32.self)
      index &+= 8
    }
    while index < text.count {
      guard let high = Hex.value(ofDigit: text[index]), let low = Hex.value(ofDigit: text[index &+ 1]) else {
        return nil
      }
      target.storeBytes(of: high &<< 4 | low, toByteOffset: index &>> 1, as: UInt8.self)
      index &+= 2
    }
    return text.count &>> 1
  }

  @inline(__always)
  private static func fourBytes(_ digits: EightBytes) -> UInt32? {
    let word = digits.word
    let lower = word | 0x2020_2020_2020_2020
    let isDigit = between(word, UInt8(ascii: "0"), UInt8(ascii: "9"))
    let isLetter = between(lower, UInt8(ascii: "a"), UInt8(ascii: "f"))
    guard word & EightBytes.highBits == 0, isDigit | isLetter == EightBytes.highBits else { return nil }
    let values = (word & 0x0f0f_0f0f_0f0f_0f0f) &+ (isLetter &>> 7) &* 9
    // Join pairs of digits to bytes, then the bytes to one word.
    let pairs = (values &<< 4 | values &>> 8) & 0x00ff_00ff_00ff_00ff
    let fours = (pairs | pairs &>> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: fours | fours &>> 16)
  }

  /// The highest bit of each byte from `low` to `high`; bytes are below 0x80.
  @inline(__always)
  private static func between(_ word: UInt64, _ low: UInt8, _ high: UInt8) -> UInt64 {
    let word = word & ~EightBytes.highBits
    let atLeast = word &+ EightBytes.ones &* UInt64(0x80 &- low)
    let above = word &+ EightBytes.ones &* UInt64(0x7f &- high)
    return atLeast & ~above & EightBytes.highBits
  }
}
