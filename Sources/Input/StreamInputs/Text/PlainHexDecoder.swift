import Basics
import PacketCapture

/// Decodes hex digits of either case with white space between them, as printed by `xxd -p` and databases: `0x` or
/// `\x` may precede a group, and `\x` any byte.
///
/// Errors in the text:
/// - a digit without partner is a fault and a gap of one byte, so that pairing restarts after it. Blanks always
///   separate bytes. A line end does not if the text is wrapped at an odd width: if most lines of the text's head
///   have an odd number of characters.
/// - a run of other characters is a fault and a gap. It counts as the same number of digits: a digit that loses its
///   partner to it is lost as well, and the gap has the length of the bytes concerned.
/// - a lone digit at the end of the file is a fault: the text is truncated within a byte.
package struct PlainHexDecoder: HeadedTextDecoder {
  /// The decoder's state within a byte.
  private enum State {
    case byteBoundary
    /// The first digit of a byte has been read, and then perhaps white space.
    case high(UInt8, TextPosition, Separation)
    /// After a backslash: an x must follow.
    case backslash(TextPosition)
    /// `digits` characters from the position on are not digits.
    case damaged(digits: Int, TextPosition)
  }

  /// White space after a first digit.
  private enum Separation {
    case none, lineEnd, blank
  }

  var head = TextHead()
  private var cursor = TextCursor()
  private var faults = FaultLog()
  private var state = State.byteBoundary
  /// Whether the next digit is the first after white space, where `0x` is allowed.
  private var isGroupStart = true
  /// Whether the previous character was a carriage return, which is valid only before a newline.
  private var isAfterReturn = false
  private var splitsBytes = false

  package init() {}

  mutating func study(_ head: RawSpan, isWhole: Bool) {
    splitsBytes = (head.commonLineWidth ?? 0) % 2 == 1
    if head.beginsWithByteOrderMark {
      cursor.skip(byteOrderMark: 3)
      self.head.readCount = 3
    }
  }

  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    let base = cursor.fileOffset &- start  // file offset of the block's first byte
    var index = start
    while index < text.byteCount, !output.isFull {
      if case .byteBoundary = state, !isAfterReturn {
        let pairs = min((text.byteCount &- index) / 2, output.room)
        let count = output.appendHex(text, from: index, maxCount: pairs, at: base &+ index)
        if count > 0 { isGroupStart = false }
        index &+= 2 &* count
        if index == text.byteCount || output.isFull { break }
      }
      cursor.fileOffset = base &+ index
      step(text.byte(at: index), into: &output)
      index &+= 1
    }
    cursor.fileOffset = base &+ index
    return index
  }

  mutating func end(into output: inout DecodedText) -> Bool {
    switch state {
    case .byteBoundary: break
    case .high(_, let position, _):
      faults.report(.textEndsWithinByte, at: position, into: &output)
    case .backslash(let position): damage(UInt8(ascii: "\\"), at: position, digits: 1, into: &output)
    case .damaged: break
    }
    closeDamage(into: &output)
    state = .byteBoundary
    faults.close(into: &output)
    return true
  }

  /// Reads the character at the cursor.
  private mutating func step(_ character: UInt8, into output: inout DecodedText) {
    if isAfterReturn {
      isAfterReturn = false
      if character != ASCII.newline {
        readOther(ASCII.carriageReturn, at: cursor.position(cursor.fileOffset - 1), into: &output)
      }
    }
    if character == ASCII.carriageReturn {
      isAfterReturn = true
    } else if ASCII.isWhiteSpace(character) {
      readWhiteSpace(isLineEnd: character == ASCII.newline, into: &output)
    } else if let digit = Hex.value(ofDigit: character) {
      readDigit(digit, into: &output)
    } else {
      readOther(character, at: cursor.position, into: &output)
    }
  }

  private mutating func readWhiteSpace(isLineEnd: Bool, into output: inout DecodedText) {
    switch state {
    case .byteBoundary: break
    case .high(let digit, let position, let separation):
      let isBlank = separation == .blank || !isLineEnd
      state = .high(digit, position, isBlank ? .blank : .lineEnd)
    case .backslash(let position):
      damage(UInt8(ascii: "\\"), at: position, digits: 1, into: &output)
      closeDamage(into: &output)
    case .damaged: closeDamage(into: &output)
    }
    isGroupStart = true
    if isLineEnd { cursor.passNewline(at: cursor.fileOffset) }
  }

  private mutating func readDigit(_ digit: UInt8, into output: inout DecodedText) {
    let position = cursor.position
    switch state {
    case .byteBoundary: state = .high(digit, position, .none)
    case .high(let high, let start, let separation):
      if joins(separation) {
        output.append(high << 4 | digit, at: start.fileOffset, stride: 2)
        state = .byteBoundary
        isGroupStart = false
      } else {
        dropLoneDigit(at: start, into: &output)
        state = .high(digit, position, .none)
      }
    case .backslash(let start):
      damage(UInt8(ascii: "\\"), at: start, digits: 1, into: &output)
      readDigit(digit, into: &output)
    case .damaged(let digits, let start):
      state = .damaged(digits: digits + digits % 2, start)
      closeDamage(into: &output)
      if digits % 2 == 0 { state = .high(digit, position, .none) }
    }
  }

  /// Reads a character that is neither a digit nor white space.
  private mutating func readOther(
    _ character: UInt8, at position: TextPosition, into output: inout DecodedText
  ) {
    let isX = character | 0x20 == UInt8(ascii: "x")
    switch state {
    case .byteBoundary where character == UInt8(ascii: "\\"): state = .backslash(position)
    case .backslash where isX: openGroup()
    case .high(0, _, .none) where isX && isGroupStart: openGroup()
    case .byteBoundary: damage(character, at: position, digits: 1, into: &output)
    case .high(_, _, let separation) where joins(separation):
      damage(character, at: position, digits: 2, into: &output)
    case .high(_, let start, _):
      dropLoneDigit(at: start, into: &output)
      state = .byteBoundary
      readOther(character, at: position, into: &output)
    case .backslash(let start):
      damage(UInt8(ascii: "\\"), at: start, digits: 2, into: &output)
    case .damaged(let digits, let start): state = .damaged(digits: digits + 1, start)
    }
  }

  /// Whether a digit after this separation is the partner of a first digit.
  private func joins(_ separation: Separation) -> Bool {
    separation == .none || (separation == .lineEnd && splitsBytes)
  }

  /// After `0x` or `\x`: a byte begins.
  private mutating func openGroup() {
    state = .byteBoundary
    isGroupStart = false
  }

  private mutating func dropLoneDigit(at position: TextPosition, into output: inout DecodedText) {
    faults.report(
      "a hex digit without a second one: one digit is missing here; byte skipped", at: position, into: &output
    )
    output.appendGap(length: 1, at: position.fileOffset)
  }

  /// Reports the first of `digits` characters that are not pairs of digits.
  private mutating func damage(
    _ character: UInt8, at position: TextPosition, digits: Int, into output: inout DecodedText
  ) {
    faults.report(
      "expected a hex digit or white space, found \(characterName(character)); byte skipped", at: position,
      into: &output)
    state = .damaged(digits: digits, position)
    isGroupStart = false
  }

  /// Ends a damaged run with its gap, if there is one.
  private mutating func closeDamage(into output: inout DecodedText) {
    guard case .damaged(let digits, let position) = state else { return }
    output.appendGap(length: (digits + 1) / 2, at: position.fileOffset)
    state = .byteBoundary
  }
}

