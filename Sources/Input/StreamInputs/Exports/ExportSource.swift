import Basics
import PacketCapture
import ProviderLogs

/// Streams exported by another tool. Memory does not grow with the file.
package struct ExportSource: StreamSource {
  private let format: ExportFormat
  private var decoder: any ExportDecoder
  private var events = ExportEvents()
  private var streams: ExportStreams
  private var isEmpty = true
  /// Unreadable parts, in the order of the file.
  package private(set) var faults: [InputFault] = []

  /// - Parameters:
  ///   - serverPorts: identify the server if the export does not.
  ///   - lines: how the lines of lists are read.
  package init(_ format: ExportFormat, serverPorts: Set<UInt16> = [], lines: LogOptions = LogOptions()) {
    self.format = format
    decoder = format.decoder(lines)
    streams = ExportStreams(
      serverPorts: serverPorts, unnamed: format.unnamedConnection, hasGapMarks: format.hasGapMarks)
  }

  package mutating func read(
    _ window: RawSpan, from start: Int, windowOffset: Int, isLast: Bool, into batch: inout EventBatch
  ) -> SourceStep {
    if window.byteCount > 0 { isEmpty = false }
    var index = start
    while index < window.byteCount {
      if batch.isFull { return .isFull(consumed: index) }
      index = decoder.read(window, from: index, into: &events)
      streams.drain(&events, into: &batch)
    }
    return isLast ? .ended(nil) : .needsBytes(consumed: index, needed: 1)
  }

  package mutating func finish(into batch: inout EventBatch) -> Bool {
    decoder.finish(into: &events)
    streams.drain(&events, into: &batch)
    streams.closeAll(to: &batch)
    faults = streams.faults
    // Text around streams is skipped, so another text would yield no fault.
    if streams.isEmpty, faults.isEmpty, !isEmpty {
      faults.append(
        InputFault(
          "contains no stream in the form of \(format.name); use --from auto to detect the format",
          fileOffset: 0))
    }
    return true
  }
}

/// Formats in which other tools write streams, by the names of `--from`.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// `tshark -z follow,tcp,raw,N`: lines of hex digits.
  case followRaw = "follow-raw"
  /// `tshark -z follow,tcp,hex,N`: a hex dump of both directions.
  case followHex = "follow-hex"
  /// `tshark -z follow,tcp,yaml,N`: packets with their numbers, times and base64.
  case followYAML = "follow-yaml"
  /// Wireshark's C arrays of a followed stream.
  case cArrays = "c-arrays"
  /// The log of `socat -x`, or of `socat -v -x`.
  case socat
  /// The output of `ssldump -d`.
  case ssldump
  /// A list with a token and its time in each line.
  case feedbackList = "feedback-list"

  /// Description, for messages.
  package var name: String {
    switch self {
    case .followRaw: "a stream that tshark followed, as raw hex lines"
    case .followHex: "a stream that tshark followed, as a hex dump"
    case .followYAML: "a stream that tshark followed, as YAML"
    case .cArrays: "a stream that Wireshark followed, as C arrays"
    case .socat: "a log of socat"
    case .ssldump: "the output of ssldump"
    case .feedbackList: "a list of tokens with times"
    }
  }

  func decoder(_ lines: LogOptions) -> any ExportDecoder {
    switch self {
    case .followRaw: LineSplitter(FollowText(frameless: .raw))
    case .followHex: LineSplitter(FollowText(frameless: .hex))
    case .followYAML: LineSplitter(FollowYAML())
    case .cArrays: LineSplitter(CArrays())
    case .socat: LineSplitter(SocatLog())
    case .ssldump: LineSplitter(SSLDump())
    case .feedbackList: FeedbackList(lines)
    }
  }

  /// Whether it was written by tshark's code, which marks gaps.
  var hasGapMarks: Bool {
    switch self {
    case .followRaw, .followHex, .followYAML, .cArrays: true
    case .socat, .ssldump, .feedbackList: false
    }
  }

  /// Defaults for a connection that the export does not name: ssldump's C and S are client and server.
  var unnamedConnection: ExportConnection { ExportConnection(server: self == .ssldump ? .second : nil) }
}

