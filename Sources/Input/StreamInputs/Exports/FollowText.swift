import Basics
import PacketCapture

/// Reads the output of `tshark -z follow,tcp,raw,N` and `…,hex,N`, and of Wireshark's "Follow Stream" window.
///
/// tshark prints a frame around each stream, which names both ends; Wireshark does not. A line that begins with a tab
/// (tshark) or blanks (Wireshark) is of node 1, any other of node 0, which sent the first packet. Lines outside of
/// frames are tshark's packet list and messages.
struct FollowText: LineDecoder {
  var line = TextLine()
  var output = DecodedText()
  private enum Section {
    /// Before the first frame or stream; after the end of one, or within one whose bytes are not known.
    case before, after
    case header, body
  }

  /// The distance from an offset to the hex pairs after it.
  private static let pairColumn = 10
  private static let pairs = HexPairs(halfway: 8, textColumn: 50)

  private var state = Section.before
  /// Whether the stream's bytes are a hex dump, or lines of hex digits; at first of a stream without a frame.
  private var isHex: Bool
  private var connection = ExportConnection()
  /// Whether the current stream has a frame.
  private var hasFrame = false
  private var digits = DigitReader(.hex)
  /// Whether the current line has hex digits, and more chunks follow.
  private var isWithinDigits = false
  /// Of a hex dump: the end offset of each side's last line, and the side that the next line continues; nil if it
  /// begins a segment.
  private var next = Sides<UInt32>(0)
  private var side: Side?

  init(isHex: Bool) {
    self.isHex = isHex
    digits.hasPrefixes = false
  }

  mutating func read(_ text: RawSpan) {
    guard line.isStart else {
      if isWithinDigits { digits.read(text, 0..<text.byteCount, of: line, into: &output) }
      return
    }
    isWithinDigits = false
    if text.isRule(of: "=") {
      // Before a header, this is the line above it.
      if state != .before { state = .after }
    } else if text.has("Follow: ") {
      beginHeader(text)
    } else if state == .header {
      readHeader(text)
    } else {
      readBody(text)
    }
  }

  mutating func finish() {
    guard hasFrame, state != .after else { return }
    error(
      "the line of = signs at the end of the stream is missing: the text is truncated; its bytes are used",
      at: 0)
  }

  /// `Follow: tls,raw`.
  private mutating func beginHeader(_ text: RawSpan) {
    isHex = text.end(of: ",hex", from: 8) == text.byteCount
    (state, hasFrame, connection) = (.header, true, ExportConnection())
    let isUnpacked = text.has("http2,", at: 8)
    guard !isUnpacked, isHex || text.end(of: ",raw", from: 8) == text.byteCount else {
      state = .after
      return error(
        "the stream is \(isUnpacked ? "HTTP/2 without its frames" : "not in raw or hex form"), so its bytes are "
          + "not known; export it with tshark -z follow,\(isUnpacked ? "tls" : "tcp"),raw,N", at: 0)
    }
  }

  /// `Filter: tcp.stream eq 0`, `Node 0: 192.0.2.1:40000`, and `Node 1: …`, after which the bytes begin; for followed
  /// TLS, tshark prints `:0` for the other end.
  private mutating func readHeader(_ text: RawSpan) {
    guard text.has("Node 0: ") || text.has("Node 1: ") else { return skip(text) }
    let peer = ExportConnection.Peer(text, 8..<text.byteCount, mark: ":")
    if text.has("Node 0: ") {
      connection.peers.first = peer
    } else {
      connection.peers.second = peer
      begin()
    }
  }

  private mutating func begin() {
    output.beginConnection(connection)
    (state, next, side) = (.body, Sides(0), nil)
  }

  private mutating func readBody(_ text: RawSpan) {
    guard text.byteCount > 0 else { return }
    let start = text.skippingBlanks(from: 0)
    if state == .before, isHex ? Self.offset(text, from: start) != nil : Self.isRaw(text, from: start) {
      begin()
    }
    guard state == .body else { return skip(text) }
    let side: Side = start > 0 ? .second : .first
    if isHex { return readRow(text, from: start, of: side) }
    output.beginSegment(side)
    isWithinDigits = true
    digits.read(text, start..<text.byteCount, of: line, into: &output)
  }

  /// Whether there are pairs of hex digits from `start` on, and nothing else.
  static func isRaw(_ text: RawSpan, from start: Int) -> Bool {
    let count = text.byteCount &- start
    return count >= 2 && count % 2 == 0
      && Digits.hexEnd(in: text, from: start, to: text.byteCount) == text.byteCount
  }

  /// `00000010  82 8f …  ea f7 …  ........ ...`, whose offset counts the bytes of its own direction, modulo 2^32. A row of
  /// fewer than 16 bytes ends its segment.
  private mutating func readRow(_ text: RawSpan, from start: Int, of side: Side) {
    guard let offset = Self.offset(text, from: start) else {
      return error("expected an offset of 8 hex digits and two blanks; line skipped", at: start)
    }
    if self.side != side { output.beginSegment(side) }
    output.skip(Int(Int32(bitPattern: offset &- next[side])), at: line.position(start))
    var pairs = Self.pairs
    let (count, _) = pairs.read(text, from: start &+ Self.pairColumn, of: line, into: &output)
    self.side = count < HexPairs.bytesPerLine ? nil : side
    next[side] = offset &+ UInt32(count)
  }

  /// The offset at `start`, with two blanks after it; nil if there is none.
  private static func offset(_ text: RawSpan, from start: Int) -> UInt32? {
    guard let (offset, end) = OffsetBase.hexadecimal.read(text, from: start), end == start &+ 8,
      text.has("  ", at: end)
    else { return nil }
    return UInt32(truncatingIfNeeded: offset)
  }

  /// Whether the line is a row whose text column matches its digits: other hex dumps have other columns.
  static func isRow(_ text: RawSpan, from start: Int) -> Bool {
    offset(text, from: start) != nil && pairs.agree(text, from: start &+ pairColumn)
  }
}
