import WireBytes

extension ExportFormat {
  /// What export begins with `head` (`isWhole`: and has no more); nil where it is none.
  ///
  /// Each is told by a line that no other text has: tshark's frame, socat's header, ssldump's connection. Other
  /// lines may come before it, as when tshark prints its packet list, too. Streams without
  /// a frame are told by the layout of their hex dump, which is Wireshark's, or where lines of hex digits
  /// with a tab and without one mix. Hex that is indented throughout is a dump.
  package static func recognise(head: [UInt8], isWhole: Bool) -> ExportFormat? {
    let text = head.span.bytes
    guard !text.holdsControlCharacters || text.holds("New TCP connection #") else { return nil }
    var probe = ExportProbe()
    var start = text.beginsWithByteOrderMark ? 3 : 0
    while start < text.byteCount {
      let newline = text.newlineIndex(from: start)
      // What the head's end cuts says nothing.
      if newline == nil, !isWhole { break }
      var end = newline ?? text.byteCount
      if end > start, text.byte(at: end &- 1) == ASCII.carriageReturn { end &-= 1 }
      if let format = probe.read(text.extracting(start..<end)) { return format }
      start = (newline ?? text.byteCount) &+ 1
    }
    return probe.frameless
  }
}

/// Reads a text's first lines for what tells its format.
private struct ExportProbe {
  /// Whether the line before is one behind which the next decides.
  private enum Before {
    case other, rule, socatHeader, peers, packet
  }

  private var before = Before.other
  /// Lines that are what Wireshark writes without a frame, and those that are not.
  private var rawLines = 0
  private var hexLines = 0
  /// Raw lines behind a tab: of node 1.
  private var tabbed = 0
  private var others = 0

  /// What is told if no line tells it.
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
    if let format = decides(line, start, behind: before) { return format }
    countFrameless(line, start)
    return nil
  }

  private mutating func decides(_ line: RawSpan, _ start: Int, behind before: Before) -> ExportFormat? {
    switch before {
    case .rule where line.holds("Follow: "):
      return line.end(of: ",hex", from: 8) == line.byteCount ? .followHex : .followRaw
    case .socatHeader where line.holds(" ") && Self.isPair(line, at: 1): return .socat
    case .peers where line.holds("- peer:", at: start): return .followYAML
    case .packet where PeerName(line, at: start) != nil: return .followYAML
    default: break
    }
    if SSLDumpLine.connection(line) != nil { return .ssldump }
    if CArrays.declaration(line, from: start) != nil { return .cArrays }
    if RuledLine.isDrawn(with: "=", in: line) { self.before = .rule }
    if SocatHeader(line) != nil { self.before = .socatHeader }
    if line.holds("peers:"), line.byteCount == 6 { self.before = .peers }
    if line.holds("# Packet ") { self.before = .packet }
    return nil
  }

  private mutating func countFrameless(_ line: RawSpan, _ start: Int) {
    if FollowHexBody.hasTextColumn(line, from: start) {
      hexLines += 1
    } else if FollowText.isBody(line, .raw), start == 0 || (start == 1 && line.holds("\t")) {
      rawLines += 1
      if start > 0 { tabbed += 1 }
    } else {
      others += 1
    }
  }

  private static func isPair(_ line: RawSpan, at start: Int) -> Bool {
    start &+ 2 <= line.byteCount && HexDigits.end(in: line, from: start, to: start &+ 2) == start &+ 2
  }
}
