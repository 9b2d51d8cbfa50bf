import Basics
import PacketCapture

/// Decodes base64 (RFC 4648, section 4) and its URL-safe form (section 5), with white space anywhere. Data after
/// padding begins a new text, as in a file of several texts.
///
/// Errors in the text:
/// - another character replaces one of the four of its group: a fault, and a gap of 3 bytes.
/// - if the lines of the text's head consist of whole groups, a line that ends within a group lacks characters: a
///   fault and a gap of 3 bytes, and the next line begins a new group.
/// - a text that ends within a group yields the bytes before the end, and a fault unless it is URL-safe, where
///   padding is usually omitted.
///
/// Nonzero bits after the last byte of a padded group are not a fault: they are not data, and do not make the bytes
/// before them suspect.
package struct Base64Decoder: HeadedTextDecoder {
  /// The characters read of a group of four.
  private struct Group: Sendable {
    var count = 0
    /// The characters' values, the last one lowest.
    var bits: UInt32 = 0
    /// File offsets of the four characters.
    var offsets = SIMD4<Int>()
    /// Number of `=`.
    var padding = 0
    var isDamaged = false
    /// The end of a line within this group.
    var lineEnd: TextPosition?
  }

  var head = TextHead()
  private var cursor = TextCursor()
  private var faults = FaultLog()
  private var group = Group()
  private var linesHoldWholeGroups = false
  private var isURLSafe = false

  package init() {}

  mutating func study(_ head: RawSpan, isWhole: Bool) {
    if let width = head.commonLineWidth { linesHoldWholeGroups = width % 4 == 0 }
    if head.beginsWithByteOrderMark {
      cursor.skip(byteOrderMark: 3)
      self.head.readCount = 3
    }
  }

  mutating func read(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    let base = cursor.fileOffset &- start  // file offset of the block's first byte
    var index = start
    while index < text.byteCount, !output.isFull {
      if group.count == 0 {
        index = readGroups(text, from: index, at: base &+ index, into: &output)
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
    let position = group.lineEnd ?? cursor.position
    if group.isDamaged {
      closeGroup(into: &output)
    } else if group.count == 1 || group.padding > 0 || (group.count > 0 && !isURLSafe) {
      faults.report(
        .textEndsWithinGroup(characters: group.count, isCertain: false), at: position, into: &output)
    }
    appendGroup(into: &output)
    group = Group()
    faults.close(into: &output)
    return true
  }

  /// Reads whole groups without white space or padding from `start` on; returns the index after them.
  private mutating func readGroups(
    _ text: RawSpan, from start: Int, at fileOffset: Int, into output: inout DecodedText
  ) -> Int {
    let groups = min((text.byteCount &- start) / 4, (output.room &+ 2) / 3)
    var seen: UInt8 = 0
    let count = output.append(upTo: 3 &* groups, at: fileOffset, spacing: Base64Alphabet.spacing) { bytes in
      var index = start
      for _ in 0..<groups {
        let (bits, marks) = Base64Alphabet.group(in: text, at: index)
        guard marks & Base64Alphabet.isInvalid == 0 else { break }
        seen |= marks
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        index &+= 4
      }
    }
    if seen & Base64Alphabet.isURLSafe != 0 { isURLSafe = true }
    return start &+ count / 3 &* 4
  }

  /// Reads the character at the cursor.
  private mutating func step(_ character: UInt8, into output: inout DecodedText) {
    let offset = cursor.fileOffset
    if ASCII.isWhiteSpace(character) {
      guard character == ASCII.newline else { return }
      if group.count > 0, group.lineEnd == nil { group.lineEnd = cursor.position(offset) }
      cursor.passNewline(at: offset)
      return
    }
    if linesHoldWholeGroups, let lineEnd = group.lineEnd { abandonGroup(at: lineEnd, into: &output) }
    group.offsets[group.count] = offset
    group.count += 1
    let value = Base64Alphabet.values[Int(character)]
    if character == UInt8(ascii: "="), group.count > 2 {
      group.padding += 1
    } else if value & Base64Alphabet.isInvalid != 0 || group.padding > 0 {
      damageGroup(character, at: cursor.position(offset), into: &output)
    } else {
      isURLSafe = isURLSafe || value & Base64Alphabet.isURLSafe != 0
      group.bits = group.bits << 6 | UInt32(value & 63)
    }
    if group.count == 4 { closeGroup(into: &output) }
  }

  private mutating func damageGroup(
    _ character: UInt8, at position: TextPosition, into output: inout DecodedText
  ) {
    if !group.isDamaged {
      faults.report(
        .expectedBase64(found: character, isPadded: group.padding > 0), at: position, into: &output)
    }
    group.isDamaged = true
  }

  /// A line ended within the group, in a text whose lines have whole groups.
  private mutating func abandonGroup(at lineEnd: TextPosition, into output: inout DecodedText) {
    if !group.isDamaged {
      faults.report(
        "the line ends within a group of 4 characters, unlike the others: characters were lost or "
          + "inserted; bytes before this position may be wrong", at: lineEnd, into: &output)
    }
    group.isDamaged = true
    closeGroup(into: &output)
  }

  private mutating func closeGroup(into output: inout DecodedText) {
    if group.isDamaged {
      output.appendGap(length: 3, at: group.offsets[0])
    } else {
      appendGroup(into: &output)
    }
    group = Group()
  }

  /// Adds the bytes of the group: one less than there are characters.
  private func appendGroup(into output: inout DecodedText) {
    let characters = group.count - group.padding
    guard characters > 1 else { return }
    let bits = group.bits << UInt32(6 * (4 - characters))
    for index in 0..<characters - 1 {
      let byte = UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))
      output.append(byte, at: group.offsets[index], stride: 1)
    }
  }
}

