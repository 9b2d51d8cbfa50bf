import Basics
import PacketCapture

/// Reads the application data in the output of `ssldump -d`, with any of -A, -e, -n, -x and -X:
///
///     New TCP connection #1: 192.0.2.1(40000) <-> 192.0.2.2(2196)
///     1 11 0.2913 (0.2683)  S>C  application_data
///         ---------------------------------------------------------------
///         53 72 4e 00 …    SrN.…
///         ---------------------------------------------------------------
///
/// Fully printable data are printed as text, indented, and the closing line then follows the last character directly,
/// unless that is a newline. All other lines are about the handshake.
struct SSLDump: ExportLines {
  private enum State {
    case outside
    /// After the header of an application data record: a ruled line must follow.
    case announced(TextPosition)
    /// Between the ruled lines: before the first line, and in either form.
    case opened, hex, text
  }

  private static let indent = 4
  private static let bytesPerLine = 16

  private var state = State.outside
  private var pairs = HexPairs(halfway: nil, textColumn: indent + 3 * bytesPerLine + 3)
  /// Whether the record's header ends with a carriage return; then those in its text are line ends, not data.
  private var hasReturns = false
  private let newline: [UInt8] = [ASCII.newline]

  mutating func read(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    switch state {
    case .outside:
      readOutside(text, of: line, into: &events)
    case .announced(let position):
      if text.has("    "), RuledLine.isDrawn(with: "-", in: text, from: Self.indent) {
        state = .opened
      } else {
        reportUndecrypted(at: position, into: &events)
        readOutside(text, of: line, into: &events)
      }
    case .opened, .hex, .text:
      readData(text, of: line, into: &events)
    }
  }

  mutating func finish(at position: TextPosition, into events: inout ExportEvents) {
    switch state {
    case .outside: break
    case .announced(let position): reportUndecrypted(at: position, into: &events)
    case .opened, .hex, .text:
      events.fault(
        "the text ends within a record: it is truncated; the bytes before the end are used", at: position)
    }
  }

  private mutating func reportUndecrypted(at position: TextPosition, into events: inout ExportEvents) {
    events.fault(
      "application data was not decrypted; give ssldump the key with -k or -l, and -d", at: position)
    state = .outside
  }

  private mutating func readOutside(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard line.isStart else { return }
    if let (key, connection) = SSLDumpLine.connection(text) {
      events.append(.begin(key: key, connection))
    } else if let record = SSLDumpLine(text) {
      begin(record, text, of: line, into: &events)
    }
  }

  private mutating func begin(
    _ record: SSLDumpLine, _ text: RawSpan, of line: TextLine, into events: inout ExportEvents
  ) {
    switch record.content {
    case .applicationData:
      events.append(.segment(key: record.key, record.side, record.packet))
      hasReturns = line.hasReturn
      state = .announced(line.position(0))
    case .fin: events.append(.finished(key: record.key, record.side))
    case .reset: events.append(.end(key: record.key))
    case .other: break
    }
  }

  /// A line between the ruled ones. `text` has no carriage return at its end; `line` knows of it.
  private mutating func readData(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    if line.isStart, text.has("    "), RuledLine.isDrawn(with: "-", in: text, from: Self.indent) {
      state = .outside
      return
    }
    if case .opened = state { state = isHex(text, isCut: !line.isTerminated) ? .hex : .text }
    if case .hex = state {
      let (count, _) = pairs.read(
        text, from: Self.indent, maxCount: Self.bytesPerLine, of: line, into: &events)
      if count == 0 {
        events.fault("expected hex pairs or the end of the record", at: line.position(0))
      }
    } else {
      readText(text, of: line, into: &events)
    }
  }

  /// A line of data printed as text.
  private mutating func readText(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    let start = line.isStart && text.has("    ") ? Self.indent : 0
    var end = text.byteCount
    var isClosed = false
    if let rule = Self.ruleStart(in: text), line.isEnd {
      end = rule
      isClosed = true
    }
    _ = events.text.append(
      upTo: max(0, end &- start), at: line.fileOffset &+ start, spacing: Stride(stride: 1)
    ) { bytes in
      for index in start..<max(start, end) { bytes.append(text.byte(at: index)) }
    }
    if isClosed {
      state = .outside
      return
    }
    guard line.isEnd, line.isTerminated else { return }
    if line.hasReturn, !hasReturns {
      events.text.append(ASCII.carriageReturn, at: line.fileOffset &+ end, stride: 1)
    }
    events.text.append(
      ASCII.newline, at: line.fileOffset &+ end &+ (line.hasReturn ? 1 : 0), stride: 1)
  }

