import Basics

/// The tracked connections, found by their two endpoints, and their eviction order.
///
/// Connections are values in one array; a slot is an index in it. The hash table uses linear probing. Hashes are
/// keyed anew in each process, because addresses and ports come from outside: an attacker cannot choose colliding
/// ones.
struct FlowTable: ~Copyable {
  typealias Reference = UnsafeMutablePointer<Connection>

  /// Eviction rank of a connection: lower ranks are evicted first, and within a rank the connection that was idle
  /// longest.
  enum Rank: UInt8, CaseIterable {
    /// It has ended, or has carried no data so far.
    case ended, silent, speaking
  }

  /// Neighbours in the list of a rank, by the time of their last packets; -1 at an end.
  struct Links {
    var rank = Rank.silent
    var older: Int32 = -1
    var newer: Int32 = -1
  }

  /// Memory that is never touched costs nothing, so this capacity is allocated at once.
  private static let usualCapacity = 1 << 18
  private static let minIndexCount = 1 << 13

  private let limit: Int
  private let reserved: Int
  private let keys = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
  private var connections: Reference
  private var capacity: Int
  /// Whether each slot has a connection.
  private var isUsed: [Bool] = []
  private var free: [Int32] = []
  /// The 32-bit hash above the slot plus one; 0 is empty. The size is a power of two; at most half of the entries are
  /// in use.
  private var index: [UInt64]
  private var lists: InlineArray<3, (oldest: Int32, newest: Int32)> = .init(repeating: (-1, -1))

  /// - Parameters:
  ///   - limit: maximum number of tracked connections.
  ///   - reserved: the number of slots, from 0, that are never used.
  init(limit: Int, reserved: Int) {
    (self.limit, self.reserved) = (max(1, limit), reserved)
    isUsed = [Bool](repeating: false, count: reserved)
    capacity = min(Self.usualCapacity, self.limit) + reserved
    connections = .allocate(capacity: capacity)
    index = [UInt64](repeating: 0, count: Self.minIndexCount)
  }

  deinit {
    for slot in isUsed.indices where isUsed[slot] { (connections + slot).deinitialize(count: 1) }
    connections.deallocate()
  }

  var count: Int { isUsed.count &- free.count &- reserved }
  var isFull: Bool { count >= limit }

  /// Whether `slot` is in use by the connection `number`.
  func contains(_ number: Int, in slot: Int32) -> Bool {
    isUsed[Int(slot)] && self[slot].pointee.number == number
  }

  /// The connection of a slot in use. The pointer is valid until the next insertion.
  subscript(slot: Int32) -> Reference { connections + Int(slot) }

  /// The slots in use, in the order of the connections' numbers.
  var slots: [Int32] {
    (0..<Int32(truncatingIfNeeded: isUsed.count)).filter { isUsed[Int($0)] }
      .sorted { self[$0].pointee.number < self[$1].pointee.number }
  }

  // MARK: - By endpoints

  /// The connection between two endpoints, and which of its sides `source` is.
  @inline(__always)
  func find(_ source: Endpoint, _ destination: Endpoint) -> (connection: Reference, side: Side)? {
    let hash = hash(source, destination)
    let mask = index.count &- 1
    var probe = Int(hash) & mask
    while true {
      let entry = index[probe]
      if entry == 0 { return nil }
      if entry &>> 32 == UInt64(hash) {
        let found = connections + (Int(truncatingIfNeeded: entry & 0xffff_ffff) &- 1)
        // If both endpoints are equal, every packet is the first side's.
        if found.pointee.peers.first == source, found.pointee.peers.second == destination {
          return (found, .first)
        }
        if found.pointee.peers.second == source, found.pointee.peers.first == destination {
          return (found, .second)
        }
      }
      probe = (probe &+ 1) & mask
    }
  }

