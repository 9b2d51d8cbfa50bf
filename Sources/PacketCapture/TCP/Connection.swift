import WireBytes

/// Some of the two sides of a connection.
struct Sides: OptionSet {
  let rawValue: UInt8

  /// The one that is in it; nil where none or both are.
  var only: Side? { Side.allCases.first { self == Sides($0) } }

  init(rawValue: UInt8) { self.rawValue = rawValue }
  init(_ side: Side) { rawValue = 1 << side.rawValue }
}

/// A TCP connection: two directions under one number.
struct Connection {
  /// From 0, in the order of first packets.
  let number: Int
  /// The sender and the receiver of the first packet.
  let peers: (first: Endpoint, second: Endpoint)
  let firstPacket: PacketReference
  var lastPacket: PacketReference
  var first: HalfConnection
  var second: HalfConnection
  /// How many packets of the capture had been read when its last one came.
  var lastActive = 0
  /// The earliest time of a FIN or RST of either side; nil where none has come, or none with a time.
  private(set) var firstEnd: CaptureTime?
  /// Who sent a SYN without ACK, and who answered with SYN and ACK; both may have done either (RFC 9293, figure 7).
  var openers: Sides = []
  var acceptors: Sides = []
  /// Who the server is, once the stream is opened: what is learnt later does not change it.
  private var server: (side: Side, evidence: StreamIdentity.Evidence)?
  /// Whether the stream is closed: what comes then is a copy, or of another connection.
  var isClosed = false
  /// Whether its end is in the flush queue.
  var isEnding = false
  /// Its links in the list of its rank (`FlowTable`).
  var links = FlowTable.Links()

  init(
    number: Int, slot: Int32, peers: (first: Endpoint, second: Endpoint), packet: PacketReference
  ) {
    self.number = number
    self.peers = peers
    firstPacket = packet
    lastPacket = packet
    first = HalfConnection(slot: slot, side: .first, stream: number)
    second = HalfConnection(slot: slot, side: .second, stream: number)
  }

  subscript(side: Side) -> HalfConnection {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  var isOpened: Bool { server != nil }

  var carriedNothing: Bool { server == nil && !first.isWaiting && !second.isWaiting }

  /// Whether both directions have come to their ends.
  var isEnded: Bool { first.isEnded && second.isEnded }

  /// Whether nothing more is to be expected, but for what was on its way when one side broke it off.
  var isBrokenOff: Bool { isEnded || first.isReset || second.isReset }

  /// Whether the stream is open and no side has said that it ends.
  var isSteady: Bool {
    server != nil && !isClosed && first.fin == nil && second.fin == nil && !first.isReset && !second.isReset
  }

  /// A FIN or RST came with `packet`.
  mutating func noteEnd(_ packet: PacketReference) {
    guard let time = packet.time else { return }
    firstEnd = min(firstEnd ?? time, time)
  }

  // MARK: - Who is who

  /// As far as is known by now, or was known when the stream was opened.
  func identity(serverPorts: Set<UInt16>) -> StreamIdentity {
    let (side, evidence) = server ?? findServer(serverPorts)
    return StreamIdentity(number: number, peers: peers, server: side, serverEvidence: evidence)
  }

  mutating func didOpen(_ serverPorts: Set<UInt16>) {
    if server == nil { server = findServer(serverPorts) }
  }

  private func findServer(_ ports: Set<UInt16>) -> (Side, StreamIdentity.Evidence) {
    if let opener = openers.only { return (opener.other, .handshake) }
    if openers.isEmpty, let acceptor = acceptors.only { return (acceptor, .handshake) }
    let first = ports.contains(peers.first.port)
    let second = ports.contains(peers.second.port)
    if first != second { return (first ? .first : .second, .port) }
    return (peers.first.port < peers.second.port ? .first : .second, .guess)
  }

  func report(serverPorts: Set<UInt16>) -> StreamReport {
    var report = StreamReport(identity(serverPorts: serverPorts))
    report.first = first.report
    report.second = second.report
    report.firstPacket = firstPacket
    report.lastPacket = lastPacket
    return report
  }
}

// MARK: - SYNs

/// Whether a SYN is a connection's own, or begins another one on the same ports (docs/spec/captures.md#port-reuse).
///
/// A SYN that was seen is known by its number. Where a direction began without one, a SYN can be its own only if it comes
/// late: a capture in another order must give the same streams, but ports are used again, and not seldom with a lower
/// number.
enum SYNRule {
  /// A late SYN comes at most this many bytes before the bytes that are known.
  static let reach = 1 << 24
  /// Nor is it younger than what was sent after it, but for what a network may delay: its sender would have sent it again
  /// by then (RFC 6298, section 2: 1 s). In seconds.
  static let slack: Int64 = 1

  /// Whether `connection` may have sent, from `side`, a SYN with `number` in that packet.
  static func accepts(
    _ number: SequenceNumber, of connection: borrowing Connection, _ side: Side, _ packet: PacketReference
  ) -> Bool {
    let half = connection[side]
    if let own = half.initialNumber { return own == number }
    let distance = half.distance(fromSYN: number)
    // The other half of a handshake; by the clock of another tap it may come after the end.
    if distance == nil, connection[side.other].initialNumber != nil { return true }
    // Directly before the first byte, or the keep-alive before that: no other connection's would be by chance, whatever
    // the times say; who reverses a capture may write new ones.
    if distance == 0 || distance == -1 { return true }
    // No connection sends a SYN after it was ended or broken off.
    if let time = packet.time, let end = connection.firstEnd, end < time { return false }
    guard let distance else { return true }
    guard (0...reach).contains(distance), let first = half.firstPacket else { return false }
    return isInTime(packet, after: first)
  }

  /// Packets without a time are in time: then the order of the capture is all that is known.
  private static func isInTime(_ packet: PacketReference, after first: PacketReference) -> Bool {
    guard let time = packet.time, var latest = first.time else { return true }
    latest.seconds &+= slack
    return time <= latest
  }
}
