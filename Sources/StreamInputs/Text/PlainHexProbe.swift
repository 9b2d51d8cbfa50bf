import WireBytes

extension RawSpan {
  /// Whether a byte stands here that no text holds.
  var holdsControlCharacters: Bool {
    for index in 0..<byteCount where ASCII.isControl(byte(at: index)) { return true }
    return false
  }
}

extension PlainHexDecoder {
  /// What a character that is neither digit, white space nor prefix takes in digits to be believed as damage:
  /// a letter or a byte beyond ASCII, which may stand in the place of a digit; and punctuation, which other
  /// formats are made of (a CSV line of a time and a 64-digit token has a comma in 75 characters).
  private static let digitsPerLetter = 24
  private static let digitsPerMark = 256

  /// Whether a file that begins with `head` (`isWhole`: and has no more) is plain hex: at least 4 digits, and
  /// nothing else but white space and prefixes; or at least 32 digits among few other characters, so that a
  /// damaged hex text is named as that, and not read as raw bytes.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    guard !head.holdsControlCharacters else { return false }
    var digits = 0
    var letters = 0
    var marks = 0
    var index = head.beginsWithByteOrderMark ? 3 : 0
    while index < head.byteCount {
      let prefix = lengthOfPrefix(in: head, at: index)
      if prefix == 0 {
        switch head.byte(at: index) {
        case let character where ASCII.isWhiteSpace(character): break
        case let character where Hex.value(ofDigit: character) != nil: digits += 1
        case let character where isMark(character): marks += 1
        default: letters += 1
        }
      }
      index += max(1, prefix)
    }
    if letters + marks == 0 { return digits >= 4 }
    return digits >= 32 && digits >= digitsPerLetter * letters + digitsPerMark * marks
  }

  /// 2 if `\x`, or `0x` behind white space, stands at `index`; else 0.
  private static func lengthOfPrefix(in text: RawSpan, at index: Int) -> Int {
    guard index + 1 < text.byteCount, text.byte(at: index + 1) | 0x20 == UInt8(ascii: "x") else { return 0 }
    let isGroupStart = index == 0 || ASCII.isWhiteSpace(text.byte(at: index - 1))
    switch text.byte(at: index) {
    case UInt8(ascii: "\\"): return 2
    case UInt8(ascii: "0"): return isGroupStart ? 2 : 0
    default: return 0
    }
  }

  /// Whether it is a character of ASCII that is neither letter nor digit.
  private static func isMark(_ character: UInt8) -> Bool {
    let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character | 0x20)
    let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    return ASCII.isPrintable(character) && !isLetter && !isNumber
  }
}
