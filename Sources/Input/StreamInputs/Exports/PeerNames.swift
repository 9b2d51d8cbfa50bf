import Basics
import PacketCapture

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
    self.init(side: node == 0 ? .first : .second, segment: segment, end: end)
  }
}

/// Counts segments by these names: they start at 0 on either side of a connection, without omissions.
struct PeerCount: Sendable {
  /// Nil before the first connection.
  private var next: Sides<Int>?

  var isEmpty: Bool { next == nil }

  /// Adds the sender of the following bytes to `output`.
  mutating func begin(
    _ name: PeerName, _ packet: Int?, at position: TextPosition, into output: inout DecodedText
  ) {
    var next = self.next ?? Sides(0)
    if isEmpty || (name.segment == 0 && next[name.side] > 0) {
      output.beginConnection()
      next = Sides(0)
    }
    if name.segment != next[name.side] {
      output.fault(
        "expected segment \(next[name.side]) of node \(Int(name.side.rawValue)), found \(name.segment): an "
          + "unknown number of bytes is missing", at: position)
    }
    next[name.side] = name.segment &+ 1
    self.next = next
    output.beginSegment(name.side, packet.map { PacketReference(number: nil, original: $0) })
  }
}
