import Basics

/// Reads columns of hex pairs with one blank between them, `51 80 96`, and the text column after them, as tshark, socat
/// and ssldump print them. A damaged pair is an error and a gap of one byte, so later ones keep their offsets.
struct HexPairs: Sendable {
  static let bytesPerLine = 16

  /// Number of pairs before an extra blank; nil without one.
  private let halfway: Int?
  /// Distance from the first pair to the text column.
  private let textColumn: Int
  private var digits = DigitReader(.hex)

  init(halfway: Int? = nil, textColumn: Int) {
    (self.halfway, self.textColumn) = (halfway, textColumn)
    digits.hasPrefixes = false
  }

  /// Adds up to `maxCount` bytes, whose first pair is at `start`, to `output`. Returns their number, damaged ones
  /// included, and the index after them.
  mutating func read(
    _ text: RawSpan, from start: Int, maxCount: Int = bytesPerLine, of line: TextLine,
    into output: inout DecodedText
  ) -> (count: Int, end: Int) {
    let middle = halfway.map { start &+ 3 &* $0 &- 1 }
    let limit = min(text.byteCount, start &+ 3 &* maxCount &+ (halfway == nil ? 0 : 1))
    var end = start
    while end < limit, !text.has("  ", at: end) || end == middle { end &+= 1 }
    let (first, before) = (output.bytes.count, digits.byteCount)
    digits.read(text, start..<end, of: line, into: &output)
    let count = digits.byteCount &- before
    if count == output.bytes.count &- first, text.has("  ", at: end),
      text.skippingBlanks(from: end) < text.byteCount,
      let index = firstDifference(text, from: start &+ textColumn, with: output.bytes[first...]),
      index < text.byteCount || line.isTerminated
    {
      output.error(
        "hex digits and text column differ: one of them is damaged; the digits are used",
        at: line.position(index))
    }
    return (count, end)
  }

  /// Whether the line has such pairs at `start`, and its text column, if there is one, agrees with them.
  func agree(_ text: RawSpan, from start: Int, isCut: Bool = false) -> Bool {
    var (copy, output) = (self, DecodedText())
    var (count, end) = copy.read(text, from: start, of: TextLine(isTerminated: !isCut), into: &output)
    while end > start, ASCII.isBlank(text.byte(at: end &- 1)) { end &-= 1 }
    let extra = halfway.map { count > $0 ? 1 : 0 } ?? 0
    return count > 0 && end &- start == 3 &* count &- 1 &+ extra && !output.hasErrors
  }

  /// The index of the first character of the text column, at `column`, that does not match its byte. Trailing blanks
  /// stripped by an editor are assumed.
  private func firstDifference(_ text: RawSpan, from column: Int, with bytes: ArraySlice<UInt8>) -> Int? {
    for (position, byte) in bytes.enumerated() {
      let index = column &+ position &+ (position >= halfway ?? .max ? 1 : 0)
      let found = index < text.byteCount ? text.byte(at: index) : UInt8(ascii: " ")
      guard found == (ASCII.isPrintable(byte) ? byte : UInt8(ascii: ".")) else { return index }
    }
    return nil
  }
}
