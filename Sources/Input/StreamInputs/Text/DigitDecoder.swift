import Basics
import PacketCapture

/// Decodes a text of digits, without offsets and other columns.
package struct DigitDecoder: TextDecoder {
  private var cursor: TextCursor
  private var reader: DigitReader

  /// Hex digits of either case, as printed by `xxd -p`, databases and programs.
  /// - Parameter head: the beginning of the text. If most of its lines have an odd number of characters, bytes go on in
  ///   the next line; a mark between most bytes separates them.
  package init(hex head: RawSpan) {
    (cursor, reader) = (TextCursor(of: head), DigitReader(.hex))
    reader.splitsGroups = (head.commonLineWidth ?? 0) % 2 == 1
    if let separator = HexCharacters(of: head).separator { reader.separator = separator }
  }

  /// - Parameter head: the beginning of the text, whose lines show whether they have whole groups.
  package init(base64 head: RawSpan) {
    (cursor, reader) = (TextCursor(of: head), DigitReader(.base64))
    reader.splitsGroups = head.commonLineWidth.map { $0 % 4 > 0 } ?? true
  }

  package mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    let start = cursor.skipMark(from: start, to: text.byteCount)
    return reader.read(text, start..<text.byteCount, at: &cursor, into: &output)
  }

  package mutating func finish(into output: inout DecodedText) -> Bool {
    reader.finish(at: cursor, into: &output)
    output.closeFaults()
    return true
  }
}

/// Detects hex digits without offsets.
package enum PlainHex {
  /// Whether a file that begins with `head` is plain hex: at least 4 digits, and nothing else but white space, a mark
  /// between bytes, and prefixes; or at least 32 digits among few other characters, so that damaged hex text is
  /// reported as such, and not read as raw bytes.
  package static func recognises(_ head: RawSpan) -> Bool {
    guard !head.hasControlCharacters else { return false }
    let found = HexCharacters(of: head)
    let marks = found.separator == nil ? found.marks : found.marks - found.separators
    if found.letters + marks == 0 { return found.digits >= 4 }
    return found.digits >= 32
      && found.digits >= HexCharacters.digitsPerLetter * found.letters + HexCharacters.digitsPerMark * marks
  }
}

/// Counts the characters of a text, to decide whether it is plain hex.
private struct HexCharacters {
  /// Minimum number of digits per other character for it to count as damage: for a letter or a byte outside ASCII,
  /// which may replace a digit; and for punctuation, which other formats use (a CSV line of a time and a 64-digit
  /// token has a comma in 75 characters).
  static let digitsPerLetter = 24
  static let digitsPerMark = 256
  private static let separating = Array(":,;-".utf8)
  /// A separator is in groups of at most this many digits, and in lines this often: dates, times, addresses of networks
  /// and UUIDs have fewer.
  private static let digitsPerSeparator = 4
  private static let separatorsPerLine = 7

  var digits = 0
  var letters = 0
  var marks = 0
  /// The number of the most frequent mark that may separate bytes; the mark itself, if it does.
  private(set) var separators = 0
  private(set) var separator: UInt8?

  init(of head: RawSpan) {
    var counts = [0, 0, 0, 0]
    let lines = head.lines(isWhole: true)
    for line in lines {
      var index = line.lowerBound
      while index < line.upperBound { index += take(head, at: index, &counts) }
    }
    guard let most = counts.indices.max(by: { counts[$0] < counts[$1] }) else { return }
    separators = counts[most]
    let isRegular =
      separators >= Self.separatorsPerLine * max(1, lines.count - 1)
      && separators * Self.digitsPerSeparator >= digits
    separator = isRegular ? Self.separating[most] : nil
  }

  /// Counts the character at `index`, or the prefix `\x`, or `0x` at the start of a group; returns its length.
  private mutating func take(_ text: RawSpan, at index: Int, _ counts: inout [Int]) -> Int {
    let character = text.byte(at: index)
    if index + 1 < text.byteCount, text.byte(at: index + 1) | 0x20 == UInt8(ascii: "x") {
      let before = index == 0 ? UInt8(ascii: " ") : text.byte(at: index - 1)
      let isGroupStart = ASCII.isWhiteSpace(before) || Self.separating.contains(before)
      if character == UInt8(ascii: "\\") || character == UInt8(ascii: "0") && isGroupStart { return 2 }
    }
    if Hex.value(ofDigit: character) != nil {
      digits += 1
    } else if ASCII.isWhiteSpace(character) {
    } else if ASCII.isPrintable(character), !ASCII.isWordCharacter(character) {
      marks += 1
      if let position = Self.separating.firstIndex(of: character) { counts[position] += 1 }
    } else {
      letters += 1
    }
    return 1
  }
}

/// Detects base64.
package enum Base64 {
  /// Minimum length of a single line whose length is not a multiple of 4, as its end may be cut.
  private static let shortestOddLine = 40
  /// Minimum number of base64 characters per other character for it to count as damage.
  private static let charactersPerDamage = 256
  /// One in this number of lines may have another length than the rest, such as one that lost a character.
  private static let linesPerOddLine = 8

  /// Whether a file that begins with `head` is base64: at least 8 characters of one of its alphabets and hardly any
  /// other, no blanks within lines, and lines of one length that is a multiple of 4. The last line may be shorter, and
  /// so may one that ends in padding.
  ///
  /// Upper-case letters, lower-case letters, and digits or marks must all occur, so that a list of words is not
  /// detected as base64. The shortest dump, a tuple of 38 bytes with a random token, lacks one of them in less than
  /// one case of 10,000.
  package static func recognises(_ head: RawSpan) -> Bool {
    guard !head.hasControlCharacters else { return false }
    var (capitals, small, others, invalid) = (0, 0, 0, 0)
    var lines: [(width: Int, isPadded: Bool)] = []
    for line in head.lines(isWhole: true) {
      let start = head.skippingBlanks(from: line.lowerBound)
      for index in start..<line.upperBound {
        switch head.byte(at: index) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): capitals += 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"): small += 1
        case UInt8(ascii: "="): others += 1
        case ASCII.carriageReturn: break
        case UInt8(ascii: " "), UInt8(ascii: "\t"): invalid += head.byteCount
        case let other where Digits.base64[Int(other)] & Digits.isInvalid != 0: invalid += 1
        default: others += 1
        }
      }
      lines.append((line.upperBound - start, head.byte(at: line.upperBound - 1) == UInt8(ascii: "=")))
    }
    let total = capitals + small + others
    return total >= 8 && capitals > 0 && small > 0 && others > 0 && invalid * charactersPerDamage <= total
      && areEven(lines, width: head.commonLineWidth)
  }

  /// Whether the lines have one length, as tools wrap them.
  private static func areEven(_ lines: [(width: Int, isPadded: Bool)], width: Int?) -> Bool {
    guard let last = lines.last else { return false }
    if lines.count == 1 { return last.width % 4 == 0 || last.width >= shortestOddLine }
    guard let width, width % 4 == 0, last.width <= width else { return false }
    let odd = lines.dropLast().count { $0.width != width && !($0.isPadded && $0.width < width) }
    return odd * linesPerOddLine <= lines.count
  }
}
