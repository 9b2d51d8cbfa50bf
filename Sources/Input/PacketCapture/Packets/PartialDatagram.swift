import Basics

/// The fragments received of one IP datagram.
///
/// Of a complete one the offsets and hashes of its fragments are remembered, so that duplicates (captures often have
/// packets twice) do not start a datagram that never completes.
struct PartialDatagram {
  enum Completeness {
    case collecting, complete
    /// Its fragments conflict: further ones are ignored.
    case refused
    /// Its first fragment shows that it carries no stream.
    case skipped
  }

  enum AddResult {
    case waits, ignored
    case completed(ReassembledDatagram)
    /// It belongs to another datagram with the same key.
    case belongsToAnother
    /// It conflicts with other fragments: the datagram is refused.
    case contradicts
  }

  private struct Fragment {
    /// In bytes from 0.
    var offset: UInt16
    var length: UInt16
    /// Index in `hashes`; fragments count in the order in which they came.
    var arrival: UInt32
    var end: Int { Int(offset) &+ Int(length) }
  }

  /// No receiver waits longer for the fragments of a datagram (RFC 1122, section 3.3.2), in seconds.
  static let lifetime = 120

  private(set) var state = Completeness.collecting
  /// From the first fragment; until that arrives, from any other.
  private(set) var protocolNumber: UInt8
  /// Distinguishes successive datagrams with the same key.
  let serial: Int
  /// The fragments ordered by offset. Small, because inserting one moves those after it.
  private var fragments: [Fragment] = []
  /// Hash of the content, and index in `bytes` of the first byte, of each fragment.
  private var hashes: [(content: Int, start: Int)] = []
  /// The fragments' bytes and origins in the order in which they came.
  private var bytes: [UInt8] = []
  private var origins: [SourceExtent] = []
  /// Length of the datagram, once its last fragment came.
  private var total: Int?
  /// The first packets with fragments, and the number of further ones.
  private(set) var packets: [Int] = []
  private(set) var morePackets = 0
  private(set) var cutFragments = 0
  private(set) var firstOrigin: SourceExtent?

  init(serial: Int, protocolNumber: UInt8) {
    self.serial = serial
    self.protocolNumber = protocolNumber
  }

  var receivedBytes: Int { bytes.count }
  var hasFirstFragment: Bool { fragments.first?.offset == 0 }

  /// Memory it uses, in bytes, including its entries in the table and in the queue.
  var cost: Int {
    600 &+ bytes.capacity &+ fragments.capacity &* MemoryLayout<Fragment>.stride
      &+ hashes.capacity &* MemoryLayout<(Int, Int)>.stride
      &+ origins.capacity &* MemoryLayout<SourceExtent>.stride &+ packets.capacity &* MemoryLayout<Int>.stride
  }

  /// Takes a fragment. `content` are its bytes, of which `missing` were not captured; `origins` locates them, from
  /// `start` on. The resulting datagram has at most 65,535 bytes.
  mutating func add(
    _ header: FragmentHeader, _ content: RawSpan, missing: Int, origins: [SourceExtent], from start: Int
  ) -> AddResult {
    let isCopy = missing == 0 && isKnown(header, content)
    if !isCopy, let time = origins[origins.index(of: start)].packet?.time,
      let first = firstOrigin?.packet?.time, (time.seconds &- first.seconds).magnitude > Self.lifetime
    {
      return .belongsToAnother
    }
    switch state {
    case .refused, .skipped: return .ignored
    case .complete: return missing > 0 || isCopy ? .ignored : .belongsToAnother
    case .collecting: break
    }
    if firstOrigin == nil { firstOrigin = origins.slice(start..<start &+ 1, shiftedBy: 0).first }
    guard missing == 0 else {
      cutFragments &+= 1
      note(origins)
      return .waits
    }
    let end = header.offset &+ content.byteCount
    guard end <= total ?? .max, header.hasMore || (total ?? end == end && end >= fragments.last?.end ?? 0)
    else { return refuse() }
    if isCopy { return .ignored }
    guard let index = freeIndex(header.offset..<end) else { return refuse() }
    if !header.hasMore { total = end }
    insert(header, content, at: index, origins: origins, from: start)
    if state == .skipped { return .ignored }
    return bytes.count == total ? .completed(takeDatagram()) : .waits
  }

  /// Index at which to insert a fragment of `range`; nil if it overlaps another.
  private func freeIndex(_ range: Range<Int>) -> Int? {
    let index = index(of: range.lowerBound)
    if index > 0, fragments[index - 1].end > range.lowerBound { return nil }
    if index < fragments.count, Int(fragments[index].offset) < range.upperBound { return nil }
    return index
  }

  /// Index of the first fragment at `offset` or after it.
  private func index(of offset: Int) -> Int {
    if let last = fragments.last, Int(last.offset) < offset { return fragments.count }
    return fragments.partitioningIndex { Int($0.offset) >= offset }
  }

  /// Whether a fragment with the same range and content was added before.
  private func isKnown(_ header: FragmentHeader, _ content: RawSpan) -> Bool {
    let index = index(of: header.offset)
    guard index < fragments.count, Int(fragments[index].offset) == header.offset,
      Int(fragments[index].length) == content.byteCount
    else { return false }
    return hashes[Int(fragments[index].arrival)].content == Self.hash(content)
  }

  private static func hash(_ content: RawSpan) -> Int {
    var hasher = Hasher()
    content.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private mutating func insert(
    _ header: FragmentHeader, _ content: RawSpan, at index: Int, origins: [SourceExtent], from start: Int
  ) {
    if header.offset == 0 {
      protocolNumber = header.protocolNumber
      // The ports of UDP are its first four bytes.
      if protocolNumber == 17, content.byteCount >= 4,
        !PacketParser.isTunnel(port: content.bigEndianUInt16(at: 2))
      {
        return forget(as: .skipped)
      }
    }
    let fragment = Fragment(
      offset: UInt16(truncatingIfNeeded: header.offset),
      length: UInt16(truncatingIfNeeded: content.byteCount),
      arrival: UInt32(truncatingIfNeeded: hashes.count))
    fragments.insert(fragment, at: index)
    hashes.append((Self.hash(content), bytes.count))
    self.origins += origins.slice(start..<start &+ content.byteCount, shiftedBy: bytes.count &- start)
    content.withUnsafeBytes { bytes.append(contentsOf: $0) }
    note(origins)
  }

  /// Remembers the packet for the message about an incomplete datagram.
  private mutating func note(_ origins: [SourceExtent]) {
    guard let number = origins.last?.packet?.number, number != packets.last else { return }
    if packets.count < 8 { packets.append(number) } else { morePackets &+= 1 }
  }

  private mutating func refuse() -> AddResult {
    forget(as: .refused)
    return .contradicts
  }

  private mutating func forget(as newState: Completeness) {
    state = newState
    (fragments, hashes, bytes, origins, packets) = ([], [], [], [], [])
  }

  /// Returns the complete datagram, and releases its bytes.
  private mutating func takeDatagram() -> ReassembledDatagram {
    var datagram = ReassembledDatagram(bytes: [], origins: [])
    datagram.bytes.reserveCapacity(bytes.count)
    for fragment in fragments {
      let start = hashes[Int(fragment.arrival)].start
      let range = start..<start &+ Int(fragment.length)
      datagram.bytes += bytes[range]
      datagram.origins += origins.slice(range, shiftedBy: Int(fragment.offset) &- start)
    }
    state = .complete
    (bytes, origins, packets) = ([], [], [])
    return datagram
  }
}