extension RawSpan {
  /// Whether there is a byte that does not occur in text.
  var hasControlCharacters: Bool {
    for index in 0..<byteCount where ASCII.isControl(byte(at: index)) { return true }
    return false
  }
}

extension PlainHexDecoder {
  /// Minimum number of digits per other character for it to count as damage: for a letter or a byte outside ASCII,
  /// which may replace a digit; and for punctuation, which other formats use (a CSV line of a time and a 64-digit
  /// token has a comma in 75 characters).
  private static let digitsPerLetter = 24
  private static let digitsPerMark = 256

  /// Whether a file that begins with `head` (`isWhole`: and has no more) is plain hex: at least 4 digits, and nothing
  /// else but white space and prefixes; or at least 32 digits among few other characters, so that damaged hex text is
  /// reported as such, and not read as raw bytes.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    guard !head.hasControlCharacters else { return false }
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

  /// 2 if `\x`, or `0x` after white space, is at `index`; else 0.
  private static func lengthOfPrefix(in text: RawSpan, at index: Int) -> Int {
    guard index + 1 < text.byteCount, text.byte(at: index + 1) | 0x20 == UInt8(ascii: "x") else { return 0 }
    let isGroupStart = index == 0 || ASCII.isWhiteSpace(text.byte(at: index - 1))
    switch text.byte(at: index) {
    case UInt8(ascii: "\\"): return 2
    case UInt8(ascii: "0"): return isGroupStart ? 2 : 0
    default: return 0
    }
  }

  /// Whether it is an ASCII character that is neither letter nor digit.
  private static func isMark(_ character: UInt8) -> Bool {
    let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character | 0x20)
    let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    return ASCII.isPrintable(character) && !isLetter && !isNumber
  }
}

/// Hex digits in a text.
enum HexDigits {
  /// Marks the value of a character that is not a hex digit.
  static let isInvalid: UInt8 = 0x80

  /// The value of each byte of text as a hex digit of either case: 0 to 15, or `isInvalid`. A table is fastest: bytes
  /// decoded group by group do not vectorise.
  static let values: InlineArray<256, UInt8> = {
    var values = InlineArray<256, UInt8>(repeating: isInvalid)
    for character in UInt8.min...UInt8.max {
      if let value = Hex.value(ofDigit: character) { values[Int(character)] = value }
    }
    return values
  }()

  /// The index after the hex digits of `text` from `start` on, at most `end`.
  @inline(__always)
  static func end(in text: RawSpan, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, values[Int(text.byte(at: index))] != isInvalid { index &+= 1 }
    return index
  }
}

extension DecodedText {
  /// Adds the bytes of the digit pairs in `text` from `start` on, up to the first invalid pair; at most `maxCount`
  /// bytes, whose digits must be within the text. `fileOffset` is that of `start`. Returns the number of bytes.
  @inline(__always)
  mutating func appendHex(
    _ text: RawSpan, from start: Int, maxCount: Int, at fileOffset: Int
  ) -> Int {
    append(upTo: maxCount, at: fileOffset, spacing: Stride(stride: 2)) { bytes in
      var index = start
      for _ in 0..<maxCount {
        let high = HexDigits.values[Int(text.byte(at: index))]
        let low = HexDigits.values[Int(text.byte(at: index &+ 1))]
        guard (high | low) & HexDigits.isInvalid == 0 else { break }
        bytes.append(high &<< 4 | low)
        index &+= 2
      }
    }
  }
}
