import Basics
import PacketCapture

/// Reads the output of `tshark -z follow,tcp,yaml,N`, and Wireshark's YAML of a followed stream. Its shape is fixed:
/// a list of peers, then one of packets, whose data are lines of base64. Older versions have `# Packet 4` and
/// `peer1_0: !!binary |` instead.
struct FollowYAML: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  private enum Section {
    /// Outside of lists, or within a packet before its data.
    case keys
    case peers(Side?)
    /// Lines that are indented are base64.
    case data
    /// Lines of data whose peer is not known.
    case lostData
  }

  /// tshark 4.0 converts times through a `double`, which has a precision of a quarter of a microsecond for current
  /// times: 1400000000.3 becomes 1400000000.299999952.
  private static let timeDigits = 6

  private var state = Section.keys
  private var connection = ExportConnection()
  private var hasConnection = false
  private var count = SideCount()
  /// Attributes of the packet whose data come next.
  private var side: Side?
  /// Whether a packet began whose data did not come.
  private var isWithinPacket = false
  private var packet = PacketReference(number: nil)
  private var base64 = DigitReader(.base64)

  mutating func read(_ text: RawSpan) {
    guard line.isStart else {
      if case .data = state { base64.read(text, 0..<text.byteCount, of: line, into: &output) }
      return
    }
    let start = text.skippingBlanks(from: 0)
    guard start < text.byteCount else { return }
    // A comment, or a `:` or the `-` of a list, which are not base64 characters.
    let isKey = text.has("- ", at: start) || text.has("#", at: start) || text.end(of: ":", from: start) != nil
    if start == 0 || isKey { return readKey(text, from: start) }
    switch state {
    case .data:
      isWithinPacket = false
      base64.read(text, start..<text.byteCount, of: line, into: &output)
    case .lostData: break
    case .keys, .peers: reportKey(at: start)
    }
  }

  mutating func finish() {
    if case .peers = state {
      error("the text ends within the list of peers: it is truncated", at: 0)
    } else if isWithinPacket {
      error("the text ends before the data of a packet: it is truncated", at: 0)
    }
  }

  private mutating func readKey(_ text: RawSpan, from start: Int) {
    let key = text.has("- ", at: start) ? text.skippingBlanks(from: start &+ 2) : start
    if let name = PeerName(text, at: key), text.has(": !!binary |", at: name.end) {
      count.begin(name, packet.original, at: line.position(key), into: &output)
      packet = PacketReference(number: nil)
      state = .data
    } else if text.has("# Packet ", at: key) {
      packet = PacketReference(number: nil, original: text.wholeNumber(at: key &+ 9))
    } else if let colon = text.end(of: ":", from: key), !text.has("#", at: key) {
      readValue(of: key..<colon &- 1, text, at: text.skippingBlanks(from: colon))
    } else if !text.has("#", at: key), !text.has("---", at: key), !text.has("...", at: key) {
      reportKey(at: key)
    }
  }

  /// `- peer: 0`, `host: 192.0.2.1`, `port: 40000`; `- packet: 4`, `peer: 1`, `timestamp: 1400000000.200000048`,
  /// `data: !!binary |`.
  private mutating func readValue(of key: Range<Int>, _ text: RawSpan, at start: Int) {
    switch (text.string(key), state) {
    case ("peers", _): (connection, state) = (ExportConnection(), .peers(nil))
    case ("packets", _):
      output.beginConnection(connection)
      (hasConnection, state) = (true, .keys)
    case ("peer", .peers): state = .peers(Self.side(text, at: start))
    case ("host", .peers(let side?)):
      connection.peers[side].address = IPAddress(text.string(start..<text.byteCount))
    case ("port", .peers(let side?)):
      connection.peers[side].port = ExportConnection.Peer.port(text, start..<text.byteCount)
    case (_, .peers): reportKey(at: key.lowerBound)
    case ("packet", _):
      packet = PacketReference(number: nil, original: text.wholeNumber(at: start))
      (side, state, isWithinPacket) = (nil, .keys, true)
      if packet.original == nil { error("a packet without a number", at: key.lowerBound) }
    case ("peer", _): side = Self.side(text, at: start)
    case ("timestamp", _): packet.time = text.time(at: start, maxDigits: Self.timeDigits)
    case ("data", _):
      if let side, hasConnection {
        output.beginSegment(side, packet)
        state = .data
      } else {
        error(
          "data of a packet without a peer; skipped, so an unknown number of bytes is missing",
          at: key.lowerBound)
        (state, isWithinPacket) = (.lostData, false)
      }
    default: reportKey(at: key.lowerBound)
    }
  }

  private mutating func reportKey(at index: Int) {
    error(
      #"expected "peer:", "host:", "port:", "packets:", "packet:", "timestamp:" or "data:"; line skipped"#,
      at: index)
  }

  private static func side(_ text: RawSpan, at start: Int) -> Side? {
    text.wholeNumber(at: start).flatMap { UInt8(exactly: $0) }.flatMap(Side.init(rawValue:))
  }
}
