import Basics

/// Reads columns of hex pairs with one blank between them, `51 80 96`, as tshark, socat and ssldump print them. A
/// damaged pair is a fault and a gap of one byte, so later ones keep their offsets.
struct HexPairs {
  /// Number of pairs before an extra blank; nil without one.
  var halfway: Int?
  /// The index of the text column's first character in its line; nil without one.
  var textColumn: Int?

  /// Result of reading a line.
  struct Outcome {
    /// Bytes in the line, including damaged ones.
    var count = 0
    /// The index after the last one.
    var end: Int
    var isDamaged = false
  }

  /// Adds up to `maxCount` bytes, whose first pair is at `start`, to `events`.
  func read(
    _ text: RawSpan, from start: Int, maxCount: Int, of line: TextLine, into events: inout ExportEvents
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

  /// Reports the word in `range`, which is not a pair of digits; returns the number of bytes it replaces.
  private func damage(
    _ text: RawSpan, _ range: Range<Int>, of line: TextLine, into events: inout ExportEvents
  ) -> Int {
    let position = line.position(range.lowerBound)
    if range.upperBound == text.byteCount, range.count == 1, line.isEnd, !line.isTerminated {
      events.fault(.textEndsWithinByte, at: position)
      return 0
    }
    let length = (range.count &+ 1) / 2
    events.fault(
      "expected two hex digits, found \(range.count) characters, the first "
        + "\(characterName(text.byte(at: range.lowerBound))); \(Count.of(length, "byte")) skipped",
      at: position)
    events.text.appendGap(length: length, at: position.fileOffset)
    return length
  }

  /// Compares the text column with the digits: if they differ, one of them is damaged.
  private func compare(
    _ text: RawSpan, with first: Int, _ outcome: Outcome, of line: TextLine, into events: inout ExportEvents
  ) {
    guard let textColumn, text.has("  ", at: outcome.end),
      text.skippingBlanks(from: outcome.end) < text.byteCount,
      let index = firstDifference(text, from: textColumn, with: events.text.bytes[first...]),
      index < text.byteCount || line.isTerminated
    else { return }
    events.fault(
      "hex digits and text column differ: one of them is damaged; the digits are used",
      at: line.position(index))
  }

  /// The index of the first character of the text column that does not match its byte. Trailing blanks stripped by an
  /// editor are assumed.
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
