import APNsWire
import StreamSources
import WireBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The distinct tokens of any number of records, with the latest time of each; exact, in bounded memory.
///
/// Up to the limit it is a hash table over an arena of entries. Beyond it the entries leave, sorted by token,
/// for a temporary file, and the sorted runs are merged when the answers are asked for: those are the same.
package final class TokenTable {
  /// Less than this is not worth a table; a smaller limit is taken for it.
  package static let leastMemory = 1 << 20
  /// Arena places are 31-bit numbers of 8-byte units.
  private static let mostArena = 8 << 31

  private let memory: Int
  /// `capacity` bytes, reserved in whole; the system gives memory only to the pages that are written.
  private let arena: UnsafeMutableRawPointer
  private let capacity: Int
  private var arenaUsed = 0
  private var entries = 0
  /// Open addressing with linear probing; a power of two slots. A slot holds 32 bits of the token's hash
  /// above the entry's place in the arena, plus one; 0 is empty.
  private var slots = [UInt64](repeating: 0, count: 1024)
  private var runs: SortedRuns

  /// - Parameters:
  ///   - memory: limit in bytes for table and sorting, at least `leastMemory`.
  ///   - temporaryDirectory: where entries go beyond that.
  package init(memory: Int, temporaryDirectory: String) throws {
    self.memory = max(memory, Self.leastMemory)
    capacity = min(self.memory, Self.mostArena)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let arena = mmap(nil, capacity, PROT_READ | PROT_WRITE, flags, -1, 0), arena != MAP_FAILED else {
      throw TokenTableError(
        description: "\(ByteSize.text(capacity)) of memory for distinct tokens cannot be had: "
          + "\(SystemError.text()); give a smaller --memory")
    }
    self.arena = arena
    runs = SortedRuns(directory: temporaryDirectory, memory: self.memory)
  }

  deinit {
    _ = munmap(arena, capacity)
  }

  /// Adds the tokens of `run`, whose bytes are `bytes`.
  /// - Parameter counts: whether their times do.
  package func add(_ run: RecordRun, in bytes: RawSpan, counts: Bool) throws {
    for index in 0..<run.count {
      let start = run.start &+ index &* run.stride
      let entry = TokenEntry(
        time: bytes.bigEndianUInt32(at: start), length: run.tokenLength, flags: run.flags, counts: counts)
      let tokenStart = start &+ run.headerLength
      let token = bytes.extracting(tokenStart..<tokenStart &+ run.tokenLength)
      try token.withUnsafeBytes { try add(entry, $0) }
    }
  }

  private func add(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws {
    if mustSpill(for: entry.size) { try spill() }
    if entries &* 4 >= slots.count &* 3 { growSlots() }
    var hasher = Hasher()
    hasher.combine(bytes: token)
    let hash = UInt64(UInt32(truncatingIfNeeded: hasher.finalize()))
    let mask = UInt64(slots.count &- 1)
    var slot = Int(hash & mask)
    while slots[slot] != 0 {
      if slots[slot] &>> 32 == hash, merge(entry, token, intoEntryAt: place(of: slots[slot])) { return }
      slot = (slot &+ 1) & Int(mask)
    }
    slots[slot] = hash &<< 32 | UInt64(arenaUsed / 8 &+ 1)
    append(entry, token)
  }

  /// Offset in the arena, in bytes, of the entry that a slot names.
  @inline(__always)
  private func place(of slot: UInt64) -> Int {
    (Int(slot & 0xffff_ffff) &- 1) &* 8
  }

  private func merge(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer, intoEntryAt place: Int) -> Bool {
    var (known, other) = self.entry(at: place)
    guard TokenOrder.compare(token, other) == 0 else { return false }
    known.merge(entry)
    known.store(to: arena + place)
    return true
  }

  private func append(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) {
    let head = arena + arenaUsed
    entry.store(to: head)
    // An empty token has nothing behind the head, and its pointer may have an address all the same.
    if let bytes = token.baseAddress, !token.isEmpty {
      // The filling of the last eight bytes; the token overwrites the rest of them.
      (head + entry.size - 8).storeBytes(of: 0, as: UInt64.self)
      (head + TokenEntry.headLength).copyMemory(from: bytes, byteCount: token.count)
    }
    arenaUsed += entry.size
    entries += 1
  }

  private func growSlots() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    let mask = UInt64(slots.count - 1)
    for value in old where value != 0 {
      var slot = Int(value >> 32 & mask)
      while slots[slot] != 0 { slot = (slot + 1) & Int(mask) }
      slots[slot] = value
    }
  }
}

// MARK: - Answers

extension TokenTable {
  /// How many distinct tokens were added.
  package func distinctCount() throws -> Int {
    if runs.isEmpty { return entries }
    var count = 0
    try visit { _, _ in count += 1 }
    return count
  }

  /// Calls `body` once for each distinct token, in the order of their bytes; a token comes before its
  /// extensions.
  package func visit(_ body: (_ token: RawSpan, _ verdict: TokenVerdict) throws -> Void) throws {
    if runs.isEmpty {
      for place in sortedPlaces() {
        let (entry, token) = entry(at: place)
        try body(RawSpan(_unsafeBytes: token), TokenVerdict(entry))
      }
    } else {
      try spill()
      try runs.merge { entry, token in
        try body(RawSpan(_unsafeBytes: token), TokenVerdict(entry))
      }
    }
  }

  private func entry(at place: Int) -> (TokenEntry, UnsafeRawBufferPointer) {
    let entry = TokenEntry(loadingFrom: arena + place)
    let token = UnsafeRawBufferPointer(start: arena + place + TokenEntry.headLength, count: Int(entry.length))
    return (entry, token)
  }

  /// The places of all entries, sorted by token.
  ///
  /// The first eight bytes decide nearly every comparison; they are sorted as numbers beside the places, so
  /// that a comparison rarely goes to the arena.
  private func sortedPlaces() -> [Int] {
    var keys: [SortKey] = []
    keys.reserveCapacity(entries)
    var place = 0
    while place < arenaUsed {
      let (entry, token) = entry(at: place)
      keys.append(SortKey(prefix: TokenOrder.prefix(of: token), place: place))
      place += entry.size
    }
    keys.sort { left, right in
      left.prefix != right.prefix
        ? left.prefix < right.prefix
        : TokenOrder.precedes(entry(at: left.place).1, entry(at: right.place).1)
    }
    return keys.map(\.place)
  }

  private struct SortKey {
    var prefix: UInt64
    var place: Int
  }
}

// MARK: - The limit

extension TokenTable {
  /// Whether another entry of `size` bytes would take more than the limit, the keys for sorting and a larger
  /// table beside the old one counted in.
  @inline(__always)
  private func mustSpill(for size: Int) -> Bool {
    let slotBytes = slots.count &* MemoryLayout<UInt64>.size
    let grown = entries &* 4 >= slots.count &* 3 ? slotBytes &* 3 : slotBytes
    let keys = entries &* (MemoryLayout<SortKey>.size &+ MemoryLayout<Int>.size)
    return arenaUsed &+ size > capacity
      || (arenaUsed &+ size &+ max(grown, slotBytes &+ keys) > memory && entries > 0)
  }

  /// Moves all entries to the temporary file as one sorted run.
  private func spill() throws {
    guard entries > 0 else { return }
    try runs.addRun { append in
      for place in sortedPlaces() {
        let (entry, _) = entry(at: place)
        try append(UnsafeRawBufferPointer(start: arena + place, count: entry.size))
      }
    }
    arenaUsed = 0
    entries = 0
    slots = [UInt64](repeating: 0, count: 1024)
  }
}
