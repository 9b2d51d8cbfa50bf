import Basics
import PacketCapture

/// The encoding of a followed stream's bytes.
enum FollowBody: Sendable {
  /// A line of hex digits for each segment.
  case raw
  /// Offset, sixteen pairs a line and a text column, as in a hex dump.
  case hex
}

/// Reads the output of `tshark -z follow,tcp,raw,N` and `…,hex,N`, and of Wireshark's "Follow Stream" window.
///
/// tshark prints a frame around each stream, which names both ends; Wireshark does not. A line that begins with a tab
/// (tshark) or blanks (Wireshark) is of node 1, any other of node 0, which sent the first packet. Lines outside of
/// frames are tshark's packet list and messages.
struct FollowText: ExportLines {
  private enum State {
    /// Outside of a frame, before the first one, or after it; also in one with an unsupported encoding.
    case before, after
    case header, body
  }

  private var state = State.before
  /// Encoding of the stream's bytes, at first of those without a frame; nil if it is unsupported.
  private var body: FollowBody?
  private var connection = ExportConnection()
  /// Whether the current stream has a frame.
  private var hasFrame = false
  private var digits = DigitReader(.hex)
  private var dump = FollowHexBody()
  /// Whether the current line has hex digits, and more chunks follow.
  private var isWithinDigits = false

  init(frameless: FollowBody) {
    body = frameless
    digits.hasPrefixes = false
  }

  mutating func read(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard line.isStart else {
      if isWithinDigits { digits.read(text, 0..<text.byteCount, of: line, into: &events.text) }
      return
    }
    isWithinDigits = false
    if RuledLine.isDrawn(with: "=", in: text) {
      if state == .body { events.endConnection() }
      // Before a header, this is the line above it.
      if state != .before { state = .after }
    } else if text.has("Follow: ") {
      beginHeader(text, of: line, into: &events)
    } else if state == .header {
      readHeader(text, into: &events)
    } else {
      readBody(text, of: line, into: &events)
    }
  }

  mutating func finish(at position: TextPosition, into events: inout ExportEvents) {
    if state == .header {
      events.fault("the text ends within the header of a stream: it is truncated", at: position)
    } else if state == .body, hasFrame {
      events.fault(
        "the line of = signs at the end of the stream is missing: the text is truncated; its bytes are "
          + "used", at: position)
    }
  }

  /// `Follow: tls,raw`.
  private mutating func beginHeader(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    if state == .body { events.endConnection() }
    let isRaw = text.end(of: ",raw", from: 8) == text.byteCount
    body = isRaw ? .raw : text.end(of: ",hex", from: 8) == text.byteCount ? .hex : nil
    if body == nil {
      events.fault(
        "the stream is not in raw or hex form, so its bytes are not known; export it with tshark -z "
          + "follow,tcp,raw,N", at: line.position(0))
    }
    (state, hasFrame, connection) = (.header, true, ExportConnection())
  }

  /// `Filter: tcp.stream eq 0`, `Node 0: 192.0.2.1:40000`, and `Node 1: …`, after which the bytes begin.
  private mutating func readHeader(_ text: RawSpan, into events: inout ExportEvents) {
    if text.has("Node 0: ") {
      connection.peers.first = Self.peer(text, from: 8)
    } else if text.has("Node 1: ") {
      connection.peers.second = Self.peer(text, from: 8)
      if body == nil { state = .after } else { begin(into: &events) }
    }
  }

  private mutating func begin(into events: inout ExportEvents) {
    events.beginConnection(connection)
    dump = FollowHexBody()
    state = .body
  }

  /// `192.0.2.1:2196`, `[2001:db8::1]:2196`, `name:2196`; for followed TLS, tshark prints `:0` for the other end.
  private static func peer(_ text: RawSpan, from start: Int) -> ExportConnection.Peer {
    var colon = text.byteCount
    while colon > start, text.byte(at: colon &- 1) != UInt8(ascii: ":") { colon &-= 1 }
    guard colon > start else { return ExportConnection.Peer() }
    var range = start..<colon &- 1
    if range.count > 2, text.byte(at: start) == UInt8(ascii: "[") {
      range = start &+ 1..<colon &- 2
    }
    let port = text.wholeNumber(at: colon).flatMap(UInt16.init(exactly:))
    return ExportConnection.Peer(address: IPAddress(text.string(range)), port: port == 0 ? nil : port)
  }

