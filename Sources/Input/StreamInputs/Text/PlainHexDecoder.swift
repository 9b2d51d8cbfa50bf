import Basics
import PacketCapture

/// Decodes hex digits with white space or another mark between them, as printed by `xxd -p`, databases and programs.
package struct PlainHexDecoder: TextDecoder {
  private var cursor = TextCursor()
  private var mark: ByteOrderMark
  private var reader = HexReader()

  /// - Parameter head: the beginning of the text. If most of its lines have an odd number of characters, bytes go on in
  ///   the next line; a mark between most bytes separates them.
  package init(head: RawSpan) {
    mark = ByteOrderMark(of: head)
    reader.splitsBytes = (head.commonLineWidth ?? 0) % 2 == 1
    if let separator = HexCharacters(of: head).separator { reader.separator = separator }
  }

  package mutating func decode(_ text: RawSpan, from start: Int, into output: inout DecodedText) -> Int {
    let start = mark.skip(text, from: start, at: &cursor)
    return reader.read(text, start..<text.byteCount, at: &cursor, into: &output)
  }

  package mutating func finish(into output: inout DecodedText) -> Bool {
    reader.end(mayBeCut: true, into: &output)
    output.closeFaults()
    return true
  }

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

/// The characters of what may be plain hex.
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
