import Basics
import PacketCapture

/// Reads the C arrays of Wireshark's followed streams:
///
///     char peer1_0[] = { /* Packet 4 */
///     0x51, 0x80, 0x96, 0x10 };
///
/// It reads character by character, so line breaks do not matter.
struct CArrays: ExportLines {
  private enum State {
    case outside
    /// In an array, before a value or after one.
    case between
    /// After `0`, after `0x`, after one digit, and after two.
    case zero, prefix
    case high(UInt8)
    case whole
    /// An invalid value, up to the next comma.
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
    if line.isEnd, line.isTerminated { endValue(at: line.position(index), into: &events) }
  }

  mutating func finish(at position: TextPosition, into events: inout ExportEvents) {
    if case .outside = state { return }
    events.fault(
      "the text ends within an array: it is truncated; the bytes before the end are used", at: position)
  }

  /// Only blanks are expected after the end of an array.
  private func readRest(
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    let start = text.skippingBlanks(from: start)
    guard start < text.byteCount, text.byte(at: start) != UInt8(ascii: ";") || start &+ 1 < text.byteCount
    else { return }
    let next = text.skippingBlanks(from: start &+ 1)
    if text.byte(at: start) == UInt8(ascii: ";"), next == text.byteCount { return }
    events.fault("unexpected text after an array; ignored", at: line.position(start))
  }

  /// `char peer1_0[] = {`, with `/* Packet 4 */` after it. Returns the index after that.
  private mutating func beginArray(
    _ text: RawSpan, of line: ExportLine, into events: inout ExportEvents
  ) -> Int? {
    let start = text.skippingBlanks(from: 0)
    guard start < text.byteCount else { return nil }
    guard let (name, brace) = Self.declaration(text, from: start) else {
      if !text.has("/", at: start), !text.has("#", at: start) {
        events.fault(#"expected "char peer0_0[] = {"; line skipped"#, at: line.position(start))
      }
      return nil
    }
    let packet = text.end(of: "Packet ", from: brace).flatMap { text.number(at: $0)?.value }
    peers.begin(
      name, packet.map { PacketReference(number: nil, original: $0) }, at: line.position(start), into: &events
    )
    state = .between
    return brace
  }

  /// The name declared by the line at `start`, and the index after its brace.
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
      endValue(at: line.position(index), into: &events)
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
      damage(character, at: line.position(index), into: &events)
    }
  }

  /// Ends the current value, if there is one.
  private mutating func endValue(at position: TextPosition, into events: inout ExportEvents) {
    switch state {
    case .outside, .comment, .between: break
    case .zero, .prefix, .high:
      damage(nil, at: position, into: &events)
      state = .between
    case .whole, .damaged: state = .between
    }
  }

  /// Reports an error in a value that was not added yet, or after one that was.
  /// - Parameter found: nil at the end of the value.
  private mutating func damage(_ found: UInt8?, at position: TextPosition, into events: inout ExportEvents) {
    let found = found.map(characterName) ?? "end of the value"
    events.fault("expected a byte as 0x and two hex digits, found \(found); byte skipped", at: position)
    if case .whole = state {} else { events.text.appendGap(length: 1, at: position.fileOffset) }
    state = .damaged
  }
}
