import Basics
import PacketCapture

/// The values of digits in a text. Tables are fastest: bytes decoded group by group do not vectorise.
enum Digits {
  /// Marks in addition to the bits of a value: the character is no digit; it is `-` or `_`, which only the URL-safe
  /// alphabet of base64 has.
  static let isInvalid: UInt8 = 0x80
  static let isURLSafe: UInt8 = 0x40

  static let hex: InlineArray<256, UInt8> = {
    var values = InlineArray<256, UInt8>(repeating: isInvalid)
    for character in UInt8.min...UInt8.max {
      if let value = Hex.value(ofDigit: character) { values[Int(character)] = value }
    }
    return values
  }()

  static let base64: InlineArray<256, UInt8> = {
    let standard: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    var values = InlineArray<256, UInt8>(repeating: isInvalid)
    for value in 0..<64 { values[Int(standard.utf8Start[value])] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62 | isURLSafe
    values[Int(UInt8(ascii: "_"))] = 63 | isURLSafe
    return values
  }()

  /// The index after the hex digits of `text` from `start` on, at most `end`.
  @inline(__always)
  static func hexEnd(in text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, hex[Int(text.byte(at: index))] != isInvalid { index &+= 1 }
    return index
  }

  /// Whether there are two hex digits at `start`.
  @inline(__always)
  static func areHexPair(in text: RawSpan, at start: Int) -> Bool {
    start &+ 2 <= text.byteCount
      && (hex[Int(text.byte(at: start))] | hex[Int(text.byte(at: start &+ 1))]) & isInvalid == 0
  }

  /// The 24 bits of the four characters of base64 at `index` of `text`, and the marks of all of them.
  @inline(__always)
  fileprivate static func group(in text: RawSpan, at index: Int) -> (bits: UInt32, marks: UInt8) {
    let word = UInt32(
      littleEndian: text.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
    let first = base64[Int(word & 0xff)]
    let second = base64[Int(word &>> 8 & 0xff)]
    let third = base64[Int(word &>> 16 & 0xff)]
    let fourth = base64[Int(word &>> 24)]
    let bits =
      UInt32(first & 63) &<< 18 | UInt32(second & 63) &<< 12 | UInt32(third & 63) &<< 6 | UInt32(fourth & 63)
    return (bits, (first | second | third | fourth) & 0xc0)
  }
}

extension DecodedText {
  /// Adds the bytes of the digit pairs at the beginning of `range`, up to the first invalid pair; at most `maxCount`.
  /// `fileOffset` is that of the range. Returns the numbers of bytes and of characters.
  @inline(__always)
  mutating func appendHex(
    _ text: RawSpan, _ range: Range<Int>, maxCount: Int, at fileOffset: Int
  ) -> (bytes: Int, characters: Int) {
    let pairs = min(range.count / 2, maxCount)
    let count = append(upTo: pairs, at: fileOffset, spacing: Stride(stride: 2)) { bytes in
      var index = range.lowerBound
      for _ in 0..<pairs {
        let high = Digits.hex[Int(text.byte(at: index))]
        let low = Digits.hex[Int(text.byte(at: index &+ 1))]
        guard (high | low) & Digits.isInvalid == 0 else { break }
        bytes.append(high &<< 4 | low)
        index &+= 2
      }
    }
    return (count, 2 &* count)
  }

  /// Adds the bytes of whole groups of base64 without padding at the beginning of `range`; at most `maxCount` and two
  /// more. Three bytes are located at the first three of every four characters.
  @inline(__always)
  mutating func appendBase64(
    _ text: RawSpan, _ range: Range<Int>, _ maxCount: Int, at fileOffset: Int, _ isURLSafe: inout Bool
  ) -> (bytes: Int, characters: Int) {
    let groups = min(range.count / 4, maxCount / 3 &+ 1)
    var seen: UInt8 = 0
    let spacing = Stride(stride: 1, groupSize: 3, groupStride: 4)
    let count = append(upTo: 3 &* groups, at: fileOffset, spacing: spacing) { bytes in
      var index = range.lowerBound
      for _ in 0..<groups {
        let (bits, marks) = Digits.group(in: text, at: index)
        guard marks & Digits.isInvalid == 0 else { break }
        seen |= marks
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        index &+= 4
      }
    }
    if seen & Digits.isURLSafe != 0 { isURLSafe = true }
    return (count, count / 3 &* 4)
  }
}
