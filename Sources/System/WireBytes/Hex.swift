internal import WideBytes

/// Encodes and decodes hexadecimal digits.
public enum Hex {
  /// The case of the digits a to f.
  public enum LetterCase: Sendable {
    case lower, upper

    /// The distance in ASCII from the character after `9` to the letter for 10.
    var letterStep: UInt8 { self == .lower ? 39 : 7 }
  }

  /// Writes `count` bytes of `source` from `start` on as `2 * count` hex digits to `target`, without bounds checks.
  package static func encode(
    _ source: RawSpan, from start: Int, count: Int, to target: UnsafeMutableRawPointer,
    letterCase: LetterCase = .lower
  ) {
    source.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { write_hex(base + start, count, letterCase.letterStep, target) }
    }
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

  /// The same for a column of fields of `length` bytes each.
  package static func encode(
    _ source: RawSpan, _ column: Column, of length: Int, to target: UnsafeMutableRawPointer,
    _ letterCase: LetterCase
  ) {
    source.withUnsafeBytes { bytes in
      guard length > 0, let base = bytes.baseAddress else { return }
      var fields = HexColumn(
        source: (base + column.start).assumingMemoryBound(to: UInt8.self),
        target: target.assumingMemoryBound(to: UInt8.self), length: length, stride: column.stride,
        row_length: column.rowLength, count: column.count, letter_step: letterCase.letterStep)
      write_hex_digits(&fields)
    }
  }

  /// The two lowercase digits of `byte`, the first one in the low byte.
  package static func digits(of byte: UInt8) -> UInt16 {
    let digit = { (nibble: UInt8) in
      UInt16(nibble &+ (nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10))
    }
    return digit(byte &>> 4) | digit(byte & 15) &<< 8
  }

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
    var text = String(text)
    return text.withUTF8 { bytes(UnsafeRawBufferPointer($0)) }
  }

  package static func bytes(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var bytes: [UInt8] = []
    return text.isEmpty || bytes.replace(with: text, by: decode) ? bytes : nil
  }

  /// Decodes `text` to `target`, which must have room for half its length, eight digits at a time. Returns the number
  /// of bytes; nil if it is empty, or not an even number of hex digits of either case.
  package static func decode(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) -> Int? {
    guard let start = text.baseAddress, text.count > 0, text.count & 1 == 0 else { return nil }
    var index = 0
    while index &+ 8 <= text.count {
      guard let four = fourBytes(EightBytes(start + index)) else { return nil }
      target.storeBytes(of: four.littleEndian, toByteOffset: index &>> 1, as: UInt32.self)
      index &+= 8
    }
    while index < text.count {
      guard let high = value(ofDigit: text[index]), let low = value(ofDigit: text[index &+ 1]) else {
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
    guard digits.marksOfHigh == 0, digits.marksOfHexDigits == EightBytes.highBits else { return nil }
    let isLetter = word &<< 1 & EightBytes.highBits
    let values = (word & 0x0f0f_0f0f_0f0f_0f0f) &+ (isLetter &>> 7) &* 9
    // Join pairs of digits to bytes, then the bytes to one word.
    let pairs = (values &<< 4 | values &>> 8) & 0x00ff_00ff_00ff_00ff
    let fours = (pairs | pairs &>> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: fours | fours &>> 16)
  }
}

extension [UInt8] {
  /// Replaces the bytes by those that `decode` makes of `text`, at most that number; by none, if it returns nil.
  package mutating func replace(
    with text: UnsafeRawBufferPointer, by decode: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Int?
  ) -> Bool {
    removeAll(keepingCapacity: true)
    append(contentsOf: repeatElement(0, count: text.count))
    let length = withUnsafeMutableBytes { bytes in bytes.baseAddress.flatMap { decode(text, $0) } }
    removeLast(count - (length ?? 0))
    return length != nil
  }
}
