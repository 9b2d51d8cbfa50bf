import Basics
import PacketCapture

/// `peer1_4`: Wireshark's name for segment 4 (from 0) of node 1.
struct PeerName {
  var side: Side
  var segment: Int
  /// The index after it.
  var end: Int
}

extension PeerName {
  /// The name at `start`; nil if there is none.
  init?(_ text: RawSpan, at start: Int) {
    guard text.has("peer", at: start), let (node, nodeEnd) = text.number(at: start &+ 4), node < 2,
      text.has("_", at: nodeEnd), let (segment, end) = text.number(at: nodeEnd &+ 1)
    else { return nil }
    self.init(side: node == 0 ? .first : .second, segment: segment, end: end)
  }
}

/// Counts the bytes, or the segments, of each side of a connection from 0. In texts without names of connections another
/// one begins where a side begins at 0 again.
struct SideCount: Sendable {
  /// Whether there was no connection so far.
  private(set) var isEmpty = true
  private var next = Sides(0)

  /// Adds the sender of the following bytes to `output`.
  /// - Returns: the number of omissions between the side's last segment and `range`; negative if it goes back.
  mutating func begin(
    _ range: Range<Int>, of side: Side, _ packet: PacketReference? = nil, into output: inout DecodedText
  ) -> Int {
    if isEmpty || (range.lowerBound == 0 && next[side] > 0) {
      output.beginConnection()
      (isEmpty, next) = (false, Sides(0))
    }
    output.beginSegment(side, packet)
    defer { next[side] = range.upperBound }
    return range.lowerBound &- next[side]
  }

  /// Begins a segment that has a name, and perhaps the number of a packet.
  mutating func begin(
    _ name: PeerName, _ packet: Int?, at position: TextPosition, into output: inout DecodedText
  ) {
    let packet = packet.map { PacketReference(number: nil, original: $0) }
    let omissions = begin(name.segment..<name.segment + 1, of: name.side, packet, into: &output)
    guard omissions != 0 else { return }
    output.error(
      "expected segment \(name.segment - omissions) of node \(name.side.rawValue), found \(name.segment): an "
        + "unknown number of bytes is missing", at: position)
  }
}
