import WireBytes

/// Whether a SYN is a connection's own, or begins another one on the same ports (capture.md, Streams).
///
/// A SYN that was seen is told by its number. Where a direction began without one, a SYN can be its own only if it
/// comes late: a capture in another order must give the same streams, but ports are used again, and not seldom
/// with a lower number.
enum SYNRule {
  /// A late SYN lies no further than this before the bytes that are known; in bytes.
  static let reach = 1 << 24
  /// Nor is it younger than what was sent behind it, but for what a network may keep back: its sender would have
  /// sent it again by then (RFC 6298, section 2: 1 s). In seconds.
  static let slack: Int64 = 1

  /// Whether `connection` may have sent, from `side`, a SYN with `number` in that packet.
  static func accepts(
    _ number: SequenceNumber, of connection: Connection, _ side: Side, _ packet: PacketReference
  ) -> Bool {
    let half = connection[side]
    if let own = half.initialNumber { return own == number }
    let distance = half.distanceBehind(syn: number)
    // The other half of a handshake; by the clock of another tap it may come behind the end.
    if distance == nil, connection[side.other].initialNumber != nil { return true }
    // Directly before the first byte, or the keep-alive before that: no other connection's would be by chance,
    // whatever the times say; who turns a capture round may write new ones.
    if distance == 0 || distance == -1 { return true }
    // No connection sends a SYN after it was ended or broken off.
    if let time = packet.time, let end = connection.firstEnd, end < time { return false }
    guard let distance else { return true }
    guard (0...reach).contains(distance), let first = half.report.firstPacket else { return false }
    return isInTime(packet, behind: first)
  }

  /// Packets without a time are in time: then the order of the capture is all that is known.
  private static func isInTime(_ packet: PacketReference, behind first: PacketReference) -> Bool {
    guard let time = packet.time, var latest = first.time else { return true }
    latest.seconds &+= slack
    return time <= latest
  }
}
