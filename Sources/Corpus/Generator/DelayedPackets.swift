/// Segments that come into the capture later than in their turn. There are few: none waits longer than
/// `CaptureScenario.longestDelay` packets.
struct DelayedPackets {
  struct Packet {
    /// How many packets must have been captured before it.
    var due: Int
    /// Which of the open connections it is of.
    var slot: Int
    var segment: GeneratedSegment
  }

  private var packets: [Packet] = []

  mutating func add(_ packet: Packet) { packets.append(packet) }

  /// Takes what is due first, if that is now; of several the one that was added first.
  /// - Parameter count: how many packets have been captured; nil for whatever is left.
  mutating func removeDue(at count: Int?) -> Packet? {
    guard let first = packets.indices.min(by: { packets[$0].due < packets[$1].due }) else { return nil }
    if let count, packets[first].due > count { return nil }
    return packets.remove(at: first)
  }

  func holdsAny(of slot: Int) -> Bool { packets.contains { $0.slot == slot } }

  /// The lowest offset that is still to come from a side of a connection; nil where nothing is.
  func firstOffset(of slot: Int, isFromServer: Bool) -> Int? {
    packets.lazy.filter { $0.slot == slot && $0.segment.isFromServer == isFromServer }.map(\.segment.offset)
      .min()
  }
}
