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
  private var count = 0
  private var names = PeerCount()
  /// Attributes of the packet whose data come next.
  private var side: Side?
  private var packet = PacketReference(number: nil)
  private var base64 = Base64Reader()

  mutating func read(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard line.isStart else {
      if case .data = state { readBase64(text, from: 0, of: line, into: &events) }
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
    case .data: readBase64(text, from: start, of: line, into: &events)
    case .lostData: break
    case .outside, .peers, .packets:
      events.fault("expected a YAML key; line skipped", at: line.position(start))
    }
  }

  private mutating func readBase64(
    _ text: RawSpan, from start: Int, of line: TextLine, into events: inout ExportEvents
  ) {
    var cursor = line.cursor
    cursor.fileOffset &+= start
    _ = base64.read(text, start..<text.byteCount, at: &cursor, isBounded: false, into: &events.text)
    guard line.isEnd else { return }
    if line.isTerminated {
      base64.endLine(at: cursor, into: &events.text)
    } else {
      base64.end(at: cursor, isCut: true, into: &events.text)
    }
  }

  private mutating func readKey(
    _ text: RawSpan, from start: Int, of line: TextLine, into events: inout ExportEvents
  ) {
    let key = text.has("- ", at: start) ? text.skippingBlanks(from: start &+ 2) : start
    if text.has("peers:", at: key) {
      connection = ExportConnection()
      state = .peers(nil)
    } else if case .peers(let side) = state {
      readPeer(text, key, side, of: line, into: &events)
    } else if text.has("# Packet ", at: key) {
      packet = PacketReference(number: nil, original: text.wholeNumber(at: key &+ 9))
    } else if let name = PeerName(text, at: key), text.has(": !!binary |", at: name.end) {
      names.begin(name, packet.original == nil ? nil : packet, at: line.position(key), into: &events)
      packet = PacketReference(number: nil)
      state = .data
    } else {
      readPacket(text, key, of: line, into: &events)
    }
  }

  /// `- peer: 0`, `host: 192.0.2.1`, `port: 40000`.
  private mutating func readPeer(
    _ text: RawSpan, _ key: Int, _ side: Side?, of line: TextLine, into events: inout ExportEvents
  ) {
    if text.has("peer:", at: key) {
      state = .peers(Self.side(text, from: key &+ 5))
    } else if text.has("host:", at: key), let side {
      connection[side].address = IPAddress(text.string(key &+ 5..<text.byteCount))
    } else if text.has("port:", at: key), let side {
      let port = text.wholeNumber(at: text.skippingBlanks(from: key &+ 5)).flatMap(UInt16.init(exactly:))
      connection[side].port = port == 0 ? nil : port
    } else if text.has("packets:", at: key) {
      beginPackets(into: &events)
    } else {
      events.fault(#"expected "peer:", "host:", "port:" or "packets:""#, at: line.position(key))
    }
  }

  private mutating func beginPackets(into events: inout ExportEvents) {
    events.append(.end(key: count &- 1))
    events.append(.begin(key: count, connection))
    count &+= 1
    state = .packets
  }

  /// `- packet: 4`, `peer: 1`, `timestamp: 1400000000.200000048`, `data: !!binary |`.
  private mutating func readPacket(
    _ text: RawSpan, _ key: Int, of line: TextLine, into events: inout ExportEvents
  ) {
    if text.has("packet:", at: key) {
      packet = PacketReference(number: nil, original: Self.number(text, from: key &+ 7))
      side = nil
      state = .packets
      if packet.original == nil { events.fault("a packet without a number", at: line.position(key)) }
    } else if text.has("peer:", at: key) {
      side = Self.side(text, from: key &+ 5)
    } else if text.has("timestamp:", at: key) {
      let start = text.skippingBlanks(from: key &+ 10)
      packet.time = text.time(at: start, maxDigits: Self.timeDigits)
    } else if text.has("data:", at: key) {
      beginData(of: line, at: key, into: &events)
    } else if text.has("packets:", at: key) {
      // The list of peers before it is missing.
      beginPackets(into: &events)
    } else if !text.has("#", at: key), !text.has("---", at: key), !text.has("...", at: key) {
      events.fault(
        #"expected "packet:", "peer:", "timestamp:" or "data:"; line skipped"#, at: line.position(key))
    }
  }

  private mutating func beginData(of line: TextLine, at key: Int, into events: inout ExportEvents) {
    guard let side, count > 0 else {
      events.fault(
        "data of a packet without a peer; skipped, so an unknown number of bytes is missing",
        at: line.position(key))
      state = .lostData
      return
    }
    events.append(.segment(key: count &- 1, side, packet))
    state = .data
  }

  private static func number(_ text: RawSpan, from start: Int) -> Int? {
    text.wholeNumber(at: text.skippingBlanks(from: start))
  }

  private static func side(_ text: RawSpan, from start: Int) -> Side? {
    number(text, from: start).flatMap { UInt8(exactly: $0) }.flatMap(Side.init(rawValue:))
  }
}
