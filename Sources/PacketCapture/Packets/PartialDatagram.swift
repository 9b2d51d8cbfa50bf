import WireBytes

/// The fragments of one IP datagram, as far as they came.
///
/// A complete one is remembered by the places and hashes of its fragments, so that second copies of them
/// (captures often hold packets twice) do not begin a datagram that never ends.
struct PartialDatagram {
  enum State {
    case collecting, complete
    /// Its fragments contradict each other: no more of them are taken.
    case refused
    /// Its first fragment shows that it has nothing for a stream.
    case passedOver
  }

  /// What a fragment did.
  enum Answer {
    case waits, completed, ignored
    /// It is no part of the datagram that was completed, but of another one with the same name.
    case belongsToAnother
    /// It contradicts what is known: the datagram is refused.
    case contradicts
  }

  /// A fragment, by its place in the datagram.
  private struct Fragment {
    /// In bytes from 0.
    var offset: UInt16
    var length: UInt16
    /// Index in `hashes`; fragments count in the order in which they came.
    var arrival: UInt32
    var end: Int { Int(offset) &+ Int(length) }
  }

  private(set) var state = State.collecting
  /// From the first fragment, or as long as that is missing from the one that came first.
  private(set) var protocolNumber: UInt8
  /// Tells datagrams apart that have the same name after each other.
  let serial: Int
  /// The fragments in the order of their offsets. Small, because one that comes early moves those after it.
  private var fragments: [Fragment] = []
  /// Hash of the content, and index in `bytes` of the first byte, of each fragment.
  private var hashes: [(content: Int, start: Int)] = []
  /// The fragments' bytes and origins in the order in which they came.
  private var bytes: [UInt8] = []
  private var origins: [ByteOrigin] = []
  /// Length of the datagram, once its last fragment came.
  private var total: Int?
  /// The first packets that brought fragments, and how many more did.
  private(set) var packets: [Int] = []
  private(set) var morePackets = 0
  private(set) var cutFragments = 0
  private(set) var firstOrigin: ByteOrigin?

  init(serial: Int, protocolNumber: UInt8) {
    self.serial = serial
    self.protocolNumber = protocolNumber
  }

  var receivedBytes: Int { bytes.count }
  var hasFirstFragment: Bool { fragments.first?.offset == 0 }

  /// Bytes of memory that it takes, its place in the table and in the queue counted in.
  var cost: Int {
    600 &+ bytes.capacity &+ fragments.capacity &* MemoryLayout<Fragment>.stride
      &+ hashes.capacity &* MemoryLayout<(Int, Int)>.stride
      &+ origins.capacity &* MemoryLayout<ByteOrigin>.stride &+ packets.capacity &* MemoryLayout<Int>.stride
  }

  /// Takes a fragment. `content` are its bytes, of which `missing` were not captured, and `origins` say where
  /// they stand, from `start` on. The datagram it makes is not longer than 65,535 bytes.
  mutating func add(
    _ header: FragmentHeader, _ content: RawSpan, missing: Int, origins: [ByteOrigin], from start: Int
  ) -> Answer {
    switch state {
    case .refused, .passedOver: return .ignored
    case .complete:
      return missing > 0 || isKnown(header, content) ? .ignored : .belongsToAnother
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
    else {
      return .contradicts
    }
    if isKnown(header, content) { return .ignored }
    guard let index = freePlace(header.offset..<end) else { return .contradicts }
    if !header.hasMore { total = end }
    insert(header, content, at: index, origins: origins, from: start)
    if state == .passedOver { return .ignored }
    return bytes.count == total ? .completed : .waits
  }

  /// Index among the fragments for one of `range`; nil where it overlaps another.
  private func freePlace(_ range: Range<Int>) -> Int? {
    let index = index(of: range.lowerBound)
    if index > 0, fragments[index - 1].end > range.lowerBound { return nil }
    if index < fragments.count, Int(fragments[index].offset) < range.upperBound { return nil }
    return index
  }

  /// Index of the first fragment at `offset` or after it.
  private func index(of offset: Int) -> Int {
    if let last = fragments.last, Int(last.offset) < offset { return fragments.count }
    var low = 0
    var high = fragments.count
    while low < high {
      let middle = (low + high) / 2
      if Int(fragments[middle].offset) < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether a fragment of the same place and content was there before.
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
    _ header: FragmentHeader, _ content: RawSpan, at index: Int, origins: [ByteOrigin], from start: Int
  ) {
    if header.offset == 0 {
      protocolNumber = header.protocolNumber
      // The ports of UDP stand in its first four bytes.
      if protocolNumber == 17, content.byteCount >= 4,
        !PacketWalk.isVXLAN(port: content.bigEndianUInt16(at: 2))
      {
        return forget(as: .passedOver)
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

  /// Remembers which packet came, for the message about a datagram that stays incomplete.
  private mutating func note(_ origins: [ByteOrigin]) {
    guard let number = origins.last?.packet?.number, number != packets.last else { return }
    if packets.count < 8 { packets.append(number) } else { morePackets &+= 1 }
  }

  mutating func refuse() { forget(as: .refused) }

  private mutating func forget(as newState: State) {
    state = newState
    (fragments, hashes, bytes, origins, packets) = ([], [], [], [], [])
  }

  /// Hands over the whole datagram, and forgets its bytes.
  mutating func takeDatagram() -> ReassembledDatagram {
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