  /// The same for both directions.
  @inline(__always)
  private func hash(_ one: Endpoint, _ other: Endpoint) -> UInt32 {
    let sum = mix(one) &+ mix(other)
    let product = sum.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15 ^ keys.1)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }

  @inline(__always)
  private func mix(_ end: Endpoint) -> UInt64 {
    let product = (end.address.low ^ keys.0).multipliedFullWidth(
      by: (end.address.high &+ UInt64(end.port) &* 0x0001_0001_0001_0001) ^ keys.1)
    return product.high ^ product.low
  }

  /// Adds a connection between endpoints that are not in the table.
  mutating func insert(
    number: Int, _ peers: (first: Endpoint, second: Endpoint), _ packet: PacketReference
  ) -> Reference {
    let slot = free.popLast() ?? newSlot()
    isUsed[Int(slot)] = true
    (connections + Int(slot)).initialize(
      to: Connection(number: number, slot: slot, peers: peers, packet: packet))
    if 2 * count > index.count { growIndex() }
    enter(hash(peers.first, peers.second), slot)
    link(slot, .silent)
    assert(count <= limit, "no more connections are tracked than allowed")
    return connections + Int(slot)
  }

  private mutating func newSlot() -> Int32 {
    if isUsed.count == capacity { growConnections() }
    isUsed.append(false)
    return Int32(truncatingIfNeeded: isUsed.count - 1)
  }

  private mutating func growConnections() {
    let larger = 2 * capacity
    let moved = Reference.allocate(capacity: larger)
    moved.moveInitialize(from: connections, count: capacity)
    connections.deallocate()
    (connections, capacity) = (moved, larger)
  }

  private mutating func growIndex() {
    let old = index
    index = [UInt64](repeating: 0, count: 2 * old.count)
    for entry in old where entry != 0 {
      enter(UInt32(entry >> 32), Int32(truncatingIfNeeded: entry & 0xffff_ffff) - 1)
    }
  }

  private mutating func enter(_ hash: UInt32, _ slot: Int32) {
    let mask = index.count - 1
    var probe = Int(hash) & mask
    while index[probe] != 0 { probe = (probe + 1) & mask }
    index[probe] = UInt64(hash) << 32 | UInt64(slot + 1)
  }

  mutating func remove(_ slot: Int32) {
    let peers = self[slot].pointee.peers
    leave(hash(peers.first, peers.second), slot)
    unlink(slot)
    self[slot].deinitialize(count: 1)
    isUsed[Int(slot)] = false
    free.append(slot)
  }

  /// Removes an entry, and moves later entries that would become unreachable.
  private mutating func leave(_ hash: UInt32, _ slot: Int32) {
    let mask = index.count - 1
    var probe = Int(hash) & mask
    while index[probe] & 0xffff_ffff != UInt64(slot + 1) { probe = (probe + 1) & mask }
    var next = (probe + 1) & mask
    while index[next] != 0 {
      let own = Int(index[next] >> 32) & mask
      if (next - own) & mask >= (next - probe) & mask {
        index[probe] = index[next]
        probe = next
      }
      next = (next + 1) & mask
    }
    index[probe] = 0
  }

  // MARK: - By age

  /// Marks the connection as the most recent of its rank.
  @inline(__always)
  mutating func touch(_ slot: Int32, _ rank: Rank) {
    let links = self[slot].pointee.links
    if links.rank == rank, links.newer < 0 { return }
    unlink(slot)
    link(slot, rank)
  }

  /// The connection to evict if the table is full.
  var leastValuable: Int32? {
    let rank = Rank.allCases.first { lists[Int($0.rawValue)].oldest >= 0 }
    return rank.map { lists[Int($0.rawValue)].oldest }
  }

  private mutating func link(_ slot: Int32, _ rank: Rank) {
    let list = Int(rank.rawValue)
    let newest = lists[list].newest
    self[slot].pointee.links = Links(rank: rank, older: newest, newer: -1)
    if newest >= 0 { self[newest].pointee.links.newer = slot } else { lists[list].oldest = slot }
    lists[list].newest = slot
  }

  private mutating func unlink(_ slot: Int32) {
    let links = self[slot].pointee.links
    let list = Int(links.rank.rawValue)
    if links.older >= 0 {
      self[links.older].pointee.links.newer = links.newer
    } else {
      lists[list].oldest = links.newer
    }
    if links.newer >= 0 {
      self[links.newer].pointee.links.older = links.older
    } else {
      lists[list].newest = links.older
    }
  }
}

/// When to stop waiting for gaps: the entries due after each of the next packets of the capture.
///
/// Slots are reused, so an entry has the number of its connection, too: an entry of a removed connection is ignored.
struct FlushQueue {
  struct Deadline: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      /// A direction waits for the bytes of a gap, or for its SYN.
      case gap(Side)
      /// A connection has ended, and is closed when no more packets of it arrive.
      case end
    }

    var slot: Int32
    var number: Int
    var kind: Kind
  }

  /// Number of packets to wait for.
  let window: Int
  /// The entries due after each packet, in a ring.
  private var entries: [[Deadline]]
  /// Number of packets read.
  private var now = 0
  /// Index of `now` in the ring.
  private var current = 0
  /// Nothing is due before this packet. `takeEarliest` sets it to that of its entry.
  private(set) var earliest = Int.max

  init(window: Int) {
    self.window = min(max(0, window), CaptureOptions.maxReorderWindow)
    entries = Array(repeating: [], count: self.window + 1)
  }

  /// Adds an entry due after `count` more packets, at most `window`.
  mutating func add(_ entry: Deadline, after count: Int) {
    let packet = now + min(max(0, count), window)
    entries[packet % entries.count].append(entry)
    earliest = min(earliest, packet)
  }

  @inline(__always)
  mutating func takeDue() -> [Deadline]? {
    if earliest > now || entries[current].isEmpty { return nil }
    defer { entries[current] = [] }
    return entries[current]
  }

  @inline(__always)
  mutating func advance() {
    now &+= 1
    current &+= 1
    if current == entries.count { current = 0 }
  }

  /// Takes the entry that is due first; nil if the queue is empty.
  mutating func takeEarliest() -> Deadline? {
    earliest = max(earliest, now)
    while earliest <= now + window {
      if let entry = entries[earliest % entries.count].popLast() { return entry }
      earliest += 1
    }
    earliest = .max
    return nil
  }
}
