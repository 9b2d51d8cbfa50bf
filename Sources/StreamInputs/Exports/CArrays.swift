import PacketCapture
import WireBytes

/// Reads the C arrays of Wireshark's followed streams:
///
///     char peer1_0[] = { /* Packet 4 */
///     0x51, 0x80, 0x96, 0x10 };
///
/// Character by character, so that it does not matter how the lines are broken.
struct CArrays: ExportLines {
  private enum State {
    case outside
    /// In an array, before a value or after one.
    case between
    /// A `0` was read, then `0x`, then one digit and two.
    case zero, prefix
    case high(UInt8)
    case whole
    /// Something that is no value, up to the next comma.
    case damaged
    case comment(CommentEnd)
  }

  /// How much of `*/` was read.
  private enum CommentEnd {
    case none, star
  }

  private var state = State.outside
  /// File offset of the value's first digit.
  private var digitOffset = 0
  private var peers = PeerCount()

  mutating func read(_ text: RawSpan, of line: ExportLine, into events: inout ExportEvents) {
    var index = 0
    if case .outside = state {
      guard line.isStart, let start = beginArray(text, of: line, into: &events) else { return }
      index = start
    }
    while index < text.byteCount {
      if case .outside = state { return readRest(text, from: index, of: line, into: &events) }
      step(text.byte(at: index), at: index, of: line, into: &events)
      index &+= 1
    }
    if line.isEnd, line.isTerminated { endValue(at: line.place(index), into: &events) }
  }

  mutating func finish(at place: TextPlace, into events: inout ExportEvents) {
    if case .outside = state { return }
    events.fault("the text ends within an array: it is cut; what is there is used", at: place)
  }

  /// After the end of an array nothing but blanks is expected.
  private func readRest(
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    let start = text.skippingBlanks(from: start)
    guard start < text.byteCount, text.byte(at: start) != UInt8(ascii: ";") || start &+ 1 < text.byteCount
    else { return }
    let behind = text.skippingBlanks(from: start &+ 1)
    if text.byte(at: start) == UInt8(ascii: ";"), behind == text.byteCount { return }
    events.fault(
      "the end of the line was expected behind an array; the rest is left out", at: line.place(start))
  }

  /// `char peer1_0[] = {`, with `/* Packet 4 */` after it. Returns the index after that.
  private mutating func beginArray(
    _ text: RawSpan, of line: ExportLine, into events: inout ExportEvents
  ) -> Int? {
    let start = text.skippingBlanks(from: 0)
    guard start < text.byteCount else { return nil }
    guard let (name, brace) = Self.declaration(text, from: start) else {
      if !text.holds("/", at: start), !text.holds("#", at: start) {
        events.fault("\"char peer0_0[] = {\" was expected; the line is left out", at: line.place(start))
      }
      return nil
    }
    let packet = text.end(of: "Packet ", from: brace).flatMap { text.number(at: $0)?.value }
    peers.begin(
      name, packet.map { PacketReference(number: nil, original: $0) }, at: line.place(start), into: &events)
    state = .between
    return brace
  }

  /// The name that the line at `start` declares, and the index after its brace.
  static func declaration(_ text: RawSpan, from start: Int) -> (PeerName, Int)? {
    guard let name = text.end(of: "char ", from: start).flatMap({ PeerName(text, at: $0) }),
      let brace = text.end(of: "{", from: name.end)
    else { return nil }
    return (name, brace)
  }

  private mutating func step(
    _ character: UInt8, at index: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    if case .comment(let end) = state { return passComment(character, end) }
    switch (state, character) {
    case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "}")):
      endValue(at: line.place(index), into: &events)
      if character == UInt8(ascii: "}") { state = .outside }
    case (.between, _) where ASCII.isBlank(character), (.whole, _) where ASCII.isBlank(character),
      (.damaged, _):
      break
    case (.between, UInt8(ascii: "/")):
      state = .comment(.none)
    case (.between, UInt8(ascii: "0")):
      state = .zero
    case (.zero, UInt8(ascii: "x")), (.zero, UInt8(ascii: "X")):
      state = .prefix
    default:
      readDigit(character, at: index, of: line, into: &events)
    }
  }

  private mutating func passComment(_ character: UInt8, _ end: CommentEnd) {
    if character == UInt8(ascii: "*") {
      state = .comment(.star)
    } else if character == UInt8(ascii: "/"), case .star = end {
      state = .between
    } else {
      state = .comment(.none)
    }
  }

  private mutating func readDigit(
    _ character: UInt8, at index: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    let value = Hex.value(ofDigit: character)
    if case .prefix = state, let value {
      digitOffset = line.fileOffset &+ index
      state = .high(value)
    } else if case .high(let high) = state, let value {
      events.text.append(high << 4 | value, at: digitOffset, stride: 6)
      state = .whole
    } else {
      damage(ASCII.name(character), at: line.place(index), into: &events)
    }
  }

  /// A value ends here, if one was begun.
  private mutating func endValue(at place: TextPlace, into events: inout ExportEvents) {
    switch state {
    case .outside, .comment, .between: break
    case .zero, .prefix, .high:
      damage("its end", at: place, into: &events)
      state = .between
    case .whole, .damaged: state = .between
    }
  }

  /// Reports something in a value that was not added yet, or after one that was.
  private mutating func damage(_ found: String, at place: TextPlace, into events: inout ExportEvents) {
    events.fault(
      "a byte as 0x and two hex digits was expected, and found was \(found); the byte is left out", at: place)
    if case .whole = state {} else { events.text.appendGap(length: 1, at: place.fileOffset) }
    state = .damaged
  }
}