  private mutating func readBody(_ text: RawSpan, of line: TextLine, into events: inout ExportEvents) {
    guard let body, text.byteCount > 0 else { return }
    if state == .before, Self.isBody(text, body) { begin(into: &events) }
    guard state == .body else { return }
    let start = text.skippingBlanks(from: 0)
    let side: Side = start > 0 ? .second : .first
    switch body {
    case .raw:
      events.beginSegment(side)
      isWithinDigits = true
      digits.read(text, start..<text.byteCount, of: line, into: &events.text)
    case .hex:
      dump.read(text, from: start, of: side, line, into: &events)
    }
  }

  /// Whether a line outside of a frame contains bytes.
  static func isBody(_ text: RawSpan, _ body: FollowBody) -> Bool {
    let start = text.skippingBlanks(from: 0)
    switch body {
    case .raw:
      return text.byteCount &- start >= 2 && (text.byteCount &- start) % 2 == 0
        && Digits.hexEnd(in: text, from: start, to: text.byteCount) == text.byteCount
    case .hex:
      return FollowHexBody.isLine(text, from: start)
    }
  }
}

/// Reads the lines of a followed stream's hex dump: `00000010  82 8f …  ea f7 …  ........ ...`, whose offset counts
/// the bytes of its own direction, modulo 2^32.
struct FollowHexBody: Sendable {
  /// Digits of an offset, and the distance of the pairs and of the text from its beginning.
  private static let offsetDigits = 8
  private static let pairColumn = 10
  private static let textColumn = 60
  /// A line with fewer bytes ends its segment.
  private static let bytesPerLine = 16

  /// The end offset of each side's last line.
  private var next = Sides<UInt32>(0)
  /// The side of the last line; nil if the next one begins a segment.
  private var side: Side?

  /// The offset at `start` with two blanks after it; nil if there is none.
  private static func offset(_ text: RawSpan, from start: Int) -> UInt32? {
    guard let (offset, end) = OffsetBase.hexadecimal.read(text, from: start), end == start &+ offsetDigits,
      text.has("  ", at: end)
    else { return nil }
    return UInt32(truncatingIfNeeded: offset)
  }

  /// Whether an offset, two blanks and a pair are at `start`.
  static func isLine(_ text: RawSpan, from start: Int) -> Bool {
    offset(text, from: start) != nil && Digits.areHexPair(in: text, at: start &+ pairColumn)
  }

  /// Whether it is also such a line with a text column that matches its digits: other hex dumps have other columns.
  static func hasTextColumn(_ text: RawSpan, from start: Int) -> Bool {
    isLine(text, from: start)
      && HexPairs(halfway: 8, textColumn: start &+ textColumn)
        .agree(text, from: start &+ pairColumn, maxCount: bytesPerLine, isCut: false)
  }

  /// - Parameter start: the index after the indentation, which determines `side`.
  mutating func read(
    _ text: RawSpan, from start: Int, of side: Side, _ line: TextLine, into events: inout ExportEvents
  ) {
    guard let offset = Self.offset(text, from: start) else {
      events.fault(
        "expected an offset of 8 hex digits and two blanks; line skipped", at: line.position(start))
      return
    }
    if self.side != side {
      events.beginSegment(side)
      self.side = side
    }
    events.skip(Int(Int32(bitPattern: offset &- next[side])), at: line.position(start))
    var pairs = HexPairs(halfway: 8, textColumn: start &+ Self.textColumn)
    let (count, _) = pairs.read(
      text, from: start &+ Self.pairColumn, maxCount: Self.bytesPerLine, of: line, into: &events)
    if count < Self.bytesPerLine { self.side = nil }
    next[side] = offset &+ UInt32(count)
  }
}
