import ProviderLogs

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

  func decoder(_ lines: LogOptions) -> any TextDecoder {
    switch self {
    case .followRaw: LineSplitter(FollowText(isHex: false))
    case .followHex: LineSplitter(FollowText(isHex: true))
    case .followYAML: LineSplitter(FollowYAML())
    case .cArrays: LineSplitter(CArrays())
    case .socat: LineSplitter(SocatLog())
    case .ssldump: LineSplitter(SSLDump())
    case .feedbackList: FeedbackList(lines)
    }
  }

  /// Whether it was written by tshark's code, which marks gaps.
  var hasGapMarks: Bool { [.followRaw, .followHex, .followYAML, .cArrays].contains(self) }

  /// Defaults for a connection that the export does not name: ssldump's C and S are client and server.
  var unnamedConnection: ExportConnection { ExportConnection(server: self == .ssldump ? .second : nil) }

  /// The export that begins with `head`; nil if it is not an export.
  ///
  /// Each format is detected by a line, or two, that no other text has: tshark's frame, socat's header, ssldump's
  /// connection. Other lines may precede it, such as tshark's packet list.
  package static func recognise(_ head: TextHead, lines options: LogOptions = LogOptions()) -> ExportFormat? {
    guard head.isText || head.bytes.span.bytes.has("New TCP connection #") else { return nil }
    var previous: ArraySlice<UInt8> = []
    for line in head.wholeLines {
      if let format = format(of: line.span.bytes, after: previous.span.bytes) { return format }
      previous = line
    }
    return frameless(head)
      ?? (FeedbackList.recognises(head.bytes, isWhole: head.isWhole, options) ? .feedbackList : nil)
  }

  private static func format(of line: RawSpan, after previous: RawSpan) -> ExportFormat? {
    let start = line.skippingBlanks(from: 0)
    if line.has("Follow: "), previous.isRule(of: "=") {
      return line.end(of: ",hex", from: 8) == line.byteCount ? .followHex : .followRaw
    }
    if line.has("- peer:", at: start), previous.has("peers:"), previous.byteCount == 6 { return .followYAML }
    if previous.has("# Packet "), PeerName(line, at: start) != nil { return .followYAML }
    if line.has("0x", at: start), CArrays.declaration(previous) != nil,
      Digits.hexEnd(in: line, from: start &+ 2, to: line.byteCount) == start &+ 4
    {
      return .cArrays
    }
    if CArrays.name(line) != nil, CArrays.declaration(line) != nil { return .cArrays }
    if line.has(" "), Digits.areHexPair(in: line, at: 1), SocatHeader(previous) != nil { return .socat }
    return SSLDumpLine.connection(line) != nil ? .ssldump : nil
  }

  /// Streams without a frame have Wireshark's hex dump layout, or a mix of lines of hex digits with and without a tab.
  /// Hex that is indented throughout is a dump.
  private static func frameless(_ head: TextHead) -> ExportFormat? {
    var (isHex, isRaw, hasTab, hasNone) = (!head.wholeLines.isEmpty, true, false, false)
    for line in head.wholeLines {
      let line = line.span.bytes
      let start = line.skippingBlanks(from: 0)
      isHex = isHex && FollowText.isRow(line, from: start)
      isRaw = isRaw && FollowText.isRaw(line, from: start) && (start == 0 || start == 1 && line.has("\t"))
      if start > 0 { hasTab = true } else { hasNone = true }
    }
    return isHex ? .followHex : isRaw && hasTab && hasNone ? .followRaw : nil
  }
}
