import Basics
import PacketCapture

/// Reads base64 (RFC 4648, section 4) and its URL-safe form (section 5), with white space anywhere. Data after padding
/// begins a new text, as in a file of several texts.
///
/// Errors in the text:
/// - another character replaces one of the four of its group: a fault, and a gap of 3 bytes.
/// - if lines consist of whole groups, a line that ends within a group lacks characters: a
///   fault and a gap of 3 bytes, and the next line begins a new group.
/// - a text that ends within a group yields the bytes before the end, and a fault unless it is URL-safe, where
///   padding is usually omitted.
///
/// Nonzero bits after the last byte of a padded group are not a fault: they are not data, and do not make the bytes
/// before them suspect.
struct Base64Reader: Sendable {
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

  private var group = Group()
  private var isURLSafe = false
  var linesHoldWholeGroups = false

  /// Reads `text` in `range`, or until `output` is full (`isBounded`). Returns the index after the last character read.
  /// - Parameter cursor: at the range's beginning; it is moved on.
  mutating func read(
    _ text: RawSpan, _ range: Range<Int>, at cursor: inout TextCursor, isBounded: Bool = true,
    into output: inout DecodedText
  ) -> Int {
    let base = cursor.fileOffset &- range.lowerBound
    var index = range.lowerBound
    while index < range.upperBound, !isBounded || !output.isFull {
      if group.count == 0 {
        let room = isBounded ? (output.room &+ 2) / 3 : .max
        index = readGroups(text, index..<range.upperBound, room, at: base &+ index, into: &output)
        if index == range.upperBound || isBounded && output.isFull { break }
      }
      cursor.fileOffset = base &+ index
      step(text.byte(at: index), at: &cursor, into: &output)
      index &+= 1
    }
    cursor.fileOffset = base &+ index
    return index
  }

  /// The text has ended. If it `isCut`, its last group certainly lacks characters.
  mutating func end(at cursor: TextCursor, isCut: Bool, into output: inout DecodedText) {
    if group.isDamaged {
      closeGroup(into: &output)
    } else if group.count == 1 || group.padding > 0 || (group.count > 0 && (isCut || !isURLSafe)) {
      output.fault(
        .textEndsWithinGroup(characters: group.count, isCertain: isCut), at: group.lineEnd ?? cursor.position)
    }
    appendGroup(into: &output)
    group = Group()
  }

  /// A line has ended whose groups are whole.
  mutating func endLine(at cursor: TextCursor, into output: inout DecodedText) {
    if group.count > 0 { abandonGroup(at: cursor.position, into: &output) }
  }

  /// Reads whole groups without white space or padding in `range`; returns the index after them.
  private mutating func readGroups(
    _ text: RawSpan, _ range: Range<Int>, _ mostGroups: Int, at fileOffset: Int,
    into output: inout DecodedText
  ) -> Int {
    let groups = min(range.count / 4, mostGroups)
    var seen: UInt8 = 0
    let count = output.append(upTo: 3 &* groups, at: fileOffset, spacing: Base64Alphabet.spacing) { bytes in
      var index = range.lowerBound
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
    return range.lowerBound &+ count / 3 &* 4
  }

  /// Reads the character at the cursor.
  private mutating func step(
    _ character: UInt8, at cursor: inout TextCursor, into output: inout DecodedText
  ) {
    let offset = cursor.fileOffset
    if ASCII.isWhiteSpace(character) {
      guard character == ASCII.newline else { return }
      if group.count > 0, group.lineEnd == nil { group.lineEnd = cursor.position(offset) }
      cursor.passNewline()
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
      output.fault(.expectedBase64(found: character, isPadded: group.padding > 0), at: position)
    }
    group.isDamaged = true
  }

  /// A line ended within the group, in a text whose lines have whole groups.
  private mutating func abandonGroup(at lineEnd: TextPosition, into output: inout DecodedText) {
    if !group.isDamaged {
      output.fault(
        "the line ends within a group of 4 characters, unlike the others: characters were lost or "
          + "inserted; bytes before this position may be wrong", at: lineEnd)
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
