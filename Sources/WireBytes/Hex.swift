/// Hexadecimal digits, both ways.
public enum Hex {
  /// Which letters stand for the digits 10 to 15.
  public enum LetterCase: Sendable {
    case lower, upper

    /// How far the letters lie behind where digits would go on after 9 in ASCII.
    @inlinable var letterStep: UInt16 { self == .lower ? 39 : 7 }
  }

  /// Writes `count` bytes of `source` from `start` as `2 * count` hex digits at `position` of `target`.
  @inlinable @inline(__always)
  public static func encode(
    _ source: RawSpan, from start: Int, count: Int, into target: inout MutableRawSpan, at position: Int,
    letterCase: LetterCase = .lower
  ) {
    var done = 0
    while count &- done >= 16 {
      encode16(source, from: start &+ done, into: &target, at: position &+ 2 &* done, letterCase)
      done &+= 16
    }
    while done < count {
      let byte = SIMD2<UInt16>(UInt16(source.uncheckedByte(at: start &+ done)), 0)
      let digits = asciiDigits(byte, letterCase).x.littleEndian
      target.storeBytes(of: digits, toUncheckedByteOffset: position &+ 2 &* done, as: UInt16.self)
      done &+= 1
    }
  }

  /// The same for 32 bytes, which nearly all tokens have: without a loop it takes half the time.
  @inlinable @inline(__always)
  public static func encode32(
    _ source: RawSpan, from start: Int, into target: inout MutableRawSpan, at position: Int,
    letterCase: LetterCase
  ) {
    encode16(source, from: start, into: &target, at: position, letterCase)
    encode16(source, from: start &+ 16, into: &target, at: position &+ 32, letterCase)
  }

  /// Sixteen bytes in vector registers: each is widened to a 16-bit lane.
  @inlinable @inline(__always)
  static func encode16(
    _ source: RawSpan, from start: Int, into target: inout MutableRawSpan, at position: Int,
    _ letterCase: LetterCase
  ) {
    let bytes = source.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: SIMD16<UInt8>.self)
    let digits = asciiDigits(SIMD16<UInt16>(truncatingIfNeeded: bytes), letterCase)
    target.storeBytes(of: digits, toUncheckedByteOffset: position, as: SIMD16<UInt16>.self)
  }

  /// Two digits of each lane's byte, the high one in the low byte: both nibbles are moved to a byte of their
  /// own, then into the ASCII ranges without a branch.
  @inlinable @inline(__always)
  static func asciiDigits<V: SIMD>(_ bytes: V, _ letterCase: LetterCase) -> V where V.Scalar == UInt16 {
    let nibbles = (bytes &>> 4) | ((bytes & 15) &<< 8)
    let isLetter = ((nibbles &+ 0x0606) &>> 4) & 0x0101
    return nibbles &+ 0x3030 &+ (isLetter &* letterCase.letterStep)
  }

  /// `bytes` as a string of hex digits.
  package static func string(_ bytes: some Sequence<UInt8>, letterCase: LetterCase = .lower) -> String {
    let digits: StaticString = letterCase == .lower ? "0123456789abcdef" : "0123456789ABCDEF"
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digits.utf8Start[Int(byte >> 4)])
      text.append(digits.utf8Start[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The value 0 to 15 of an ASCII hex digit of either case; nil for any other byte.
  @inlinable @inline(__always)
  public static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// The bytes that `text` names: an even number of hex digits of either case, nothing else; nil otherwise.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let value = value(ofDigit: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }
}
