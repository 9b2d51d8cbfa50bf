/// Tells UTF-8 from other bytes, as RFC 3629 has it: no overlong forms, no surrogates, nothing behind
/// U+10FFFF.
public enum UTF8Text {
  /// Bytes of the character at `place`; 0 where none is well-formed that ends before `end`, which must not
  /// lie behind the span's end.
  public static func characterLength(at place: Int, before end: Int, in bytes: RawSpan) -> Int {
    guard place < end else { return 0 }
    let lead = bytes.byte(at: place)
    // What may follow the first byte: so forms that are too long, surrogates and what lies beyond Unicode
    // are told (RFC 3629, section 4).
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch lead {
    case 0x00...0x7f: return 1
    case 0xc2...0xdf: length = 2
    case 0xe0...0xef:
      length = 3
      if lead == 0xe0 { second = 0xa0...0xbf } else if lead == 0xed { second = 0x80...0x9f }
    case 0xf0...0xf4:
      length = 4
      if lead == 0xf0 { second = 0x90...0xbf } else if lead == 0xf4 { second = 0x80...0x8f }
    default: return 0
    }
    guard end - place >= length, second.contains(bytes.byte(at: place + 1)) else { return 0 }
    for index in 2..<max(2, length) where bytes.byte(at: place + index) & 0xc0 != 0x80 { return 0 }
    return length
  }

  /// Whether the bytes of `range` are UTF-8 from end to end. They must lie in the span.
  public static func isValid(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    var place = range.lowerBound
    while place < range.upperBound {
      let length = characterLength(at: place, before: range.upperBound, in: bytes)
      if length == 0 { return false }
      place += length
    }
    return true
  }
}
