import Basics
import PacketCapture

/// A decoder's output for the lines of an export: bytes, gaps and faults, with the side and connection they belong
/// to.
struct ExportEvents: TextOutput {
  /// Marks between the parts of `text`.
  enum Mark: Sendable {
    /// A connection begins; streams are numbered in this order. An earlier one with the same key ends.
    case begin(key: Int, ExportConnection)
    /// Bytes and gaps from here on are of this side of the connection `key`.
    case segment(key: Int, Side, PacketReference?)
    /// This side has finished; the connection ends when both have.
    case finished(key: Int, Side)
    case end(key: Int)
  }

  var text = DecodedText()
  /// In order; each precedes the part of `text` with that index.
  private(set) var marks: [(part: Int, mark: Mark)] = []
  /// Number of connections in a format without numbers of its own, where each ends the one before.
  private(set) var connections = 0

  /// Whether it must be drained before another line is read.
  var isFull: Bool { text.isFull || marks.count >= DecodedText.capacity }

  mutating func append(_ mark: Mark) {
    text.endExtent()
    marks.append((text.parts.count, mark))
  }

  mutating func beginConnection(_ connection: ExportConnection = ExportConnection()) {
    endConnection()
    append(.begin(key: connections, connection))
    connections &+= 1
  }

  mutating func endConnection() { append(.end(key: connections &- 1)) }

  /// Bytes from here on are of this side of the last connection.
  mutating func beginSegment(_ side: Side, _ packet: PacketReference? = nil) {
    append(.segment(key: connections &- 1, side, packet))
  }

  /// The offset of the next bytes is `distance` after the end of the last ones of their side.
  mutating func skip(_ distance: Int, at position: TextPosition) {
    if distance > 0 {
      text.appendGap(length: distance, at: position.fileOffset)
    } else if distance < 0 {
      fault(
        "the offset goes back by \(-distance): text is out of order, repeated, or of several connections; its bytes "
          + "are used in the order of the file", at: position)
    }
  }

  mutating func fault(_ message: Message, at position: TextPosition) {
    text.fault(message, at: position)
  }

  /// Empties it and keeps its storage.
  mutating func removeAll() {
    text.removeAll()
    marks.removeAll(keepingCapacity: true)
  }
}

/// A value for each side of a connection.
struct Sides<Value: Sendable>: Sendable {
  var first: Value
  var second: Value

  init(_ value: Value) { (first, second) = (value, value) }

  subscript(side: Side) -> Value {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }
}

extension Sides: Equatable where Value: Equatable {}

/// Data about a connection before its first byte.
struct ExportConnection: Equatable, Sendable {
  /// One endpoint, as far as it is known.
  struct Peer: Equatable, Sendable {
    /// Nil if the export has a name instead, or nothing.
    var address: IPAddress?
    /// Nil if unknown; tshark then prints 0.
    var port: UInt16?
  }

  var peers = Sides(Peer())
  /// The side that the tool itself calls the server; nil if unknown.
  var server: Side?
  /// Of records in text: the flags of all of them; nil for bytes of a connection.
  var feedbackFlags: UInt32?

  /// - Parameter serverPorts: ports that servers listen on.
  func identity(number: Int, serverPorts: Set<UInt16>) -> StreamIdentity {
    let (server, evidence) = serverSide(ports: serverPorts)
    var ends: (first: Endpoint, second: Endpoint)?
    if let address = peers.first.address, let port = peers.first.port, let other = peers.second.address,
      let otherPort = peers.second.port
    {
      ends = (Endpoint(address: address, port: port), Endpoint(address: other, port: otherPort))
    }
    var identity = StreamIdentity(number: number, peers: ends, server: server, serverEvidence: evidence)
    if let feedbackFlags { (identity.serverEvidence, identity.flagBits) = (.carved, feedbackFlags) }
    return identity
  }

  /// Unless it is known, the server has the lower port, or else is the side that did not send first.
  private func serverSide(ports: Set<UInt16>) -> (Side, StreamIdentity.Evidence) {
    if let server { return (server, .handshake) }
    let isFirst = peers.first.port.map(ports.contains) ?? false
    let isSecond = peers.second.port.map(ports.contains) ?? false
    if isFirst != isSecond { return (isFirst ? .first : .second, .port) }
    if let port = peers.first.port, let other = peers.second.port, port < other { return (.first, .guess) }
    return (.second, .guess)
  }
}

/// `peer1_4`: Wireshark's name for segment 4 (from 0) of node 1.
struct PeerName {
  var side: Side
  var segment: Int
  /// The index after it.
  var end: Int

  init(side: Side, segment: Int, end: Int) {
    (self.side, self.segment, self.end) = (side, segment, end)
  }

  /// The name at `start`; nil if there is none.
  init?(_ text: RawSpan, at start: Int) {
    guard text.has("peer", at: start), let (node, nodeEnd) = text.number(at: start &+ 4), node < 2,
      text.has("_", at: nodeEnd), let (segment, end) = text.number(at: nodeEnd &+ 1)
    else { return nil }
    side = node == 0 ? .first : .second
    self.segment = segment
    self.end = end
  }
}

/// Counts segments by these names: they start at 0 on either side of a connection, without omissions.
struct PeerCount: Sendable {
  private var next = Sides(0)

  /// Adds the sender of the following bytes to `events`.
  mutating func begin(
    _ name: PeerName, _ packet: PacketReference?, at position: TextPosition, into events: inout ExportEvents
  ) {
    if events.connections == 0 || (name.segment == 0 && next[name.side] > 0) {
      events.beginConnection()
      next = Sides(0)
    }
    if name.segment != next[name.side] {
      events.fault(
        "expected segment \(next[name.side]) of node \(Int(name.side.rawValue)), found \(name.segment): an "
          + "unknown number of bytes is missing", at: position)
    }
    next[name.side] = name.segment &+ 1
    events.beginSegment(name.side, packet)
  }
}
