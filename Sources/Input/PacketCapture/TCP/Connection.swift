import Basics

/// A TCP connection: two directions under one number.
struct Connection {
  /// From 0, in the order of first packets.
  let number: Int
  /// The sender and the receiver of the first packet.
  let peers: (first: Endpoint, second: Endpoint)
  /// The server, fixed once the stream is opened.
  private var server: (side: Side, evidence: StreamIdentity.Evidence)?
  /// Whether the stream is closed: later segments are copies, or belong to another connection.
  var isClosed = false
  /// Whether the flush queue has, or had, an entry for its end.
  var isEnding = false
  var lastPacket: PacketReference
  var first: HalfConnection
  var second: HalfConnection
  /// Number of packets of the capture read when its last one arrived.
  var lastActive = 0
  /// The earliest time of a FIN or RST of either side; nil if there was none with a time.
  private(set) var firstEnd: CaptureTime?
  /// Its links in the list of its rank (`FlowTable`).
  var links = FlowTable.Links()

  init(number: Int, slot: Int32, peers: (first: Endpoint, second: Endpoint), packet: PacketReference) {
    (self.number, self.peers, lastPacket) = (number, peers, packet)
    first = HalfConnection(slot: slot, side: .first)
    second = HalfConnection(slot: slot, side: .second)
  }

  subscript(side: Side) -> HalfConnection {
    get { side == .first ? first : second }
    _modify { if side == .first { yield &first } else { yield &second } }
  }

  var isOpened: Bool { server != nil }

  var carriedNothing: Bool { server == nil && !first.isWaiting && !second.isWaiting }

  var isEnded: Bool { first.isEnded && second.isEnded }

  /// Whether no more data is expected, except segments in flight when one side reset the connection.
  var isBrokenOff: Bool { isEnded || first.isReset || second.isReset }

  /// Whether the stream is open and neither side has ended it.
  @inline(always)
  var isSteady: Bool {
    isOpened && !isClosed && first.fin == .max && second.fin == .max && !first.isReset && !second.isReset
  }

  /// Whether a segment may be of this connection: it is in an unscaled window from known bytes, or it acknowledges none
  /// from before the other side's SYN and is not, as its acknowledgement, far away. Some writers acknowledge 0.
  func mayHave(_ segment: TCPSegment, from side: Side) -> Bool {
    let (number, acknowledged) = (segment.sequence, segment.acknowledgement)
    if segment.isSYN || acknowledged.value == 0 || !self[side].isFar(number, 1 << 16) { return true }
    if self[side.other].precedesSYN(acknowledged) { return false }
    return !self[side].isFar(number) || !self[side.other].isFar(acknowledged)
  }

  /// Whether a FIN or RST came.
  var hasEnd: Bool { isBrokenOff || first.fin < .max || second.fin < .max }

  /// A FIN or RST came with `packet`.
  mutating func noteEnd(_ packet: PacketReference) {
    firstEnd = [firstEnd, packet.time].compactMap(\.self).min()
  }

  // MARK: - Client and server

  /// As known now, or when the stream was opened.
  func identity(serverPorts: Set<UInt16>) -> StreamIdentity {
    let (side, evidence) = server ?? findServer(serverPorts)
    return StreamIdentity(number: number, peers: peers, server: side, serverEvidence: evidence)
  }

  mutating func didOpen(_ serverPorts: Set<UInt16>) { if server == nil { server = findServer(serverPorts) } }

  private func findServer(_ ports: Set<UInt16>) -> (Side, StreamIdentity.Evidence) {
    if first.hasOpened != second.hasOpened { return (first.hasOpened ? .second : .first, .handshake) }
    if !first.hasOpened, first.hasAccepted != second.hasAccepted {
      return (first.hasAccepted ? .first : .second, .handshake)
    }
    return StreamIdentity.server(peers.first.port, peers.second.port, among: ports)
  }

  func report(serverPorts: Set<UInt16>) -> StreamReport {
    var report = StreamReport(identity(serverPorts: serverPorts))
    (report.first, report.second) = (first.report, second.report)
    (report.firstPacket, report.lastPacket) = (first.firstPacket, lastPacket)
    return report
  }
}

// MARK: - SYNs

/// Whether a SYN is a connection's own, or begins another one on the same ports (docs/spec/captures.md#port-reuse).
///
/// A known SYN is identified by its number. Where a direction began without one, a SYN can be its own only if it
/// arrives late: a capture in another order must give the same streams, but ports are reused, often with a lower
/// number.
enum SYNRule {
  /// Maximum distance of a late SYN before the first known byte, in bytes.
  static let maxDistance = 1 << 24
  /// Nor is it newer than the data sent after it, except for network delay: the sender would have sent it again by
  /// then (RFC 6298, section 2: 1 s). In seconds.
  static let slack: Int64 = 1
  /// Ports are not used again for so long, unless by a SYN: that of TIME-WAIT in Linux. In seconds.
  static let longestWait: Int64 = 60

  /// Whether `connection` may have sent, from `side`, a SYN with `number` in that packet.
  static func accepts(
    _ number: SequenceNumber, of connection: borrowing Connection, _ side: Side, _ packet: PacketReference
  ) -> Bool {
    let half = connection[side]
    if let own = half.initialNumber { return own == number }
    let distance = half.distance(fromSYN: number)
    // The other half of a handshake; in a capture from several taps it may have a time after the end.
    if distance == nil, connection[side.other].initialNumber != nil { return true }
    // Directly before the first byte, or before its keep-alive: not by chance another connection's, whatever the
    // times; captures may have been reordered and their times rewritten.
    if distance == 0 || distance == -1 { return true }
    // No connection sends a SYN after its end or reset.
    if let time = packet.time, let end = connection.firstEnd, end < time { return false }
    guard let distance else { return true }
    guard (0...maxDistance).contains(distance), let first = half.firstPacket else { return false }
    return isInTime(packet, after: first)
  }

  /// Packets without a time are accepted: only the order of the capture is known.
  private static func isInTime(_ packet: PacketReference, after first: PacketReference) -> Bool {
    guard let time = packet.time, var latest = first.time else { return true }
    latest.seconds &+= slack
    return time <= latest
  }
}
