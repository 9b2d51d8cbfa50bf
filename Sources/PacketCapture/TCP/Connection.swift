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
final class Connection {
  /// From 0, in the order of first packets.
  let number: Int
  let key: ConnectionKey
  /// The sender and the receiver of the first packet.
  let peers: (first: Endpoint, second: Endpoint)
  let firstPacket: PacketReference
  var lastPacket: PacketReference
  private let first = HalfStream()
  private let second = HalfStream()
  /// Who sent a SYN without ACK, and who answered with SYN and ACK; both may have done either (RFC 9293,
  /// figure 7).
  var openers: Sides = []
  var acceptors: Sides = []
  /// The earliest time of a FIN or RST of either side; nil where none has come, or none with a time.
  private(set) var firstEnd: CaptureTime?
  /// Once the receiver was told of it.
  var identity: StreamIdentity?
  /// Whether the receiver was told that it is closed: what comes then is a copy, or nobody's.
  var isClosed = false
  /// How many packets of the capture had been read when its last one came.
  var lastActive = 0
  /// Whether its end is in the calendar.
  var isEnding = false
  /// Its place in the table.
  var slot: Int32 = 0

  init(number: Int, key: ConnectionKey, peers: (first: Endpoint, second: Endpoint), packet: PacketReference) {
    self.number = number
    self.key = key
    self.peers = peers
    firstPacket = packet
    lastPacket = packet
  }

  subscript(side: Side) -> HalfStream { side == .first ? first : second }

  /// Who sent a segment that came from `source`. Of two equal ends, all is the first one's.
  func side(of source: Endpoint) -> Side {
    source == peers.first ? .first : .second
  }

  var carriedNothing: Bool {
    identity == nil && !first.isWaiting && !second.isWaiting
  }

  /// Whether both directions have come to their ends.
  var isEnded: Bool { first.isEnded && second.isEnded }

  /// Whether nothing more is to be expected, but for what was on its way when one side broke it off.
  var isBrokenOff: Bool { isEnded || first.isReset || second.isReset }

  /// A FIN or RST came with `packet`.
  func noteEnd(_ packet: PacketReference) {
    guard let time = packet.time else { return }
    firstEnd = min(firstEnd ?? time, time)
  }

  /// Who is who, as far as it is known by now.
  func identify(serverPorts: Set<UInt16>) -> StreamIdentity {
    let (server, evidence) = server(serverPorts)
    return StreamIdentity(number: number, peers: peers, server: server, serverEvidence: evidence)
  }

  private func server(_ ports: Set<UInt16>) -> (Side, StreamIdentity.Evidence) {
    if let opener = openers.only { return (opener.other, .handshake) }
    if openers.isEmpty, let acceptor = acceptors.only { return (acceptor, .handshake) }
    let first = ports.contains(peers.first.port)
    let second = ports.contains(peers.second.port)
    if first != second { return (first ? .first : .second, .port) }
    return (peers.first.port < peers.second.port ? .first : .second, .guess)
  }

  func report(serverPorts: Set<UInt16>) -> StreamReport {
    var report = StreamReport(identity ?? identify(serverPorts: serverPorts))
    report.first = first.report
    report.second = second.report
    report.first.end = first.end
    report.second.end = second.end
    report.firstPacket = firstPacket
    report.lastPacket = lastPacket
    return report
  }
}
