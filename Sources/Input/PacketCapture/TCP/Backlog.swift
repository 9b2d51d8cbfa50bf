import Basics

/// Bytes that arrived before earlier bytes of the stream.
struct PendingSegment {
  /// Position of the first byte (`HalfConnection`).
  var position: Int
  var bytes: [UInt8]
  /// Of the first byte.
  var origin: PayloadOrigin
  /// Number of packets read when it arrived.
  var arrival: Int
  /// What other copies show of the bytes.
  var corrections: [Correction] = []

  var end: Int { position &+ bytes.count }
  var fileOffset: Int { origin.fileOffset }
  var packet: PacketReference { origin.packet }

  /// Approximate memory: the bytes, their array, and this value.
  var cost: Int { bytes.count &+ Self.overhead }
  static let overhead = 128
}

/// Data buffered by a direction until earlier bytes arrive: segments, findings whose offset is not known yet, and
/// the byte of a window probe. A separate object, since few directions need one at a time.
final class Backlog {
  var segments = PendingSegments()
  /// Anomalies to emit once offsets are known, with their positions.
  var findings: [(finding: StreamFinding, position: Int)] = []
  /// The lowest of these positions, and the number of packets read when it arrived.
  var lowestFinding: (position: Int, arrival: Int)?
  /// The byte of a window probe, which counts only if other bytes follow it.
  var probe: PendingSegment?

  var isEmpty: Bool { segments.isEmpty && findings.isEmpty && probe == nil }

  /// Approximate memory, in bytes.
  var cost: Int { segments.cost &+ findings.count &* Self.findingCost }
  private static let findingCost = 256

  func add(_ finding: StreamFinding, at position: Int, arrival: Int) {
    findings.append((finding, position))
    if position < lowestFinding?.position ?? .max { lowestFinding = (position, arrival) }
  }
}

/// Segments in the order of their positions; no two of them overlap.
///
/// They are stored in chunks, so that an insertion moves few of them: n segments in any order cost at most n times a
/// chunk.
struct PendingSegments {
  private static let chunkLength = 128

  private var chunks: [[PendingSegment]] = []
  /// Cost of all segments (`PendingSegment.cost`).
  private(set) var cost = 0

  var isEmpty: Bool { chunks.isEmpty }
  var first: PendingSegment? { chunks.first?.first }

  /// Where some of the bytes come from.
  var sample: [PayloadOrigin] { chunks.first?.prefix(8).map(\.origin) ?? [] }

  /// Position of the first byte; nil without any.
  var firstPosition: Int? { chunks.first?.first?.position }

  /// Adds a segment that overlaps no other.
  mutating func insert(_ segment: PendingSegment) {
    assert(
      !segment.bytes.isEmpty && overlapping(segment.position..<segment.end).isEmpty,
      "pending segments have bytes, and no two of them the same")
    cost &+= segment.cost
    guard !chunks.isEmpty else { return chunks.append([segment]) }
    let chunk = max(0, chunkIndex(after: segment.position) - 1)
    let index = Self.index(after: segment.position, in: chunks[chunk])
    chunks[chunk].insert(segment, at: index)
    if chunks[chunk].count > Self.chunkLength { split(chunk, insertedAt: index) }
  }

  mutating func removeFirst() -> PendingSegment? {
    guard !chunks.isEmpty else { return nil }
    let segment = chunks[0].removeFirst()
    if chunks[0].isEmpty { chunks.removeFirst() }
    cost &-= segment.cost
    assert(isEmpty ? cost == 0 : cost > 0, "the cost is that of the segments")
    return segment
  }

  /// Corrects the segment that contains `position`.
  mutating func correct(_ position: Int, _ more: [Correction]) {
    let chunk = chunkIndex(after: position) - 1
    guard chunk >= 0 else { return }
    let index = Self.index(after: position, in: chunks[chunk]) - 1
    if index >= 0 { chunks[chunk][index].corrections.add(more) }
  }

  /// The segments with bytes of `range`, in order.
  func overlapping(_ range: Range<Int>) -> [PendingSegment] {
    guard !chunks.isEmpty, !range.isEmpty else { return [] }
    var found: [PendingSegment] = []
    var chunk = max(0, chunkIndex(after: range.lowerBound) - 1)
    var index = max(0, Self.index(after: range.lowerBound, in: chunks[chunk]) - 1)
    while chunk < chunks.count {
      while index < chunks[chunk].count {
        let segment = chunks[chunk][index]
        if segment.position >= range.upperBound { return found }
        if segment.end > range.lowerBound { found.append(segment) }
        index += 1
      }
      chunk += 1
      index = 0
    }
    return found
  }

