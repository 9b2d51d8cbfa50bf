import Basics
import PacketCapture

/// Reading of words and numbers in lines.
extension RawSpan {
  func has(_ word: StaticString, at index: Int = 0) -> Bool {
    guard index >= 0, index <= byteCount, byteCount &- index >= word.utf8CodeUnitCount else { return false }
    for position in 0..<word.utf8CodeUnitCount
    where byte(at: index &+ position) != word.utf8Start[position] {
      return false
    }
    return true
  }

  /// The index after the first `word` at or after `start`.
  func end(of word: StaticString, from start: Int) -> Int? {
    var index = start
    while byteCount &- index >= word.utf8CodeUnitCount {
      if has(word, at: index) { return index &+ word.utf8CodeUnitCount }
      index &+= 1
    }
    return nil
  }

  /// Whether the line from `start` on is a separator: at least 40 of `sign` (tools print 63 and more), and nothing else.
  func isRule(of sign: Unicode.Scalar, from start: Int = 0) -> Bool {
    byteCount &- start >= 40 && (start..<byteCount).allSatisfy { byte(at: $0) == UInt8(ascii: sign) }
  }

  /// The index of the first character at or after `start` that is not blank.
  func skippingBlanks(from start: Int) -> Int {
    var index = start
    while index < byteCount, ASCII.isBlank(byte(at: index)) { index &+= 1 }
    return index
  }

  /// The index of the first letter or digit at or after `start`.
  func skippingMarks(from start: Int) -> Int {
    var index = start
    while index < byteCount, !ASCII.isWordCharacter(byte(at: index)) { index &+= 1 }
    return index
  }

  /// The index after the letters and digits at `start`.
  func wordEnd(from start: Int) -> Int {
    var index = start
    while index < byteCount, ASCII.isWordCharacter(byte(at: index)) { index &+= 1 }
    return index
  }

  /// The index after `0x` at `start`, or `start`.
  func skippingPrefix(at start: Int) -> Int {
    let isPrefix =
      start &+ 2 < byteCount && byte(at: start) == UInt8(ascii: "0")
      && byte(at: start &+ 1) | 0x20 == UInt8(ascii: "x")
    return isPrefix ? start &+ 2 : start
  }

  /// The decimal number at `start`, and the index after it; nil without a digit or with more than 18.
  func number(at start: Int) -> (value: Int, end: Int)? {
    var index = start
    var value = 0
    while index < byteCount, case let digit = byte(at: index) &- UInt8(ascii: "0"), digit < 10 {
      guard index &- start < 18 else { return nil }
      value = value &* 10 &+ Int(digit)
      index &+= 1
    }
    return index > start ? (value, index) : nil
  }

  /// The number at `start`, if only blanks follow it.
  func wholeNumber(at start: Int) -> Int? {
    guard let (value, end) = number(at: start), skippingBlanks(from: end) == byteCount else { return nil }
    return value
  }

  /// The text in `range` without blanks at its ends; for headers, never for data.
  func string(_ range: Range<Int>) -> String {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, ASCII.isBlank(byte(at: start)) { start &+= 1 }
    while start < end, ASCII.isBlank(byte(at: end &- 1)) { end &-= 1 }
    return extracting(start..<end).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// A time in seconds with a fraction, `1400000000.299999952`, at `start`; nil if there is none, or it is 0.
  /// - Parameter maxDigits: number of accurate digits; the rest is rounded.
  func time(at start: Int, maxDigits: Int) -> CaptureTime? {
    guard let (seconds, end) = number(at: start), seconds > 0 else { return nil }
    guard end < byteCount, byte(at: end) == UInt8(ascii: "."),
      let (fraction, fractionEnd) = number(at: end &+ 1)
    else { return CaptureTime(seconds: Int64(seconds)) }
    var digits = fractionEnd &- end &- 1
    var value = fraction
    var rest = 0
    while digits > maxDigits {
      (value, rest) = value.quotientAndRemainder(dividingBy: 10)
      digits &-= 1
    }
    if rest >= 5 { value &+= 1 }
    var unit = 1
    for _ in 0..<digits { unit &*= 10 }
    return CaptureTime(
      seconds: Int64(seconds &+ value / unit), fraction: UInt64(value % unit), digits: UInt8(digits))
  }
}
