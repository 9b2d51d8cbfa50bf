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

  mutating func read(_ text: RawSpan, of line: ExportLine, into events: inout ExportEvents) {
    guard line.isStart else {
      if case .data = state { Base64Line.read(text, from: 0, of: line, into: &events) }
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
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
  ) {
    switch state {
    case .data: Base64Line.read(text, from: start, of: line, into: &events)
    case .lostData: break
    case .outside, .peers, .packets:
      events.fault("expected a YAML key; line skipped", at: line.position(start))
    }
  }

  private mutating func readKey(
    _ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents
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
    _ text: RawSpan, _ key: Int, _ side: Side?, of line: ExportLine, into events: inout ExportEvents
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
    _ text: RawSpan, _ key: Int, of line: ExportLine, into events: inout ExportEvents
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

  private mutating func beginData(of line: ExportLine, at key: Int, into events: inout ExportEvents) {
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

/// Reads lines of whole base64 groups, as YAML exports are wrapped. A group with another character is a fault and a
/// gap of 3 bytes.
enum Base64Line {
  static func read(_ text: RawSpan, from start: Int, of line: ExportLine, into events: inout ExportEvents) {
    var end = text.byteCount
    while end > start, ASCII.isBlank(text.byte(at: end &- 1)) { end &-= 1 }
    var index = start
    while end &- index >= 4 {
      index = wholeGroups(text, from: index, to: end, at: line.fileOffset, into: &events)
      guard end &- index >= 4 else { break }
      lastGroup(text, at: index, isLast: end &- index == 4, of: line, into: &events)
      index &+= 4
    }
    if index < end { cutGroup(text, index..<end, of: line, into: &events) }
  }

  private static func wholeGroups(
    _ text: RawSpan, from start: Int, to end: Int, at lineOffset: Int, into events: inout ExportEvents
  ) -> Int {
    let groups = (end &- start) / 4
    let count = events.text.append(
      upTo: 3 &* groups, at: lineOffset &+ start, spacing: Base64Alphabet.spacing
    ) { bytes in
      var index = start
      for _ in 0..<groups {
        let (bits, marks) = Base64Alphabet.group(in: text, at: index)
        guard marks == 0 else { break }
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: bits &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: bits))
        index &+= 4
      }
    }
    return start &+ count / 3 &* 4
  }

  /// A padded or damaged group.
  private static func lastGroup(
    _ text: RawSpan, at index: Int, isLast: Bool, of line: ExportLine, into events: inout ExportEvents
  ) {
    let pad = UInt8(ascii: "=")
    let padding =
      text.byte(at: index &+ 3) == pad ? (text.byte(at: index &+ 2) == pad ? 2 : 1) : 0
    if isLast, padding > 0, append(text, at: index, characters: 4 &- padding, of: line, into: &events) {
      return
    }
    var wrong = index
    while wrong < index &+ 3, Base64Alphabet.values[Int(text.byte(at: wrong))] < 64 { wrong &+= 1 }
    events.fault(.expectedBase64(found: text.byte(at: wrong), isPadded: false), at: line.position(wrong))
    events.text.appendGap(length: 3, at: line.fileOffset &+ index)
  }

  /// Adds the bytes of fewer than four characters, one less than there are; false if one of them is not base64.
  private static func append(
    _ text: RawSpan, at start: Int, characters: Int, of line: ExportLine, into events: inout ExportEvents
  ) -> Bool {
    var bits: UInt32 = 0
    for index in start..<start &+ characters {
      let value = Base64Alphabet.values[Int(text.byte(at: index))]
      guard value < 64 else { return false }
      bits = bits &<< 6 | UInt32(value)
    }
    bits &<<= UInt32(6 &* (4 &- characters))
    for position in 0..<max(0, characters &- 1) {
      let byte = UInt8(truncatingIfNeeded: bits &>> UInt32(16 &- 8 &* position))
      events.text.append(byte, at: line.fileOffset &+ start &+ position, stride: 1)
    }
    return true
  }

  private static func cutGroup(
    _ text: RawSpan, _ range: Range<Int>, of line: ExportLine, into events: inout ExportEvents
  ) {
    let position = line.position(range.lowerBound)
    if line.isEnd, !line.isTerminated {
      _ = append(text, at: range.lowerBound, characters: range.count, of: line, into: &events)
      events.fault(.textEndsWithinGroup(characters: range.count, isCertain: true), at: position)
    } else {
      events.fault(
        "the line ends after \(range.count) of 4 characters of a base64 group; its 3 bytes are skipped",
        at: position)
      events.text.appendGap(length: 3, at: position.fileOffset)
    }
  }
}
