import WireBytes

/// Reads a line of hex digits without blanks, piece by piece.
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
