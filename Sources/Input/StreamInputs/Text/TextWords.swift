import Basics

extension RawSpan {
  func has(_ word: StaticString, at index: Int = 0) -> Bool {
    guard index >= 0, index <= byteCount, byteCount &- index >= word.utf8CodeUnitCount else { return false }
    for position in 0..<word.utf8CodeUnitCount
    where byte(at: index &+ position) != word.utf8Start[position] { return false }
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

  /// Whether the line may have bytes, in a form that its reader does not know: it is a word of base64 digits, or two
  /// thirds of its other characters than blanks, commas and `x` are hex digits, at least 16 in all.
  var mayHaveBytes: Bool {
    let start = skippingBlanks(from: 0)
    var (hex, others) = (0, 0)
    var isWord = true
    for index in start..<byteCount {
      let character = byte(at: index)
      isWord = isWord && Digits.base64[Int(character)] & Digits.isInvalid == 0
      if Digits.hex[Int(character)] != Digits.isInvalid {
        hex += 1
      } else if !" \t,x".utf8.contains(character) {
        others += 1
      }
    }
    return isWord && byteCount - start >= 40 || hex >= 16 && hex >= 2 * others
  }

  /// The index of the first character at or after `start` that is not skipped.
  @inline(__always)
  private func skipping(from start: Int, _ isSkipped: (UInt8) -> Bool) -> Int {
    var index = start
    while index < byteCount, isSkipped(byte(at: index)) { index &+= 1 }
    return index
  }

  func skippingBlanks(from start: Int) -> Int { skipping(from: start, ASCII.isBlank) }

  /// The index of the first letter or digit at or after `start`.
  func skippingMarks(from start: Int) -> Int { skipping(from: start) { !ASCII.isWordCharacter($0) } }

  /// The index after the letters and digits at `start`.
  func wordEnd(from start: Int) -> Int { skipping(from: start, ASCII.isWordCharacter) }

  func nextWord(from start: Int) -> Int { skippingMarks(from: wordEnd(from: start)) }

  /// The index after `0x` at `start`, or `start`.
  func skippingPrefix(at start: Int) -> Int {
    let isPrefix =
      start &+ 2 < byteCount && byte(at: start) == UInt8(ascii: "0")
      && byte(at: start &+ 1) | 0x20 == UInt8(ascii: "x")
    return isPrefix ? start &+ 2 : start
  }

  /// The decimal number at `start`, and the index after it; nil without a digit or with more than 18.
  func number(at start: Int) -> (value: Int, end: Int)? {
    guard let (value, end) = OffsetBase.decimal.read(self, from: start), end &- start <= 18 else {
      return nil
    }
    return (Int(value), end)
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
    guard has(".", at: end), let (fraction, fractionEnd) = number(at: end &+ 1) else {
      return CaptureTime(seconds: Int64(seconds))
    }
    func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power &* 10 } }
    let digits = min(fractionEnd &- end &- 1, maxDigits)
    let rounding = power(fractionEnd &- end &- 1 &- digits)
    let value = (fraction &+ rounding / 2) / rounding
    let (whole, rest) = value.quotientAndRemainder(dividingBy: power(digits))
    return CaptureTime(seconds: Int64(seconds &+ whole), fraction: UInt64(rest), digits: UInt8(digits))
  }
}
