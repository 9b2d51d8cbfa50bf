import WireBytes

/// Reads columns of hex pairs with one blank between them, `51 80 96`, as tshark, socat and ssldump print
/// them. A pair that is damaged is a fault and a gap of one byte, so that those behind it keep their places.
struct HexPairs {
  /// Pairs in front of which one more blank stands; nil where there is no such place.
  var halfway: Int?
  /// The index of the text column's first character in its line; nil where there is none.
  var textColumn: Int?

  /// What became of a line.
  struct Outcome {
    /// Places of bytes in the line, damaged ones counted in.
    var count = 0
    /// The index behind the last one.
    var end: Int
    var isDamaged = false
  }

  /// Adds up to `maxCount` bytes, whose first pair stands at `start`, to `events`.
  func read(
    _ text: RawSpan, from start: Int, maxCount: Int, of line: ExportLine, into events: inout ExportEvents
  ) -> Outcome {
    let before = events.text.bytes.count
    var outcome = Outcome(end: start)
    var index = start
    while outcome.count < maxCount, index < text.byteCount, !ASCII.isBlank(text.byte(at: index)) {
      let end = HexPairs.wordEnd(in: text, from: index)
      if end &- index == 2,
        events.text.appendHex(text, from: index, maxCount: 1, at: line.fileOffset &+ index) == 1
      {
        outcome.count &+= 1
      } else {
        outcome.count &+= damage(text, index..<end, of: line, into: &events)
        outcome.isDamaged = true
      }
      outcome.end = end
      index = end &+ 1
      if outcome.count == halfway, index < text.byteCount, ASCII.isBlank(text.byte(at: index)) { index &+= 1 }
    }
    if !outcome.isDamaged { compare(text, with: before, outcome, of: line, into: &events) }
    return outcome
  }

  private static func wordEnd(in text: RawSpan, from start: Int) -> Int {
    var end = start
    while end < text.byteCount, !ASCII.isBlank(text.byte(at: end)) { end &+= 1 }
    return end
  }

  /// Reports the word in `range`, which is no pair of digits; returns how many bytes it stands for.
  private func damage(
    _ text: RawSpan, _ range: Range<Int>, of line: ExportLine, into events: inout ExportEvents
  ) -> Int {
    let place = line.place(range.lowerBound)
    if range.upperBound == text.byteCount, range.count == 1, line.isEnd, !line.isTerminated {
      events.fault(
        "the text ends with one hex digit of two: it is cut in the middle of a byte; what lies before it is used",
        at: place)
      return 0
    }
    let length = (range.count &+ 1) / 2
    events.fault(
      "two hex digits were expected, and found were \(range.count) characters, the first \(ASCII.name(text.byte(at: range.lowerBound))); "
        + "\(Count.of(length, "byte")) left out", at: place)
    events.text.appendGap(length: length, at: place.fileOffset)
    return length
  }

  /// The text column shows the same bytes a second time: where it does not agree, one of them is damaged.
  private func compare(
    _ text: RawSpan, with first: Int, _ outcome: Outcome, of line: ExportLine, into events: inout ExportEvents
  ) {
    guard let textColumn, text.holds("  ", at: outcome.end),
      text.skippingBlanks(from: outcome.end) < text.byteCount,
      let index = firstDifference(text, from: textColumn, with: events.text.bytes[first...]),
      index < text.byteCount || line.isTerminated
    else { return }
    events.fault(
      "hex digits and text column do not agree: one of them is damaged; the digits are used",
      at: line.place(index))
  }

  /// The index of the first character of the text column that does not stand for its byte. Blanks that an
  /// editor took from the line's end are taken as there.
  func firstDifference(_ text: RawSpan, from column: Int, with bytes: ArraySlice<UInt8>) -> Int? {
    var index = column
    for (position, byte) in bytes.enumerated() {
      if position == halfway { index &+= 1 }
      let found = index < text.byteCount ? text.byte(at: index) : UInt8(ascii: " ")
      guard found == (ASCII.isPrintable(byte) ? byte : UInt8(ascii: ".")) else { return index }
      index &+= 1
    }
    return nil
  }
}
