/// Bytes of one direction that the capture has, by their place in it, while packets may still change what is known of
/// them. The first copy of a byte counts (capture.md, Streams).
struct CapturedStretches {
  /// Bytes that one packet was the first to bring.
  struct Stretch {
    /// Offsets as they were sent.
    var range: Range<Int>
    /// Of the first byte.
    var place: CapturedPlace
    /// Bytes of it that came again otherwise, and with which packet.
    var conflicts: [(range: Range<Int>, packet: Int)] = []
  }

  /// Disjoint, ascending.
  private var stretches: [Stretch] = []

  /// A packet brought the bytes of `range`, the first of them at `place`.
  /// - Parameter altered: which of them are not those that were sent; others brought these before.
  mutating func add(_ range: Range<Int>, _ place: CapturedPlace, altered: Range<Int>?) {
    var cursor = range.lowerBound
    var index = 0
    while index < stretches.count, cursor < range.upperBound {
      let known = stretches[index].range
      if known.upperBound > cursor {
        if insert(cursor..<max(cursor, min(known.lowerBound, range.upperBound)), of: range, place, at: index)
        {
          index += 1
        }
        if let altered { noteConflict(altered, place.packet, at: index) }
        cursor = max(cursor, known.upperBound)
      }
      index += 1
    }
    _ = insert(cursor..<max(cursor, range.upperBound), of: range, place, at: stretches.count)
  }

  private mutating func insert(
    _ part: Range<Int>, of range: Range<Int>, _ place: CapturedPlace, at index: Int
  ) -> Bool {
    guard !part.isEmpty else { return false }
    var place = place
    place.fileOffset += part.lowerBound - range.lowerBound
    stretches.insert(Stretch(range: part, place: place), at: index)
    return true
  }

  private mutating func noteConflict(_ altered: Range<Int>, _ packet: Int, at index: Int) {
    let shared = altered.clamped(to: stretches[index].range)
    if !shared.isEmpty { stretches[index].conflicts.append((shared, packet)) }
  }

  /// Takes the first stretch if nothing can change it any more: no packet is still to come that begins before
  /// `frontier`.
  mutating func removeFirst(before frontier: Int) -> Stretch? {
    guard let first = stretches.first, first.range.upperBound <= frontier else { return nil }
    return stretches.removeFirst()
  }

  /// Whether the byte at `offset` is there.
  func contains(_ offset: Int) -> Bool { stretches.contains { $0.range.contains(offset) } }
}
