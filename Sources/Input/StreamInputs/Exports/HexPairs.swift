import Basics

/// Reads columns of hex pairs with one blank between them, `51 80 96`, as tshark, socat and ssldump print them. A
/// damaged pair is a fault and a gap of one byte, so later ones keep their offsets.
struct HexPairs {
  /// Number of pairs before an extra blank; nil without one.
  private let halfway: Int?
  /// The index of the text column's first character in its line.
  private let textColumn: Int
  private var digits = DigitReader(.hex)

  init(halfway: Int?, textColumn: Int) {
    (self.halfway, self.textColumn) = (halfway, textColumn)
    digits.hasPrefixes = false
  }

  /// Adds up to `maxCount` bytes, whose first pair is at `start`, to `events`. Returns their number, damaged ones
  /// included, and the index after them.
  mutating func read(
    _ text: RawSpan, from start: Int, maxCount: Int, of line: TextLine, into events: inout ExportEvents
  ) -> (count: Int, end: Int) {
    let middle = halfway.map { start &+ 3 &* $0 &- 1 }
    let limit = min(text.byteCount, start &+ 3 &* maxCount &+ (halfway == nil ? 0 : 1))
    var end = start
    while end < limit, !text.has("  ", at: end) || end == middle { end &+= 1 }
    let (first, before) = (events.text.bytes.count, digits.byteCount)
    digits.read(text, start..<end, of: line, into: &events.text)
    let count = digits.byteCount &- before
    if count == events.text.bytes.count &- first, text.has("  ", at: end),
      text.skippingBlanks(from: end) < text.byteCount,
      let index = firstDifference(text, with: events.text.bytes[first...]),
      index < text.byteCount || line.isTerminated
    {
      events.fault(
        "hex digits and text column differ: one of them is damaged; the digits are used",
        at: line.position(index))
    }
    return (count, end)
  }

  /// Whether the line has such pairs at `start`, and its text column, if there is one, agrees with them.
  func agree(_ text: RawSpan, from start: Int, maxCount: Int, isCut: Bool) -> Bool {
    var (copy, events) = (self, ExportEvents())
    let line = TextLine(
      cursor: TextCursor(), isStart: true, isEnd: true, isTerminated: !isCut, hasReturn: false)
    var (count, end) = copy.read(text, from: start, maxCount: maxCount, of: line, into: &events)
    while end > start, ASCII.isBlank(text.byte(at: end &- 1)) { end &-= 1 }
    let extra = halfway.map { count > $0 ? 1 : 0 } ?? 0
    return count > 0 && end &- start == 3 &* count &- 1 &+ extra && !events.text.hasFaults
  }

  /// The index of the first character of the text column that does not match its byte. Trailing blanks stripped by an
  /// editor are assumed.
  private func firstDifference(_ text: RawSpan, with bytes: ArraySlice<UInt8>) -> Int? {
    var index = textColumn
    for (position, byte) in bytes.enumerated() {
      if position == halfway { index &+= 1 }
      let found = index < text.byteCount ? text.byte(at: index) : UInt8(ascii: " ")
      guard found == (ASCII.isPrintable(byte) ? byte : UInt8(ascii: ".")) else { return index }
      index &+= 1
    }
    return nil
  }
}
