import Basics
import PacketCapture

/// The values of digits in a text. Tables are fastest: bytes decoded group by group do not vectorise.
enum Digits {
  /// Marks in addition to the bits of a value: the character is no digit; it is `-` or `_`, which only the URL-safe
  /// alphabet of base64 has.
  static let isInvalid: UInt8 = 0x80
  static let isURLSafe: UInt8 = 0x40

  static let hex = InlineArray<256, UInt8> { Hex.value(ofDigit: UInt8($0)) ?? isInvalid }

  static let base64 = InlineArray<256, UInt8> { character in
    let mark = [UInt8(ascii: "-"), UInt8(ascii: "_")].contains(UInt8(character)) ? isURLSafe : 0
    return Base64.value(ofDigit: UInt8(character)).map { $0 | mark } ?? isInvalid
  }

  /// The index after the hex digits of `text` from `start` on, at most `end`.
  @inline(__always)
  static func hexEnd(in text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, hex[Int(text.byte(at: index))] != isInvalid { index &+= 1 }
    return index
  }

  @inline(__always)
  static func areHexPair(in text: RawSpan, at start: Int) -> Bool {
    start &+ 2 <= text.byteCount
      && (hex[Int(text.byte(at: start))] | hex[Int(text.byte(at: start &+ 1))]) & isInvalid == 0
  }
}

extension DecodedText {
  /// Adds the bytes of the digit pairs at the beginning of `range`, up to the first invalid pair; at most `maxCount`.
  /// `fileOffset` is that of the range. Returns the number of bytes.
  @inline(__always)
  mutating func appendHex(
    _ text: RawSpan, _ range: Range<Int>, maxCount: Int, at fileOffset: Int
  ) -> Int {
    let pairs = min(range.count / 2, maxCount)
    return append(upTo: pairs, at: fileOffset, spacing: Stride(stride: 2)) { bytes in
      var index = range.lowerBound
      for _ in 0..<pairs {
        let high = Digits.hex[Int(text.byte(at: index))]
        let low = Digits.hex[Int(text.byte(at: index &+ 1))]
        guard (high | low) & Digits.isInvalid == 0 else { break }
        bytes.append(high &<< 4 | low)
        index &+= 2
      }
    }
  }

  /// Adds the bytes of whole groups of base64 without padding at the beginning of `range`; at most `maxCount` and two
  /// more. Three bytes are located at the first three of every four characters.
  @inline(__always)
  mutating func appendBase64(
    _ text: RawSpan, _ range: Range<Int>, _ maxCount: Int, at fileOffset: Int, _ isURLSafe: inout Bool
  ) -> Int {
    let groups = min(range.count / 4, maxCount / 3 &+ 1)
    var seen: UInt8 = 0
    let spacing = Stride(stride: 1, groupSize: 3, groupStride: 4)
    let count = append(upTo: 3 &* groups, at: fileOffset, spacing: spacing) { bytes in
      var index = range.lowerBound
      for _ in 0..<groups {
        var (bits, marks): (UInt32, UInt8) = (0, 0)
        for position in 0..<4 {
          let value = Digits.base64[Int(text.byte(at: index &+ position))]
          bits = bits &<< 6 | UInt32(value & 63)
          marks |= value
        }
        guard marks & Digits.isInvalid == 0 else { break }
        seen |= marks
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        index &+= 4
      }
    }
    if seen & Digits.isURLSafe != 0 { isURLSafe = true }
    return count
  }
}
