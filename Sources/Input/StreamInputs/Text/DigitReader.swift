import Basics

/// Reads groups of digits: two of hex for a byte, or four of base64 for three bytes (RFC 4648, sections 4 and 5), with
/// white space between them.
///
/// - Hex: `0x` or `\x` may precede a group, and `\x` any byte. Blanks end a group, and line ends do unless the text is
///   wrapped at an odd width.
/// - Base64: data after padding begins a new text, as in a file of several texts. Nonzero bits after the last byte of a
///   padded group are not an error: they are not data, and do not make the bytes before them suspect.
///
/// Errors in the text: another character replaces a digit of its group, an error and a gap of the group's bytes; so is
/// a group that ends too early. A text that ends within a group yields the bytes before the end, and an error unless
/// it is of the URL-safe alphabet, where padding is usually omitted.
package struct DigitReader: Sendable {
  enum Alphabet: Sendable {
    case hex, base64

    /// Characters of a group, and its bytes.
    var groupLength: Int { self == .hex ? 2 : 4 }
    var groupBytes: Int { self == .hex ? 1 : 3 }
    var digitBits: Int { self == .hex ? 4 : 6 }
  }

  /// The characters read of a group.
  private struct Group: Sendable {
    var count = 0
    /// The characters' values, the last one lowest.
    var bits: UInt32 = 0
    /// File offsets of the characters, and the position of the first one.
    var offsets = SIMD4<Int>()
    var start = TextPosition()
    var padding = 0
    var isDamaged = false
    /// Whether it is a backslash, which an x must follow.
    var isBackslash = false
    /// White space within this group, after which it may not go on.
    var end: TextPosition?
  }

  let alphabet: Alphabet
  /// The caller's, while it reads.
  private var output = DecodedText()
  /// A mark that separates bytes as a blank does: `51:80`, `0x51, 0x80`.
  var separator = UInt8(ascii: " ")
  /// Whether a line end may be within a group.
  private var splitsGroups = false
  /// Whether hex may have prefixes.
  var hasPrefixes = true
  /// Number of bytes so far, with those of gaps.
  private(set) var byteCount = 0
  /// The next character.
  private var cursor = TextPosition()
  private var group = Group()
  /// Damaged bytes that are not reported yet: the run of other characters may make their gap longer.
  private var gap = (length: 0, fileOffset: 0)
  private var isInRun = false
  private var isURLSafe = false
  /// Whether the next digit of hex is the first after white space, where `0x` is allowed.
  private var isGroupStart = true
  /// Whether the previous character was a carriage return, which is valid only before a newline.
  private var isAfterReturn = false

  init(_ alphabet: Alphabet) { self.alphabet = alphabet }

  /// Reads the part of a line in `range`, and ends the last group if the line ends.
  mutating func read(
    _ text: RawSpan, _ range: Range<Int>, of line: TextLine, into target: inout DecodedText
  ) {
    swap(&target, &output)
    defer { swap(&target, &output) }
    cursor = line.position(range.lowerBound)
    _ = read(text, range, isBounded: false)
    guard line.isEnd else { return }
    if line.isTerminated { endGroup(at: cursor) }
    endText(isCut: true)
  }

  /// Ends the current group here, whole or not.
  mutating func endGroup(at position: TextPosition, into target: inout DecodedText) {
    swap(&target, &output)
    endGroup(at: position)
    swap(&target, &output)
  }

  private mutating func endGroup(at position: TextPosition) {
    endBackslash()
    if group.count > 0, !group.isDamaged {
      flushGap()
      if alphabet == .hex {
        output.error(
          "a hex digit without a second one: one digit is missing here; byte skipped", at: group.start)
      } else {
        output.error(
          "the line ends within a group of 4 characters, unlike the others: characters were lost or "
            + "inserted; bytes before this position may be wrong", at: position)
      }
      group.isDamaged = true
    }
    if group.count > 0 { closeGroup() }
    flushGap()
    (isGroupStart, isInRun) = (true, false)
  }

  /// Reads `text` in `range`, or until `output` is full (`isBounded`). Returns the index after the last character read.
  private mutating func read(_ text: RawSpan, _ range: Range<Int>, isBounded: Bool) -> Int {
    let base = cursor.fileOffset &- range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound, !isBounded || !output.isFull {
      if group.count == 0, gap.length == 0, !isAfterReturn {
        let room = isBounded ? output.room : .max
        let count =
          alphabet == .hex
          ? output.appendHex(text, index..<range.upperBound, maxCount: room, at: base &+ index)
          : output.appendBase64(text, index..<range.upperBound, room, at: base &+ index, &isURLSafe)
        if count > 0 { (isGroupStart, isInRun) = (false, false) }
        byteCount &+= count
        index &+= count / alphabet.groupBytes &* alphabet.groupLength
        if index == range.upperBound || isBounded && output.isFull { break }
      }
      cursor.fileOffset = base &+ index
      step(text.byte(at: index))
      index &+= 1
    }
    cursor.fileOffset = base &+ index
    return index
  }

  /// Reads the character at the cursor, and moves past a newline.
  private mutating func step(_ character: UInt8) {
    if isAfterReturn, alphabet == .hex, character != ASCII.newline {
      take(ASCII.carriageReturn, at: cursor.advanced(by: -1))
    }
    isAfterReturn = character == ASCII.carriageReturn
    if isAfterReturn { return }
    if ASCII.isWhiteSpace(character) || character == separator {
      passWhiteSpace(isLineEnd: character == ASCII.newline)
    } else {
      take(character, at: cursor)
    }
  }

  private mutating func passWhiteSpace(isLineEnd: Bool) {
    if alphabet == .hex, group.isDamaged || group.isBackslash { endGroup(at: cursor) }
    let endsGroup = isLineEnd ? alphabet == .base64 || !splitsGroups : alphabet == .hex
    if group.count > 0, endsGroup { group.end = group.end ?? cursor }
    if alphabet == .hex { flushGap() }
    (isGroupStart, isInRun) = (true, false)
    if isLineEnd { cursor.passNewline() }
  }

  private mutating func take(_ character: UInt8, at position: TextPosition) {
    if let end = group.end, alphabet == .hex || !splitsGroups { endGroup(at: end) }
    if alphabet == .hex, isPrefix(character) {
      group = Group()
      isGroupStart = false
      return
    }
    endBackslash()
    if group.count == 0 { group.start = position }
    group.offsets[group.count] = position.fileOffset
    group.count += 1
    let value = alphabet == .hex ? Digits.hex[Int(character)] : Digits.base64[Int(character)]
    if value & Digits.isInvalid == 0, group.padding == 0 {
      if group.count == 1 { flushGap() }
      isURLSafe = isURLSafe || value & Digits.isURLSafe != 0
      group.bits = group.bits << UInt32(alphabet.digitBits) | UInt32(value & 63)
      isInRun = false
    } else if alphabet == .base64, character == UInt8(ascii: "="), group.count > 2 {
      group.padding += 1
    } else if alphabet == .hex, hasPrefixes, character == UInt8(ascii: "\\"), group.count == 1, !isInRun {
      group.isBackslash = true
    } else {
      damage(character, at: position)
    }
    if group.count == alphabet.groupLength { closeGroup() }
  }

  /// Whether the character completes `\x`, or `0x` at the start of a group.
  private func isPrefix(_ character: UInt8) -> Bool {
    guard hasPrefixes, group.count == 1, character | 0x20 == UInt8(ascii: "x") else { return false }
    return group.isBackslash || group.bits == 0 && isGroupStart && !group.isDamaged
  }

  /// A backslash that no x follows is damage.
  private mutating func endBackslash() {
    if group.isBackslash { damage(UInt8(ascii: "\\"), at: group.start) }
  }

  private mutating func damage(_ character: UInt8, at position: TextPosition) {
    if !isInRun, !group.isDamaged {
      flushGap()
      output.error(
        alphabet == .hex
          ? "expected a hex digit or white space, found \(characterName(character)); byte skipped"
          : .expectedBase64(found: character, isPadded: group.padding > 0), at: position)
    }
    (group.isDamaged, group.isBackslash, isInRun) = (true, false, alphabet == .hex)
  }

  private mutating func closeGroup() {
    appendGroup()
    if group.isDamaged {
      if gap.length == 0 { gap.fileOffset = group.offsets[0] }
      gap.length += alphabet.groupBytes
      if alphabet == .base64 { flushGap() }
    }
    if alphabet == .hex, group.count == 2 { isGroupStart = false }
    group = Group()
  }

  private mutating func flushGap() {
    guard gap.length > 0 else { return }
    output.appendGap(length: gap.length, at: gap.fileOffset)
    byteCount &+= gap.length
    gap.length = 0
  }

  /// Adds the bytes of the group that are complete.
  private mutating func appendGroup() {
    if group.isDamaged { return }
    let bits = (group.count - group.padding) * alphabet.digitBits
    for index in 0..<bits / 8 {
      let byte = UInt8(truncatingIfNeeded: group.bits >> UInt32(bits - 8 * (index + 1)))
      output.append(byte, at: group.offsets[index], stride: alphabet == .hex ? 2 : 1)
      byteCount &+= 1
    }
  }

  /// The text has ended. If it `isCut`, its last group certainly lacks characters.
  private mutating func endText(isCut: Bool) {
    if group.isDamaged || group.isBackslash {
      endGroup(at: cursor)
    } else if group.count > 0, alphabet == .hex {
      output.error(
        "the text ends after one hex digit of two: it is truncated; the bytes before it are used",
        at: group.start)
    } else if group.count == 1 || group.padding > 0 || (group.count > 0 && (isCut || !isURLSafe)) {
      output.error(.textEndsWithinGroup(characters: group.count, isCertain: isCut), at: group.end ?? cursor)
    }
    appendGroup()
    flushGap()
    (group, isGroupStart, isInRun) = (Group(), true, false)
  }
}

