internal import WideBytes

/// Validates UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
public enum UTF8Text {
  /// Bytes of the well-formed character at `index`; 0 if there is none that ends before `end`, which must not
  /// be after the end of the span.
  public static func characterLength(at index: Int, before end: Int, in bytes: RawSpan) -> Int {
    guard index < end else { return 0 }
    return bytes.extracting(index..<end).withUnsafeBytes { text in
      text.baseAddress.map { count_character($0, text.count) } ?? 0
    }
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
        let length = count_character(next, end - next)
        if length == 0 { return false }
        next += length
      }
      return true
    }
  }
}
