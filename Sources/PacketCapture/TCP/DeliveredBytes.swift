/// Where the bytes that a direction has delivered stand in the file, so that a second copy of them can be
/// held against the first.
struct DeliveredBytes {
  /// Bytes of one packet, or of a hole.
  struct Stretch {
    /// Position of the first byte (HalfStream).
    var position: Int
    var length: Int
    /// Offset of the first byte in the file; nil for a hole.
    var fileOffset: Int?
    var packet: PacketReference

    var end: Int { position &+ length }
  }

  /// So many stretches are remembered of a direction even where there is no room.
  private static let lengthKept = 8

  private var stretches: [Stretch] = []
  /// Stretches before this one are forgotten; they leave the array now and then.
  private var head = 0

  /// How many stretches are remembered.
  var count: Int { stretches.count &- head }

  /// Position of the first byte that is remembered; nil where all is forgotten.
  var firstPosition: Int? { head < stretches.count ? stretches[head].position : nil }

  /// Adds what was delivered behind all others.
  /// - Parameter mayGrow: whether there is room for more than the last `lengthKept`.
  mutating func append(_ stretch: Stretch, mayGrow: Bool) {
    if !mayGrow, count >= Self.lengthKept { head += 1 }
    if head > Self.lengthKept, head > stretches.count / 2 {
      stretches.removeFirst(head)
      head = 0
    }
    stretches.append(stretch)
  }

  mutating func forget() {
    stretches = []
    head = 0
  }

  /// The stretch that holds the byte at `position`; nil where it is forgotten or was never there.
  func stretch(at position: Int) -> Stretch? {
    var (low, high) = (head, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    guard low < stretches.count, stretches[low].position <= position else { return nil }
    return stretches[low]
  }
}
