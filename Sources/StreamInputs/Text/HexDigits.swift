import PacketCapture
import WireBytes

/// Hex digits in a text.
enum HexDigits {
  /// Marks a value of `values` as that of a character that is no hex digit.
  static let isForeign: UInt8 = 0x80

  /// The value of each byte of text as a hex digit of either case: 0 to 15, or `isForeign`. A table, because
  /// bytes that are decoded group by group leave vectors nothing to do.
  static let values: InlineArray<256, UInt8> = {
    var values = InlineArray<256, UInt8>(repeating: isForeign)
    for character in UInt8.min...UInt8.max {
      if let value = Hex.value(ofDigit: character) { values[Int(character)] = value }
    }
    return values
  }()

  /// The index behind the hex digits that stand in `text` from `start` on, at most `end`.
  @inline(__always)
  static func end(in text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, values[Int(text.byte(at: index))] != isForeign { index &+= 1 }
    return index
  }
}

extension DecodedText {
  /// Adds the bytes whose digits stand pair by pair in `text` from `start` on, up to the first pair that is
  /// not two hex digits; at most `maxCount` bytes, whose digits the text must be long enough for. `fileOffset`
  /// is that of `start`. Returns how many bytes they are.
  @inline(__always)
  mutating func appendHex(
    _ text: RawSpan, from start: Int, maxCount: Int, at fileOffset: Int
  ) -> Int {
    append(upTo: maxCount, at: fileOffset, spacing: Spacing(stride: 2)) { bytes in
      var index = start
      for _ in 0..<maxCount {
        let high = HexDigits.values[Int(text.byte(at: index))]
        let low = HexDigits.values[Int(text.byte(at: index &+ 1))]
        guard (high | low) & HexDigits.isForeign == 0 else { break }
        bytes.append(high &<< 4 | low)
        index &+= 2
      }
    }
  }
}
