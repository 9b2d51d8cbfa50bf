import WireBytes

/// Reads a line of hex digits without blanks, chunk by chunk.
///
/// What it makes of other characters: a run of them is a fault and a gap, and taken to stand in the place of as
/// many digits; a digit that loses its partner to it goes with it. A lone digit at a line's end is a fault
/// and a gap of one byte.
struct HexDigitRun: Sendable {
  private enum State: Sendable {
    case byteBoundary
    case high(UInt8, TextPlace)
    /// `digits` places of digits hold something else, from the place on.
    case damaged(digits: Int, TextPlace)
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
      step(text.byte(at: index), at: line.place(index), into: &events)
      index &+= 1
    }
    if line.isEnd { endLine(of: line, into: &events) }
  }

  private mutating func step(_ character: UInt8, at place: TextPlace, into events: inout ExportEvents) {
    let value = Hex.value(ofDigit: character)
    switch (state, value) {
    case (.byteBoundary, .some(let value)):
      state = .high(value, place)
    case (.byteBoundary, .none):
      damage(character, at: place, digits: 1, from: place, into: &events)
    case (.high(let high, let first), .some(let value)):
      events.text.append(high << 4 | value, at: first.fileOffset, stride: 2)
      state = .byteBoundary
    case (.high(_, let first), .none):
      damage(character, at: place, digits: 2, from: first, into: &events)
    case (.damaged(let digits, let first), .none):
      state = .damaged(digits: digits &+ 1, first)
    case (.damaged(let digits, _), .some(let value)):
      closeDamage(into: &events)
      // An odd run took the partner of this digit.
      state = digits % 2 == 0 ? .high(value, place) : .byteBoundary
    }
  }

  private mutating func damage(
    _ character: UInt8, at place: TextPlace, digits: Int, from first: TextPlace,
    into events: inout ExportEvents
  ) {
    events.fault(
      "a hex digit was expected, and found was \(ASCII.name(character)); the byte is left out", at: place)
    state = .damaged(digits: digits, first)
  }

  private mutating func endLine(of line: ExportLine, into events: inout ExportEvents) {
    if case .high(_, let place) = state {
      if line.isTerminated {
        events.fault("the line ends with one hex digit of two; the byte is left out", at: place)
        events.text.appendGap(length: 1, at: place.fileOffset)
      } else {
        events.fault(
          "the text ends with one hex digit of two: it is cut in the middle of a byte; what lies before it is "
            + "used", at: place)
      }
    }
    closeDamage(into: &events)
    state = .byteBoundary
  }

  private mutating func closeDamage(into events: inout ExportEvents) {
    guard case .damaged(let digits, let place) = state else { return }
    events.text.appendGap(length: (digits &+ 1) / 2, at: place.fileOffset)
    state = .byteBoundary
  }
}

/// Reads columns of hex pairs with one blank between them, `51 80 96`, as tshark, socat and ssldump print
/// them. A pair that is damaged is a fault and a gap of one byte, so that those after it keep their places.
struct HexPairs {
  /// Pairs in front of which one more blank stands; nil where there is no such place.
  var halfway: Int?
  /// The index of the text column's first character in its line; nil where there is none.
  var textColumn: Int?

  /// What became of a line.
  struct Outcome {
    /// Places of bytes in the line, damaged ones counted in.
    var count = 0
    /// The index after the last one.
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