/// A text of digits alone, without offsets and other columns.
extension DigitReader: TextDecoder {
  /// Hex digits of either case, as printed by `xxd -p`, databases and programs.
  /// - Parameter head: the beginning of the text. If most of its lines have an odd number of characters, bytes go on in
  ///   the next line; a mark between most bytes separates them.
  package init(hex head: TextHead) {
    self.init(.hex)
    cursor = TextPosition(startOf: head.bytes.span.bytes)
    splitsGroups = (head.commonLineWidth ?? 0) % 2 == 1
    separator = head.separator ?? separator
  }

  /// - Parameter head: the beginning of the text, whose lines show whether they have whole groups.
  package init(base64 head: TextHead) {
    self.init(.base64)
    cursor = TextPosition(startOf: head.bytes.span.bytes)
    splitsGroups = head.commonLineWidth.map { $0 % 4 > 0 } ?? true
  }

  package mutating func read(_ text: RawSpan, from start: Int, into target: inout DecodedText) -> Int {
    swap(&target, &output)
    defer { swap(&target, &output) }
    let start = cursor.skipMark(from: start, to: text.byteCount)
    return read(text, start..<text.byteCount, isBounded: true)
  }

  package mutating func finish(into target: inout DecodedText) -> Bool {
    swap(&target, &output)
    endText(isCut: false)
    output.closeErrors()
    swap(&target, &output)
    return true
  }
}