  /// Start of a closing line that follows text without a newline.
  private static func ruleStart(in text: RawSpan) -> Int? {
    var start = text.byteCount
    while start > 0, text.byteCount &- start < ruleLength, text.byte(at: start &- 1) == UInt8(ascii: "-") {
      start &-= 1
    }
    return text.byteCount &- start == ruleLength ? start : nil
  }

  private static let ruleLength = 63

  /// Whether a record's first line is part of a hex dump: pairs with a blank after each (a truncated line may lack it),
  /// followed by the same bytes as text (or, with -X, by nothing).
  private func isHex(_ text: RawSpan, isCut: Bool) -> Bool {
    let isBlankLast = text.byteCount > 0 && ASCII.isBlank(text.byte(at: text.byteCount &- 1))
    let hasText = text.byteCount > Self.indent &+ 3 &* Self.bytesPerLine
    return text.has("    ") && (isCut || isBlankLast || hasText)
      && pairs.agree(text, from: Self.indent, maxCount: Self.bytesPerLine, isCut: isCut)
  }
}

/// A line of ssldump for a record or the end of a direction: `1 11 0.2913 (0.2683)  S>C V3.3(228)  application_data`,
/// `1    3.3543 (0.0000)  S>C  TCP FIN`.
struct SSLDumpLine {
  enum Content {
    case applicationData, fin, reset, other
  }

  /// A greater time counts from 1970 (ssldump -e), a smaller one from the start of the connection.
  private static let earliestTime = 100_000_000

  /// ssldump's number of the connection, from 1.
  var key: Int
  var side: Side
  var content: Content
  /// Nil if the time is relative.
  var packet: PacketReference?

  init?(_ text: RawSpan) {
    guard let (key, keyEnd) = text.number(at: 0), text.has(" ", at: keyEnd),
      let direction = Self.direction(text, from: keyEnd)
    else { return nil }
    self.key = key
    side = direction.side
    content = Self.content(text, from: direction.end)
    packet = Self.time(text, from: keyEnd).map { PacketReference(number: nil, time: $0) }
  }

  /// `C>S` or `S>C` after the time in parentheses.
  private static func direction(_ text: RawSpan, from start: Int) -> (side: Side, end: Int)? {
    guard let parenthesis = text.end(of: ")", from: start) else { return nil }
    let index = text.skippingBlanks(from: parenthesis)
    if text.has("C>S", at: index) || text.has("C->S", at: index) { return (.first, index &+ 3) }
    if text.has("S>C", at: index) || text.has("S->C", at: index) { return (.second, index &+ 3) }
    return nil
  }

  private static func content(_ text: RawSpan, from start: Int) -> Content {
    if text.end(of: "application_data", from: start) != nil { return .applicationData }
    if text.end(of: "TCP FIN", from: start) != nil { return .fin }
    if text.end(of: "TCP RST", from: start) != nil { return .reset }
    return .other
  }

  /// The last number before the parenthesis: the number of a record precedes the time.
  private static func time(_ text: RawSpan, from start: Int) -> CaptureTime? {
    var index = text.skippingBlanks(from: start)
    while let (number, end) = text.number(at: index) {
      if text.has(".", at: end) {
        return number >= earliestTime ? text.time(at: index, maxDigits: 6) : nil
      }
      index = text.skippingBlanks(from: end)
    }
    return nil
  }

  /// `New TCP connection #1: 192.0.2.1(40000) <-> 192.0.2.2(2196)`: the opener is first.
  static func connection(_ text: RawSpan) -> (key: Int, ExportConnection)? {
    guard text.has("New TCP connection #"), let (key, keyEnd) = text.number(at: 20),
      text.has(": ", at: keyEnd)
    else { return nil }
    var connection = ExportConnection(server: .second)
    if let arrow = text.end(of: " <-> ", from: keyEnd) {
      connection.peers.first = peer(text, keyEnd &+ 2..<arrow &- 5)
      connection.peers.second = peer(text, arrow..<text.byteCount)
    }
    return (key, connection)
  }

  /// `192.0.2.1(40000)`, or a name instead of the address.
  private static func peer(_ text: RawSpan, _ range: Range<Int>) -> ExportConnection.Peer {
    guard let parenthesis = text.end(of: "(", from: range.lowerBound), parenthesis <= range.upperBound,
      let (port, _) = text.number(at: parenthesis)
    else { return ExportConnection.Peer() }
    return ExportConnection.Peer(
      address: IPAddress(text.string(range.lowerBound..<parenthesis &- 1)), port: UInt16(exactly: port))
  }
}
