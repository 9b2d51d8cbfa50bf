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
/// one begins where a side begins at 0 again, or begins with an earlier packet.
struct SideCount: Sendable {
  /// Whether there was no connection so far.
  private(set) var isEmpty = true
  /// Nil for the other side of bytes whose connection is not known.
  private var next = Sides<Int?>(0)
  /// Where earlier connections ended so far; above the limit, bytes at any offset may be theirs.
  private var earlier = Sides(Set<Int>())
  private static let maxEarlier = 65_536
  private var lastPacket = 0

  /// Whether bytes at `start` may belong to an earlier connection, which may still be open.
  func isInDoubt(_ start: Int, of side: Side) -> Bool {
    let ends = earlier[side]
    return next[side] == nil && start > 0 || ends.contains(start) || ends.count > Self.maxEarlier
  }

  /// Adds the sender of the following bytes to `output`.
  /// - Parameter isApart: whether they begin a connection whose other side is not known.
  /// - Returns: the number of omissions between the side's last segment and `range`; negative if it goes back.
  mutating func begin(
    _ range: Range<Int>, of side: Side, _ packet: PacketReference? = nil, isApart: Bool = false,
    into output: inout DecodedText
  ) -> Int {
    let number = packet?.original ?? lastPacket
    if isEmpty || isApart || range.lowerBound == 0 && (next[side] != 0 || number < lastPacket) {
      for side in Side.allCases where !isEmpty { earlier[side].formUnion(next[side].map { [$0] } ?? []) }
      output.beginConnection()
      (isEmpty, next) = (false, Sides(isApart ? nil : 0))
    }
    output.beginSegment(side, packet)
    let omissions = isApart ? 0 : range.lowerBound &- (next[side] ?? 0)
    (lastPacket, next[side]) = (number, range.upperBound)
    return omissions
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