/// The base64 characters and their values.
enum Base64Alphabet {
  /// Marks in addition to the six bits of a value: the character is not base64; it is `-` or `_`, which only the
  /// URL-safe alphabet has.
  static let isInvalid: UInt8 = 0x80
  static let isURLSafe: UInt8 = 0x40

  /// Three bytes are located at the first three of every four characters.
  static let spacing = Stride(stride: 1, groupSize: 3, groupStride: 4)

  /// The value of each byte of text, 0 to 63, with its marks.
  static let values: InlineArray<256, UInt8> = {
    let standard: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    var values = InlineArray<256, UInt8>(repeating: isInvalid)
    for value in 0..<64 { values[Int(standard.utf8Start[value])] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62 | isURLSafe
    values[Int(UInt8(ascii: "_"))] = 63 | isURLSafe
    return values
  }()

  /// The 24 bits of the four characters at `index` of `text`, and the marks of all of them.
  @inline(__always)
  static func group(in text: RawSpan, at index: Int) -> (bits: UInt32, marks: UInt8) {
    let word = UInt32(
      littleEndian: text.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
    let first = values[Int(word & 0xff)]
    let second = values[Int(word &>> 8 & 0xff)]
    let third = values[Int(word &>> 16 & 0xff)]
    let fourth = values[Int(word &>> 24)]
    let bits =
      UInt32(first & 63) &<< 18 | UInt32(second & 63) &<< 12 | UInt32(third & 63) &<< 6 | UInt32(fourth & 63)
    return (bits, (first | second | third | fourth) & 0xc0)
  }
}

extension Base64Decoder {
  /// Minimum length of a single line whose length is not a multiple of 4, as its end may be cut.
  private static let shortestOddLine = 40
  /// Minimum number of base64 characters per other character for it to count as damage.
  private static let charactersPerDamage = 256
  /// One in this number of lines may have another length than the rest, such as one that lost a character.
  private static let linesPerOddLine = 8

  /// Whether a file that begins with `head` (`isWhole`: and has no more) is base64: at least 8 characters of one of
  /// its alphabets and hardly any other, no blanks, and lines of one length that is a multiple of 4. The last line
  /// may be shorter, and so may one that ends in padding.
  ///
  /// Upper-case letters, lower-case letters, and digits or marks must all occur, so that a list of words is not
  /// detected as base64. The shortest dump, a tuple of 38 bytes with a random token, lacks one of them in less than
  /// one case of 10,000.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    guard !head.hasControlCharacters else { return false }
    let characters = Characters(of: head)
    let total = characters.capitals + characters.small + characters.others
    guard total >= 8, !characters.hasBlanks, characters.hasAllKinds,
      characters.invalid * charactersPerDamage <= total
    else { return false }
    return hasEvenLines(head)
  }

  /// Whether the lines have one length, as tools wrap them.
  private static func hasEvenLines(_ head: RawSpan) -> Bool {
    let widths = lineWidths(of: head)
    guard let last = widths.last else { return false }
    if widths.count == 1 { return last.width % 4 == 0 || last.width >= shortestOddLine }
    guard let width = head.commonLineWidth, width % 4 == 0, last.width <= width else { return false }
    let odd = widths.dropLast().count { $0.width != width && !($0.isPadded && $0.width < width) }
    return odd * linesPerOddLine <= widths.count
  }

  /// The number of characters in each line that is not empty, and whether its last one is `=`.
  private static func lineWidths(of head: RawSpan) -> [(width: Int, isPadded: Bool)] {
    var widths: [(width: Int, isPadded: Bool)] = []
    var width = 0
    var isPadded = false
    for index in (head.beginsWithByteOrderMark ? 3 : 0)..<head.byteCount {
      let character = head.byte(at: index)
      if character == ASCII.newline {
        if width > 0 { widths.append((width, isPadded)) }
        width = 0
      } else if character != ASCII.carriageReturn {
        width += 1
        isPadded = character == UInt8(ascii: "=")
      }
    }
    if width > 0 { widths.append((width, isPadded)) }
    return widths
  }
}

/// Counts of the kinds of characters in a text.
private struct Characters {
  var capitals = 0
  var small = 0
  /// Digits, and other base64 characters.
  var others = 0
  /// Characters outside base64.
  var invalid = 0
  var hasBlanks = false

  var hasAllKinds: Bool { capitals > 0 && small > 0 && others > 0 }

  init(of text: RawSpan) {
    for index in (text.beginsWithByteOrderMark ? 3 : 0)..<text.byteCount {
      let character = text.byte(at: index)
      switch character {
      case ASCII.newline, ASCII.carriageReturn: break
      case UInt8(ascii: " "), UInt8(ascii: "\t"): hasBlanks = true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): capitals += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"): small += 1
      case UInt8(ascii: "="): others += 1
      default:
        let isInvalid = Base64Alphabet.values[Int(character)] & Base64Alphabet.isInvalid != 0
        if isInvalid { invalid += 1 } else { others += 1 }
      }
    }
  }
}
