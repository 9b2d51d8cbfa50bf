import PacketCapture
import WireBytes

/// `peer1_4`: the name that Wireshark gives to the segment 4 (from 0) of node 1.
struct PeerName {
  var side: Side
  var segment: Int
  /// The index behind it.
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
