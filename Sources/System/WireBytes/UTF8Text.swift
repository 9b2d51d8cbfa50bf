/// Validates UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
public enum UTF8Text {
  /// Bytes of the well-formed character at `index`; 0 if there is none that ends before `end`, which must not
  /// be after the end of the span.
  public static func characterLength(at index: Int, before end: Int, in bytes: RawSpan) -> Int {
    guard index < end else { return 0 }
    return bytes.extracting(index..<end).withUnsafeBytes { text in
      text.baseAddress.map { characterLength(from: $0, to: $0 + text.count) } ?? 0
    }
  }

  /// Bytes of the well-formed character at `start`; 0 if there is none that ends at `end` or before.
  package static func characterLength(from start: UnsafeRawPointer, to end: UnsafeRawPointer) -> Int {
    guard start < end else { return 0 }
    let lead = start.load(as: UInt8.self)
    // The range of the second byte excludes overlong forms, surrogates and characters above U+10FFFF (RFC 3629,
    // section 4).
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
    guard end - start >= length, second.contains(start.load(fromByteOffset: 1, as: UInt8.self)) else {
      return 0
    }
    for index in 2..<max(2, length) where start.load(fromByteOffset: index, as: UInt8.self) & 0xc0 != 0x80 {
      return 0
    }
    return length
  }

  /// Whether the bytes of `range`, which must be in the span, are UTF-8.
  public static func isValid(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    bytes.extracting(range).withUnsafeBytes { text in
      guard var next = text.baseAddress else { return true }
      let end = next + text.count
      while next < end {
        if end - next >= 8 {
          let plain = EightBytes.count(before: EightBytes(next).marksOfHigh)
          next += plain
          if plain == 8 { continue }
        }
        let length = characterLength(from: next, to: end)
        if length == 0 { return false }
        next += length
      }
      return true
    }
  }
}
