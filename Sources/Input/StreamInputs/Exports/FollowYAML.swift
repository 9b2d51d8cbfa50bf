import Basics
import PacketCapture

/// Reads the output of `tshark -z follow,tcp,yaml,N`, and Wireshark's YAML of a followed stream. Its shape is fixed:
/// a list of peers, then one of packets, whose data are lines of base64. Older versions have `# Packet 4` and
/// `peer1_0: !!binary |` instead.
struct FollowYAML: ExportLines {
  private enum State {
    case outside
    case peers(Side?)
    case packets
    /// Lines that are indented are base64.
    case data
    /// Lines of data whose peer is not known.
    case lostData
  }

  /// tshark 4.0 converts times through a `double`, which has a precision of a quarter of a microsecond for current
  /// times: 1400000000.3 becomes 1400000000.299999952.
  private static let timeDigits = 6

  private var state = State.outside
  private var connection = ExportConnection()
  private var names = PeerCount()
  /// Attributes of the packet whose data come next.
  private var side: Side?
  private var packet = PacketReference(number: nil)
  private var base64 = DigitReader(.base64)

  mutating func read(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard line.isStart else {
      if case .data = state { base64.read(text, 0..<text.byteCount, of: line, into: &events.text) }
      return
    }
    let start = text.skippingBlanks(from: 0)
    guard start < text.byteCount else { return }
    if start > 0, !Self.isKey(text, from: start) {
      readData(text, from: start, of: line, into: &events)
    } else {
      readKey(text, from: start, of: line, into: &events)
    }
  }

  mutating func finish(at position: TextPosition, into events: inout ExportEvents) {
    if case .peers = state {
      events.fault("the text ends within the list of peers: it is truncated", at: position)
    }
  }

  /// Whether the line has a `:` or the `-` of a list, which are not base64 characters.
  private static func isKey(_ text: RawSpan, from start: Int) -> Bool {
    text.has("- ", at: start) || text.has("#", at: start) || text.end(of: ":", from: start) != nil
  }

  private mutating func readData(
    _ text: RawSpan, from start: Int, of line: TextLine, into events: inout ExportEvents
  ) {
    switch state {
    case .data: base64.read(text, start..<text.byteCount, of: line, into: &events.text)
    case .lostData: break
    case .outside, .peers, .packets:
      events.fault("expected a YAML key; line skipped", at: line.position(start))
    }
  }

  private mutating func readKey(
    _ text: RawSpan, from start: Int, of line: TextLine, into events: inout ExportEvents
  ) {
    let key = text.has("- ", at: start) ? text.skippingBlanks(from: start &+ 2) : start
    if let name = PeerName(text, at: key), text.has(": !!binary |", at: name.end) {
      names.begin(name, packet.original == nil ? nil : packet, at: line.position(key), into: &events)
      packet = PacketReference(number: nil)
      state = .data
    } else if text.has("# Packet ", at: key) {
      packet = PacketReference(number: nil, original: text.wholeNumber(at: key &+ 9))
    } else if let colon = text.end(of: ":", from: key) {
      let value = text.skippingBlanks(from: colon)
      readValue(of: text.string(key..<colon &- 1), text, at: value, line.position(key), into: &events)
    } else if !text.has("#", at: key), !text.has("---", at: key), !text.has("...", at: key) {
      reportKey(at: line.position(key), into: &events)
    }
  }

  /// `- peer: 0`, `host: 192.0.2.1`, `port: 40000`; `- packet: 4`, `peer: 1`, `timestamp: 1400000000.200000048`,
  /// `data: !!binary |`.
  private mutating func readValue(
    of key: String, _ text: RawSpan, at start: Int, _ position: TextPosition, into events: inout ExportEvents
  ) {
    switch (key, state) {
    case ("peers", _):
      connection = ExportConnection()
      state = .peers(nil)
    case ("packets", _):
      events.beginConnection(connection)
      state = .packets
    case ("peer", .peers): state = .peers(Self.side(text, at: start))
    case ("host", .peers(let side?)):
      connection.peers[side].address = IPAddress(text.string(start..<text.byteCount))
    case ("port", .peers(let side?)):
      let port = text.wholeNumber(at: start).flatMap(UInt16.init(exactly:))
      connection.peers[side].port = port == 0 ? nil : port
    case (_, .peers): reportKey(at: position, into: &events)
    case ("packet", _):
      packet = PacketReference(number: nil, original: text.wholeNumber(at: start))
      side = nil
      state = .packets
      if packet.original == nil { events.fault("a packet without a number", at: position) }
    case ("peer", _): side = Self.side(text, at: start)
    case ("timestamp", _): packet.time = text.time(at: start, maxDigits: Self.timeDigits)
    case ("data", _): beginData(at: position, into: &events)
    default: if !key.hasPrefix("#") { reportKey(at: position, into: &events) }
    }
  }

  private func reportKey(at position: TextPosition, into events: inout ExportEvents) {
    events.fault(
      #"expected "peer:", "host:", "port:", "packets:", "packet:", "timestamp:" or "data:"; line skipped"#,
      at: position)
  }

  private mutating func beginData(at position: TextPosition, into events: inout ExportEvents) {
    guard let side, events.connections > 0 else {
      events.fault(
        "data of a packet without a peer; skipped, so an unknown number of bytes is missing", at: position)
      state = .lostData
      return
    }
    events.beginSegment(side, packet)
    state = .data
  }

  private static func side(_ text: RawSpan, at start: Int) -> Side? {
    text.wholeNumber(at: start).flatMap { UInt8(exactly: $0) }.flatMap(Side.init(rawValue:))
  }
}
