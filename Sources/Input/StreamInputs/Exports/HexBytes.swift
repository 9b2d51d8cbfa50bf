import Basics

/// Reads a line of hex digits without blanks, chunk by chunk.
///
/// A run of other characters is a fault and a gap, and counts as the same number of digits; a digit that loses its
/// partner to it is lost as well. A lone digit at the end of a line is a fault and a gap of one byte.
struct HexDigitRun: Sendable {
  private enum State: Sendable {
    case byteBoundary
    case high(UInt8, TextPosition)
    /// `digits` characters from the position on are not digits.
    case damaged(digits: Int, TextPosition)
  }

  private var state = State.byteBoundary

  mutating func read(
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    var index = start
    while index < text.byteCount {
      if case .byteBoundary = state {
        index &+=
          2
          &* events.text.appendHex(
            text, from: index, maxCount: (text.byteCount &- index) / 2, at: line.fileOffset &+ index)
        if index == text.byteCount { break }
      }
      step(text.byte(at: index), at: line.position(index), into: &events)
      index &+= 1
    }
    if line.isEnd { endLine(of: line, into: &events) }
  }

  private mutating func step(_ character: UInt8, at position: TextPosition, into events: inout ExportEvents) {
    let value = Hex.value(ofDigit: character)
    switch (state, value) {
    case (.byteBoundary, .some(let value)):
      state = .high(value, position)
    case (.byteBoundary, .none):
      damage(character, at: position, digits: 1, from: position, into: &events)
    case (.high(let high, let first), .some(let value)):
      events.text.append(high << 4 | value, at: first.fileOffset, stride: 2)
      state = .byteBoundary
    case (.high(_, let first), .none):
      damage(character, at: position, digits: 2, from: first, into: &events)
    case (.damaged(let digits, let first), .none):
      state = .damaged(digits: digits &+ 1, first)
    case (.damaged(let digits, _), .some(let value)):
      closeDamage(into: &events)
      // An odd run includes this digit's partner.
      state = digits % 2 == 0 ? .high(value, position) : .byteBoundary
    }
  }

  private mutating func damage(
    _ character: UInt8, at position: TextPosition, digits: Int, from first: TextPosition,
    into events: inout ExportEvents
  ) {
    events.fault("expected a hex digit, found \(characterName(character)); byte skipped", at: position)
    state = .damaged(digits: digits, first)
  }

  private mutating func endLine(of line: ExportLine, into events: inout ExportEvents) {
    if case .high(_, let position) = state {
      if line.isTerminated {
        events.fault("the line ends after one hex digit of two; byte skipped", at: position)
        events.text.appendGap(length: 1, at: position.fileOffset)
      } else {
        events.fault(.textEndsWithinByte, at: position)
      }
    }
    closeDamage(into: &events)
    state = .byteBoundary
  }

  private mutating func closeDamage(into events: inout ExportEvents) {
    guard case .damaged(let digits, let position) = state else { return }
    events.text.appendGap(length: (digits &+ 1) / 2, at: position.fileOffset)
    state = .byteBoundary
  }
}

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

  /// Reports the word in `range`, which is not a pair of digits; returns the number of bytes it replaces.
  private func damage(
    _ text: RawSpan, _ range: Range<Int>, of line: ExportLine, into events: inout ExportEvents
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
    _ text: RawSpan, with first: Int, _ outcome: Outcome, of line: ExportLine, into events: inout ExportEvents
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