extension ExportFormat {
  /// The export that begins with `head` (`isWhole`: and has no more); nil if it is not an export.
  ///
  /// Each format is detected by a line that no other text has: tshark's frame, socat's header, ssldump's connection.
  /// Other lines may precede it, such as tshark's packet list. Streams without a frame are detected by Wireshark's
  /// hex dump layout, or by a mix of lines of hex digits with and without a tab. Hex that is indented throughout is a
  /// dump.
  package static func recognise(
    head: [UInt8], isWhole: Bool, lines: LogOptions = LogOptions()
  ) -> ExportFormat? {
    let text = head.span.bytes
    guard !text.hasControlCharacters || text.has("New TCP connection #") else { return nil }
    var probe = ExportProbe()
    var start = text.beginsWithByteOrderMark ? 3 : 0
    while start < text.byteCount {
      let newline = text.newlineIndex(from: start)
      // Ignore a line that is cut by the end of the head.
      if newline == nil, !isWhole { break }
      var end = newline ?? text.byteCount
      if end > start, text.byte(at: end &- 1) == ASCII.carriageReturn { end &-= 1 }
      if let format = probe.read(text.extracting(start..<end)) { return format }
      start = (newline ?? text.byteCount) &+ 1
    }
    return probe.frameless ?? (FeedbackList.recognises(head, isWhole: isWhole, lines) ? .feedbackList : nil)
  }
}

/// Detects the format from a text's first lines.
private struct ExportProbe {
  /// Kind of the previous line, which may decide about the next.
  private enum Before {
    case other, rule, socatHeader, peers, packet, array
  }

  private var before = Before.other
  /// Lines in Wireshark's frameless form, and others.
  private var rawLines = 0
  private var hexLines = 0
  /// Raw lines after a tab: of node 1.
  private var tabbed = 0
  private var others = 0

  /// The format if no line is decisive.
  var frameless: ExportFormat? {
    guard others == 0 else { return nil }
    if hexLines > 0, rawLines == 0 { return .followHex }
    return hexLines == 0 && tabbed > 0 && tabbed < rawLines ? .followRaw : nil
  }

  mutating func read(_ line: RawSpan) -> ExportFormat? {
    let before = self.before
    self.before = .other
    let start = line.skippingBlanks(from: 0)
    guard start < line.byteCount else { return nil }
    if let format = format(of: line, start, after: before) { return format }
    countFrameless(line, start)
    return nil
  }

  private mutating func format(of line: RawSpan, _ start: Int, after before: Before) -> ExportFormat? {
    switch before {
    case .rule where line.has("Follow: "):
      return line.end(of: ",hex", from: 8) == line.byteCount ? .followHex : .followRaw
    case .socatHeader where line.has(" ") && Digits.areHexPair(in: line, at: 1): return .socat
    case .peers where line.has("- peer:", at: start): return .followYAML
    case .array where CArrays.isValue(line, at: start): return .cArrays
    case .packet where PeerName(line, at: start) != nil: return .followYAML
    default: break
    }
    if SSLDumpLine.connection(line) != nil { return .ssldump }
    if CArrays.name(line, from: start) != nil, CArrays.declaration(line, from: start) != nil {
      return .cArrays
    }
    if RuledLine.isDrawn(with: "=", in: line) { self.before = .rule }
    if SocatHeader(line) != nil { self.before = .socatHeader }
    if line.has("peers:"), line.byteCount == 6 { self.before = .peers }
    if CArrays.declaration(line, from: start) != nil { self.before = .array }
    if line.has("# Packet ") { self.before = .packet }
    return nil
  }

  private mutating func countFrameless(_ line: RawSpan, _ start: Int) {
    if FollowHexBody.hasTextColumn(line, from: start) {
      hexLines += 1
    } else if FollowText.isBody(line, .raw), start == 0 || (start == 1 && line.has("\t")) {
      rawLines += 1
      if start > 0 { tabbed += 1 }
    } else {
      others += 1
    }
  }
}
