/// Encodes and decodes hexadecimal digits.
public enum Hex {
  /// The case of the digits a to f.
  public enum LetterCase: Sendable {
    case lower, upper

    /// The distance in ASCII from the character after `9` to the letter for 10.
    var letterStep: UInt16 { self == .lower ? 39 : 7 }
  }

  /// Writes `count` bytes of `source` from `start` on as `2 * count` hex digits to `target`, without bounds checks.
  package static func encode(
    _ source: RawSpan, from start: Int, count: Int, to target: UnsafeMutableRawPointer,
    letterCase: LetterCase = .lower
  ) {
    encode(source, Column(start: start, stride: 0, rowLength: 0, count: 1), of: count, to: target, letterCase)
  }

  /// Fields of equal length at equal distances in the source, and the rows to write them to.
  package struct Column {
    /// Index of the first field in the source, bytes from one field to the next, bytes of an output row, and number of
    /// fields.
    let start, stride, rowLength, count: Int

    package init(start: Int, stride: Int, rowLength: Int, count: Int) {
      (self.start, self.stride, self.rowLength, self.count) = (start, stride, rowLength, count)
    }
  }

  /// The same for a column of fields of `length` bytes each. Not inlined into other files: the SIMD code compiles
  /// to two instructions here, and to two calls there.
  package static func encode(
    _ source: RawSpan, _ column: Column, of length: Int, to target: UnsafeMutableRawPointer,
    _ letterCase: LetterCase
  ) {
    var field = column.start
    var target = target
    for _ in 0..<column.count {
      var done = 0
      while length &- done >= 16 {
        encode16(source, from: field &+ done, to: target + 2 &* done, letterCase)
        done &+= 16
      }
      while done < length {
        let digits = digits(of: source.uncheckedByte(at: field &+ done), letterCase)
        target.storeBytes(of: digits.littleEndian, toByteOffset: 2 &* done, as: UInt16.self)
        done &+= 1
      }
      field &+= column.stride
      target += column.rowLength
    }
  }

  /// Encodes sixteen bytes in vector registers. Interleaving their nibbles takes two instructions; widening each
  /// byte to 16 bits would take several.
  @inline(__always)
  private static func encode16(
    _ source: RawSpan, from start: Int, to target: UnsafeMutableRawPointer, _ letterCase: LetterCase
  ) {
    let bytes = source.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: SIMD16<UInt8>.self)
    var nibbles = SIMD32<UInt8>()
    nibbles.evenHalf = unsafeBitCast(
      unsafeBitCast(bytes, to: SIMD8<UInt16>.self) &>> 4, to: SIMD16<UInt8>.self)
    nibbles.oddHalf = bytes
    let digits = asciiDigits(unsafeBitCast(nibbles, to: SIMD16<UInt16>.self), letterCase)
    target.storeBytes(of: digits, as: SIMD16<UInt16>.self)
  }

  /// Two digits per lane, from the lower nibbles of its two bytes. Adding 6 carries into the upper nibble for
  /// letters, which avoids comparisons: these compile to a loop over the lanes.
  @inline(__always)
  private static func asciiDigits<V: SIMD>(_ nibbles: V, _ letterCase: LetterCase) -> V
  where V.Scalar == UInt16 {
    let carried = (nibbles & 0x0f0f) &+ 0x0606
    return carried &+ 0x2a2a &+ ((carried &>> 4) & 0x0101) &* letterCase.letterStep
  }

  /// The two digits of `byte`, the first one in the low byte.
  static func digits(of byte: UInt8, _ letterCase: LetterCase = .lower) -> UInt16 {
    asciiDigits(SIMD2<UInt16>(UInt16(byte) &>> 4 | UInt16(byte) &<< 8, 0), letterCase).x
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

  /// Decodes an even number of hex digits of either case; nil for any other text.
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
