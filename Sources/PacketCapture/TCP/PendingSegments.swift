/// Bytes that came before the ones in front of them.
struct PendingSegment {
  /// Position of the first byte (HalfStream).
  var position: Int
  var bytes: [UInt8]
  /// Offset of the first byte in the file.
  var fileOffset: Int
  var packet: PacketReference
  /// How many packets had been read when it came.
  var arrival: Int

  var end: Int { position &+ bytes.count }

  /// What it takes in memory, about: the bytes, the array that holds them, and this.
  var cost: Int { bytes.count &+ Self.overhead }
  static let overhead = 128
}

/// The bytes that a direction holds back, in the order of their positions; no two segments overlap.
///
/// Segments lie in chunks, so that an insertion anywhere moves few of them: 100,000 segments in any order
/// cost no more than their number times a chunk.
struct PendingSegments {
  private static let chunkLength = 128

  private var chunks: [[PendingSegment]] = []
  /// What all segments cost (PendingSegment.cost).
  private(set) var cost = 0

  var isEmpty: Bool { chunks.isEmpty }
  var first: PendingSegment? { chunks.first?.first }

  /// Position of the first byte that is held; nil without any.
  var firstPosition: Int? { chunks.first?.first?.position }

  /// Adds a segment that overlaps no other.
  mutating func insert(_ segment: PendingSegment) {
    cost &+= segment.cost
    guard !chunks.isEmpty else { return chunks.append([segment]) }
    let place = max(0, chunkIndex(behind: segment.position) - 1)
    let index = Self.index(behind: segment.position, in: chunks[place])
    chunks[place].insert(segment, at: index)
    if chunks[place].count > Self.chunkLength { split(place, insertedAt: index) }
  }

  /// Takes the first segment out.
  mutating func removeFirst() -> PendingSegment? {
    guard !chunks.isEmpty else { return nil }
    let segment = chunks[0].removeFirst()
    if chunks[0].isEmpty { chunks.removeFirst() }
    cost &-= segment.cost
    return segment
  }

  /// Calls `visit` for each segment that holds bytes of `range`, in order.
  func visit(_ range: Range<Int>, _ visit: (PendingSegment) throws -> Void) rethrows {
    guard !chunks.isEmpty, !range.isEmpty else { return }
    var place = max(0, chunkIndex(behind: range.lowerBound) - 1)
    var index = max(0, Self.index(behind: range.lowerBound, in: chunks[place]) - 1)
    while place < chunks.count {
      while index < chunks[place].count {
        let segment = chunks[place][index]
        if segment.position >= range.upperBound { return }
        if segment.end > range.lowerBound { try visit(segment) }
        index += 1
      }
      place += 1
      index = 0
    }
  }

  /// A full chunk becomes two. Segments mostly come in order: then the first one stays nearly full.
  private mutating func split(_ place: Int, insertedAt index: Int) {
    let isAtEnd = index == chunks[place].count - 1
    let cut = isAtEnd ? index : chunks[place].count / 2
    let tail = Array(chunks[place][cut...])
    chunks[place].removeLast(tail.count)
    chunks.insert(tail, at: place + 1)
  }

  /// Index of the first chunk that begins behind `position`.
  private func chunkIndex(behind position: Int) -> Int {
    var (low, high) = (0, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if let first = chunks[middle].first, first.position <= position {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private static func index(behind position: Int, in chunk: [PendingSegment]) -> Int {
    var (low, high) = (0, chunk.count)
    while low < high {
      let middle = (low + high) / 2
      if chunk[middle].position <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
