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
struct SSLDump: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  private enum Section {
    case outside
    /// After the header of an application data record: a ruled line must follow.
    case announced(TextPosition)
    /// Between the ruled lines: before the first line, and in either form.
    case opened, hex, text
  }

  private static let indent = 4
  private static let ruleLength = 63

  private var state = Section.outside
  private var pairs = HexPairs(textColumn: 3 * HexPairs.bytesPerLine + 3)
  /// Whether the record's header ends with a carriage return; then those in its text are line ends, not data.
  private var hasReturns = false

  mutating func read(_ text: RawSpan) {
    let isRule = line.isStart && text.has("    ") && text.isRule(of: "-", from: Self.indent)
    switch state {
    case .announced where isRule: state = .opened
    case .announced(let position):
      reportUndecrypted(at: position)
      fallthrough
    case .outside: readOutside(text)
    case .opened, .hex, .text: if isRule { state = .outside } else { readData(text) }
    }
  }

  mutating func finish() {
    switch state {
    case .outside: break
    case .announced(let position): reportUndecrypted(at: position)
    case .opened, .hex, .text:
      error("the text ends within a record: it is truncated; the bytes before the end are used", at: 0)
    }
  }

  private mutating func reportUndecrypted(at position: TextPosition) {
    output.error(
      "application data was not decrypted; give ssldump the key with -k or -l, and -d", at: position)
    state = .outside
  }

  private mutating func readOutside(_ text: RawSpan) {
    guard line.isStart else { return }
    if let (key, connection) = SSLDumpLine.connection(text) {
      return output.beginConnection(connection, key: key)
    }
    guard let event = SSLDumpLine(text) else { return }
    if text.end(of: "application_data", from: event.end) != nil {
      output.beginSegment(event.side, event.packet, key: event.key)
      hasReturns = line.hasReturn
      state = .announced(line.position(0))
    } else if text.end(of: "TCP FIN", from: event.end) != nil {
      output.append(.mark(.finished(key: event.key, event.side)))
    } else if text.end(of: "TCP RST", from: event.end) != nil {
      for side in Side.allCases { output.append(.mark(.finished(key: event.key, side))) }
    }
  }

  /// A line between the ruled ones. `text` has no carriage return at its end; `line` knows of it.
  private mutating func readData(_ text: RawSpan) {
    if case .opened = state { state = isHex(text, isCut: !line.isTerminated) ? .hex : .text }
    guard case .hex = state else { return readText(text) }
    if pairs.read(text, from: Self.indent, of: line, into: &output).count == 0 {
      error("expected hex pairs or the end of the record", at: 0)
    }
  }

  /// A line of data printed as text, whose last one may have the closing line after it.
  private mutating func readText(_ text: RawSpan) {
    let start = line.isStart && text.has("    ") ? Self.indent : 0
    let rule = text.byteCount &- Self.ruleLength
    let isClosed = line.isEnd && rule >= start && text.isRule(of: "-", from: rule)
    let end = isClosed ? rule : text.byteCount
    _ = output.append(upTo: end &- start, at: line.fileOffset &+ start, spacing: Stride(stride: 1)) { bytes in
      for index in start..<end { bytes.append(text.byte(at: index)) }
    }
    if isClosed { state = .outside }
    guard !isClosed, line.isEnd, line.isTerminated else { return }
    if line.hasReturn, !hasReturns {
      output.append(ASCII.carriageReturn, at: line.fileOffset &+ end, stride: 1)
    }
    output.append(ASCII.newline, at: line.fileOffset &+ end &+ (line.hasReturn ? 1 : 0), stride: 1)
  }

  /// Whether a record's first line is part of a hex dump: pairs with a blank after each (a truncated line may lack it),
  /// followed by the same bytes as text (or, with -X, by nothing).
  private func isHex(_ text: RawSpan, isCut: Bool) -> Bool {
    let isBlankLast = text.byteCount > 0 && ASCII.isBlank(text.byte(at: text.byteCount &- 1))
    let hasText = text.byteCount > Self.indent &+ 3 &* HexPairs.bytesPerLine
    return text.has("    ") && (isCut || isBlankLast || hasText)
      && pairs.agree(text, from: Self.indent, isCut: isCut)
  }
}

/// A line of ssldump for a record or the end of a direction: `1 11 0.2913 (0.2683)  S>C V3.3(228)  application_data`,
/// `1    3.3543 (0.0000)  S>C  TCP FIN`.
struct SSLDumpLine {
  /// A greater time counts from 1970 (ssldump -e), a smaller one from the start of the connection.
  private static let earliestTime = 100_000_000

  /// ssldump's number of the connection, from 1.
  var key: Int
  var side: Side
  /// Nil if the time is relative.
  var packet: PacketReference?
  /// The index of `C>S` or `S>C`, after which the kind of the record follows.
  var end: Int

  init?(_ text: RawSpan) {
    guard let (key, keyEnd) = text.number(at: 0), text.has(" ", at: keyEnd),
      let parenthesis = text.end(of: ")", from: keyEnd)
    else { return nil }
    end = text.skippingBlanks(from: parenthesis)
    if text.has("C>S", at: end) || text.has("C->S", at: end) {
      side = .first
    } else if text.has("S>C", at: end) || text.has("S->C", at: end) {
      side = .second
    } else {
      return nil
    }
    self.key = key
    // The number of a record precedes the time.
    var start = text.skippingBlanks(from: keyEnd)
    if let (_, end) = text.number(at: start), text.has(" ", at: end) {
      start = text.skippingBlanks(from: end)
    }
    if let (seconds, _) = text.number(at: start), seconds >= Self.earliestTime {
      packet = PacketReference(number: nil, time: text.time(at: start, maxDigits: 6))
    }
  }

  /// `New TCP connection #1: 192.0.2.1(40000) <-> 192.0.2.2(2196)`: the opener is first.
  static func connection(_ text: RawSpan) -> (key: Int, ExportConnection)? {
    guard text.has("New TCP connection #"), let (key, keyEnd) = text.number(at: 20),
      text.has(": ", at: keyEnd)
    else { return nil }
    var connection = ExportConnection(server: .second)
    if let arrow = text.end(of: " <-> ", from: keyEnd &+ 2) {
      connection.peers.first = ExportConnection.Peer(text, keyEnd &+ 2..<arrow &- 5, mark: "(")
      connection.peers.second = ExportConnection.Peer(text, arrow..<text.byteCount, mark: "(")
    }
    return (key, connection)
  }
}