  /// Splits a full chunk. Segments mostly arrive in order: then the first part stays nearly full.
  private mutating func split(_ chunk: Int, insertedAt index: Int) {
    let isAtEnd = index == chunks[chunk].count - 1
    let cut = isAtEnd ? index : chunks[chunk].count / 2
    let tail = Array(chunks[chunk][cut...])
    chunks[chunk].removeLast(tail.count)
    chunks.insert(tail, at: chunk + 1)
  }

  /// Index of the first chunk that begins after `position`.
  private func chunkIndex(after position: Int) -> Int {
    chunks.partitioningIndex { $0[0].position > position }
  }

  private static func index(after position: Int, in chunk: [PendingSegment]) -> Int {
    chunk.partitioningIndex { $0.position > position }
  }
}

/// File locations of a direction's delivered bytes, to compare retransmissions with them.
struct DeliveredRanges {
  /// Bytes of one packet, or of a gap.
  struct DeliveredRange {
    /// Position of the first byte (`HalfConnection`); the last one is before the next range.
    let position: Int
    /// Offset of the first byte in the file; -1 for a gap.
    private let location: Int
    let checksum: ChecksumEvidence
    /// All of the packet that is kept, the number in 40 bits. The order avoids padding: ranges are many.
    private let high: UInt8
    private let input: UInt16
    /// The event that delivered them.
    let event: EventReference
    private let low: UInt32

    init(
      position: Int, fileOffset: Int?, checksum: ChecksumEvidence, event: EventReference,
      packet: PacketReference
    ) {
      (self.position, location, self.checksum, self.event) = (position, fileOffset ?? -1, checksum, event)
      let number = packet.number ?? 0
      (high, low) = (UInt8(truncatingIfNeeded: number &>> 32), UInt32(truncatingIfNeeded: number))
      input = packet.input
    }

    var fileOffset: Int? { location < 0 ? nil : location }
    var packet: PacketReference { PacketReference(number: Int(high) &<< 32 | Int(low), input: input) }
    var origin: PayloadOrigin? {
      fileOffset.map { PayloadOrigin(windowIndex: nil, fileOffset: $0, packet: packet, checksum: checksum) }
    }
  }

  /// Minimum number of entries per direction, even when the budget is used up.
  private static let minCount = 8

  private var entries: [DeliveredRange] = []
  /// The first entries that are dropped, up to some half of them: 16 bits suffice.
  private var dropped: Int16 = 0
  private var head: Int { Int(dropped) }

  var count: Int { entries.count &- head }

  /// Position of the first byte kept; nil if none is.
  var firstPosition: Int? { head < entries.count ? entries[head].position : nil }

  /// Adds a range delivered after all others.
  /// - Parameter mayGrow: whether more than the last `minCount` may be kept.
  @inline(__always)
  mutating func append(_ entry: DeliveredRange, mayGrow: Bool) {
    assert(entries.last.map { $0.position < entry.position } ?? true, "delivered ranges have bytes, in order")
    if !mayGrow { makeRoom() }
    // Most directions of many connections have few, and an array doubles its memory.
    if entries.count < Self.minCount { entries.reserveCapacity(entries.count &+ 1) }
    entries.append(entry)
  }

  private mutating func makeRoom() {
    if count >= Self.minCount { dropped += 1 }
    if head > entries.count / 2 {
      entries.removeFirst(head)
      dropped = 0
    }
  }

  /// Where the last bytes come from: a sample of the segments of a direction.
  var sample: [PayloadOrigin] { entries[head...].suffix(Self.minCount).compactMap(\.origin) }

  /// A range, and the position after its last byte.
  typealias Entry = (range: DeliveredRange, end: Int)

  /// The range with the byte at `position`, which was delivered; nil if it was dropped.
  /// - Parameter next: the position after the last range.
  func entry(at position: Int, next: Int) -> Entry? {
    let after = entries.partitioningIndex(from: head) { $0.position > position }
    guard after > head else { return nil }
    return (entries[after - 1], after < entries.count ? entries[after].position : next)
  }
}
