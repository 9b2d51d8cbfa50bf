import PacketCapture
import WireBytes

/// What a decoder has made of the lines of an export: bytes, gaps and faults, and which side of which
/// connection they belong to.
struct ExportEvents: Sendable {
  /// What stands between the parts of `text`.
  enum Mark: Sendable {
    /// A connection is named; streams are numbered in this order. One of the same key ends.
    case begin(key: Int, ExportConnection)
    /// Bytes and gaps from here on are of this side of the connection `key`.
    case segment(key: Int, Side, PacketReference?)
    /// This side sends nothing more; the connection ends when both have said so.
    case finished(key: Int, Side)
    case end(key: Int)
  }

  var text = DecodedText()
  /// In order; each stands before the part of `text` with that index.
  private(set) var marks: [(part: Int, mark: Mark)] = []
  private var faults = FaultLog()

  /// Whether it should be drained before another line is read.
  var isFull: Bool { text.isFull || marks.count >= DecodedText.capacity }

  mutating func append(_ mark: Mark) {
    text.endStretch()
    marks.append((text.parts.count, mark))
  }

  mutating func fault(_ message: String, at place: TextPlace) {
    faults.report(message, at: place, into: &text)
  }

  /// The file has ended: says how many faults were only counted.
  mutating func closeFaults() { faults.close(into: &text) }

  /// Empties it and keeps its storage.
  mutating func removeAll() {
    text.removeAll()
    marks.removeAll(keepingCapacity: true)
  }
}

/// What an export says of a connection before its first byte.
struct ExportConnection: Equatable, Sendable {
  /// One end, as far as it is named.
  struct Peer: Equatable, Sendable {
    /// Nil where the export has a name instead, or nothing.
    var address: IPAddress?
    /// Nil where it is not known; tshark then prints 0.
    var port: UInt16?
  }

  var first = Peer()
  var second = Peer()
  /// The side that the tool itself calls the server; nil where it does not say.
  var server: Side?

  subscript(side: Side) -> Peer {
    get { side == .first ? first : second }
    set { if side == .first { first = newValue } else { second = newValue } }
  }

  /// - Parameter serverPorts: ports that servers listen on.
  func identity(number: Int, serverPorts: Set<UInt16>) -> StreamIdentity {
    let (server, evidence) = serverSide(ports: serverPorts)
    return StreamIdentity(number: number, peers: peers, server: server, serverEvidence: evidence)
  }

  private var peers: (first: Endpoint, second: Endpoint)? {
    guard let address = first.address, let port = first.port, let otherAddress = second.address,
      let otherPort = second.port
    else { return nil }
    return (Endpoint(address: address, port: port), Endpoint(address: otherAddress, port: otherPort))
  }

  /// Where nobody says so the server has the lower port, else it is the side that did not come first.
  private func serverSide(ports: Set<UInt16>) -> (Side, StreamIdentity.Evidence) {
    if let server { return (server, .handshake) }
    let isFirst = first.port.map(ports.contains) ?? false
    let isSecond = second.port.map(ports.contains) ?? false
    if isFirst != isSecond { return (isFirst ? .first : .second, .port) }
    if let port = first.port, let other = second.port, port < other { return (.first, .guess) }
    return (.second, .guess)
  }
}

/// `peer1_4`: the name that Wireshark gives to the segment 4 (from 0) of node 1.
struct PeerName {
  var side: Side
  var segment: Int
  /// The index after it.
  var end: Int

  /// The name at `start`; nil where there is none.
  init?(_ text: RawSpan, at start: Int) {
    guard text.holds("peer", at: start), let (node, nodeEnd) = text.number(at: start &+ 4), node < 2,
      text.holds("_", at: nodeEnd), let (segment, end) = text.number(at: nodeEnd &+ 1)
    else { return nil }
    side = node == 0 ? .first : .second
    self.segment = segment
    self.end = end
  }
}

/// Counts the segments that have such names: a connection's begin at 0 on either side, and none is left out.
struct PeerCount: Sendable {
  /// How many connections there were.
  private(set) var connections = 0
  private var next = (first: 0, second: 0)

  /// Tells `events` whose bytes come now.
  mutating func begin(
    _ name: PeerName, _ packet: PacketReference?, at place: TextPlace, into events: inout ExportEvents
  ) {
    if connections == 0 || (name.segment == 0 && next(name.side) > 0) {
      events.append(.end(key: connections &- 1))
      events.append(.begin(key: connections, ExportConnection()))
      connections &+= 1
      next = (0, 0)
    }
    let expected = next(name.side)
    if name.segment != expected {
      events.fault(
        "segment \(expected) of node \(name.side.rawValue) was expected, and found was \(name.segment): "
          + "bytes between them are missing, nobody knows how many", at: place)
    }
    if name.side == .first { next.first = name.segment &+ 1 } else { next.second = name.segment &+ 1 }
    events.append(.segment(key: connections &- 1, name.side, packet))
  }

  private func next(_ side: Side) -> Int { side == .first ? next.first : next.second }
}
