import Basics
import PacketCapture

/// Reads arrays of bytes in C: those of Wireshark's followed streams, and others as `xxd -i` writes them, each of which
/// is a stream of its own.
///
///     char peer1_0[] = { /* Packet 4 */
///     0x51, 0x80, 0x96, 0x10 };
struct CArrays: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  private enum Section { case outside, values, comment }

  private var state = Section.outside
  private var values = DigitReader(.hex)
  private var count = SideCount()

  init() { values.separator = UInt8(ascii: ",") }

  mutating func read(_ text: RawSpan) {
    var index = 0
    if state == .outside {
      guard line.isStart, let start = beginArray(text) else { return }
      index = start
    }
    while index < text.byteCount {
      switch state {
      case .outside: return error("unexpected text after an array; ignored", at: index)
      case .values: index = readValues(text, from: index)
      case .comment:
        let end = text.end(of: "*/", from: index)
        if end != nil { state = .values }
        index = end ?? text.byteCount
      }
    }
  }

  mutating func finish() {
    if state == .outside { return }
    error("the text ends within an array: it is truncated; the bytes before the end are used", at: 0)
  }

  /// Reads values up to a comment, or to the end of the array and its semicolon; returns the index after that.
  private mutating func readValues(_ text: RawSpan, from start: Int) -> Int {
    var end = start
    while end < text.byteCount, !text.has("}", at: end), !text.has("/*", at: end) { end &+= 1 }
    values.read(text, start..<end, of: line, into: &output)
    guard end < text.byteCount else { return end }
    if text.has("/*", at: end) {
      state = .comment
      return end &+ 2
    }
    values.endGroup(at: line.position(end), into: &output)
    state = .outside
    end = text.skippingBlanks(from: end &+ 1)
    return text.has(";", at: end) ? text.skippingBlanks(from: end &+ 1) : end
  }

  /// `char peer1_0[] = {`, with `/* Packet 4 */` after it. Returns the index after that.
  private mutating func beginArray(_ text: RawSpan) -> Int? {
    let start = text.skippingBlanks(from: 0)
    guard let brace = Self.declaration(text) else {
      // Comments precede arrays, and statements follow them.
      if start < text.byteCount, !count.isEmpty, text.end(of: ";", from: start) == nil,
        !text.has("/", at: start), !text.has("#", at: start)
      {
        error(#"expected "char peer0_0[] = {"; line skipped"#, at: start)
      } else {
        skip(text)
      }
      return nil
    }
    let name = Self.name(text) ?? PeerName(side: .second, segment: 0, end: brace)
    let packet = text.end(of: "Packet ", from: brace).flatMap { text.number(at: $0)?.value }
    count.begin(name, packet, at: line.position(start), into: &output)
    state = .values
    return brace
  }

  /// The index after the brace of an array that the line declares: `a[] = {`, `a[4] PROGMEM={`, `array<byte, 4> a = {`.
  static func declaration(_ text: RawSpan) -> Int? {
    guard let type = text.end(of: "]", from: 0) ?? text.end(of: ">", from: 0),
      let sign = text.end(of: "=", from: type)
    else { return nil }
    let brace = text.skippingBlanks(from: sign)
    return text.has("{", at: brace) ? brace &+ 1 : nil
  }

  static func name(_ text: RawSpan) -> PeerName? {
    text.end(of: "char ", from: 0).flatMap { PeerName(text, at: $0) }
  }
}
