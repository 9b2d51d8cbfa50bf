import Basics
import PacketCapture

/// Reads hex digits of either case with white space between bytes, character by character. `0x` or `\x` may precede a
/// group, and `\x` any byte.
///
/// Errors in the text:
/// - a digit without partner is a fault and a gap of one byte, so that pairing restarts after it. Blanks always
///   separate bytes. A line end does not if the text is wrapped at an odd width.
/// - a run of other characters is a fault and a gap. It counts as the same number of digits: a digit that loses its
///   partner to it is lost as well, and the gap has the length of the bytes concerned.
/// - a lone digit at the end of the file is a fault: the text is truncated within a byte.
struct HexReader: Sendable {
  /// The state within a byte.
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

  /// A mark that separates bytes as a blank does: `51:80`, `0x51, 0x80`.
  var separator: UInt8
  /// Whether a line end may be within a byte.
  var splitsBytes = false
  private var state = State.byteBoundary
  /// Whether the next digit is the first after white space, where `0x` is allowed.
  private var isGroupStart = true
  /// Whether the previous character was a carriage return, which is valid only before a newline.
  private var isAfterReturn = false

  init(separator: UInt8 = UInt8(ascii: " ")) { self.separator = separator }

  /// Reads `text` in `range`, or until `output` is full (`isBounded`). Returns the index after the last character read.
  /// - Parameter cursor: at the range's beginning; it is moved on.
  mutating func read(
    _ text: RawSpan, _ range: Range<Int>, at cursor: inout TextCursor, isBounded: Bool = true,
    into output: inout DecodedText
  ) -> Int {
    let base = cursor.fileOffset &- range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound, !isBounded || !output.isFull {
      if case .byteBoundary = state, !isAfterReturn {
        let pairs = min((range.upperBound &- index) / 2, isBounded ? output.room : .max)
        let count = output.appendHex(text, from: index, maxCount: pairs, at: base &+ index)
        if count > 0 { isGroupStart = false }
        index &+= 2 &* count
        if index == range.upperBound || isBounded && output.isFull { break }
      }
      cursor.fileOffset = base &+ index
      step(text.byte(at: index), at: &cursor, into: &output)
      index &+= 1
    }
    cursor.fileOffset = base &+ index
    return index
  }

  /// Reads `text` in `range`, whatever the output has.
  mutating func read(
    _ text: RawSpan, _ range: Range<Int>, of line: TextLine, into output: inout DecodedText
  ) {
    var cursor = line.cursor
    cursor.fileOffset &+= range.lowerBound
    _ = read(text, range, at: &cursor, isBounded: false, into: &output)
  }

  /// The text or the line has ended; if it `mayBeCut`, a lone digit may have lost its partner to that.
  mutating func end(mayBeCut: Bool, into output: inout DecodedText) {
    switch state {
    case .byteBoundary, .damaged: break
    case .high(_, let position, _):
      if mayBeCut {
        output.fault(.textEndsWithinByte, at: position)
      } else {
        dropLoneDigit(at: position, into: &output)
      }
    case .backslash(let position): damage(UInt8(ascii: "\\"), at: position, digits: 1, into: &output)
    }
    closeDamage(into: &output)
    state = .byteBoundary
    isGroupStart = true
  }

  /// Reads the character at the cursor.
  private mutating func step(
    _ character: UInt8, at cursor: inout TextCursor, into output: inout DecodedText
  ) {
    if isAfterReturn {
      isAfterReturn = false
      if character != ASCII.newline {
        readOther(ASCII.carriageReturn, at: cursor.position(cursor.fileOffset - 1), into: &output)
      }
    }
    if character == ASCII.carriageReturn {
      isAfterReturn = true
    } else if ASCII.isWhiteSpace(character) || character == separator {
      readWhiteSpace(isLineEnd: character == ASCII.newline, into: &output)
      if character == ASCII.newline { cursor.passNewline() }
    } else if let digit = Hex.value(ofDigit: character) {
      readDigit(digit, at: cursor.position, into: &output)
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
  }

  private mutating func readDigit(
    _ digit: UInt8, at position: TextPosition, into output: inout DecodedText
  ) {
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
      readDigit(digit, at: position, into: &output)
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
    output.fault("a hex digit without a second one: one digit is missing here; byte skipped", at: position)
    output.appendGap(length: 1, at: position.fileOffset)
  }

  /// Reports the first of `digits` characters that are not pairs of digits.
  private mutating func damage(
    _ character: UInt8, at position: TextPosition, digits: Int, into output: inout DecodedText
  ) {
    output.fault(
      "expected a hex digit or white space, found \(characterName(character)); byte skipped", at: position)
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

  /// Whether there are two hex digits at `start`.
  static func arePair(in text: RawSpan, at start: Int) -> Bool {
    start &+ 2 <= text.byteCount && end(in: text, from: start, to: start &+ 2) == start &+ 2
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
