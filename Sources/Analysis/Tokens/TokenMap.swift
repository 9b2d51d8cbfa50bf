import APNsWire
import Platform
import WireBytes

/// Distinct tokens in memory: a hash table over an arena of entries.
///
/// Hashes are keyed anew in each process (`Hasher`), because tokens come from outside: nobody can choose some
/// that collide.
struct TokenMap: ~Copyable {
  /// Arena places are 31-bit numbers of 8-byte units.
  private static let mostArena = 8 << 31
  private static let fewestSlots = 1024
  /// Tokens are hashed so many at a time: then several of them can wait for memory at once when they are
  /// looked up, which a hash in between would prevent.
  private static let batch = 32

  private let memory: Int
  /// `capacity` bytes, reserved in whole; the system gives memory only to the pages that are written.
  private let arena: UnsafeMutableRawPointer
  private let capacity: Int
  private var arenaUsed = 0
  private(set) var count = 0
  /// Open addressing with linear probing; a power of two slots, at most three quarters of them in use. A
  /// slot holds 32 bits of the token's hash above the entry's place in the arena plus one; 0 is empty.
  private var slots = [UInt64](repeating: 0, count: fewestSlots)
  private var hashes = [UInt32](repeating: 0, count: batch)

  /// - Parameter memory: limit in bytes for entries, slots and the keys of a sort.
  init(memory: Int) throws {
    self.memory = memory
    capacity = min(memory, Self.mostArena)
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let arena = mmap(nil, capacity, PROT_READ | PROT_WRITE, flags, -1, 0), arena != MAP_FAILED else {
      throw TokenTableError(
        description: "\(ByteSize.text(capacity)) of memory for distinct tokens cannot be had: "
          + "\(SystemError.text()); give a smaller --memory")
    }
    self.arena = arena
  }

  deinit {
    _ = munmap(arena, capacity)
  }

  /// Adds the tokens of `run` from the record `first` (from 0) on, until the limit is reached; returns the
  /// index behind the last one added.
  mutating func add(_ run: RecordRun, from first: Int, in bytes: RawSpan, counts: Bool) -> Int {
    let size = TokenEntry.size(tokenLength: run.tokenLength)
    var index = first
    while index < run.count {
      let end = min(index + Self.batch, run.count)
      guard hasRoom(for: end - index, of: size) else { return addSingly(run, from: index, in: bytes, counts) }
      makeSlots(for: end - index)
      hash(run, index..<end, in: bytes)
      for record in index..<end {
        add(run, record, hash: UInt64(hashes[record - index]), in: bytes, counts)
      }
      index = end
    }
    return index
  }

  /// The same where the limit is near.
  private mutating func addSingly(_ run: RecordRun, from first: Int, in bytes: RawSpan, _ counts: Bool) -> Int
  {
    for record in first..<run.count {
      guard hasRoom(for: 1, of: TokenEntry.size(tokenLength: run.tokenLength)) else { return record }
      makeSlots(for: 1)
      hash(run, record..<record + 1, in: bytes)
      add(run, record, hash: UInt64(hashes[0]), in: bytes, counts)
    }
    return run.count
  }

  /// Whether `more` entries of `size` bytes stay within the limit; always, for the first one.
  private func hasRoom(for more: Int, of size: Int) -> Bool {
    let used = arenaUsed + more * size
    if used > capacity { return false }
    if count == 0 { return true }
    let slotBytes = slots.count * MemoryLayout<UInt64>.size
    // A larger table stands beside the old one while it is filled.
    let grown = needsSlots(for: more) ? 3 * slotBytes : slotBytes
    return used + max(grown, slotBytes + (count + more) * SortKey.memory) <= memory
  }

  private func needsSlots(for more: Int) -> Bool {
    (count + more) * 4 > slots.count * 3
  }

  private mutating func makeSlots(for more: Int) {
    guard needsSlots(for: more) else { return }
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    let mask = slots.count - 1
    for value in old where value != 0 {
      var slot = Int(value >> 32) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = value
    }
  }

  /// Puts the hashes of some records, at most `batch`, into `hashes`.
  private mutating func hash(_ run: RecordRun, _ records: Range<Int>, in bytes: RawSpan) {
    for record in records {
      let start = run.start &+ record &* run.stride &+ run.headerLength
      var hasher = Hasher()
      bytes.extracting(start..<start &+ run.tokenLength).withUnsafeBytes { hasher.combine(bytes: $0) }
      hashes[record &- records.lowerBound] = UInt32(truncatingIfNeeded: hasher.finalize())
    }
  }

  private mutating func add(
    _ run: RecordRun, _ record: Int, hash: UInt64, in bytes: RawSpan, _ counts: Bool
  ) {
    let start = run.start &+ record &* run.stride
    let entry = TokenEntry(
      time: bytes.bigEndianUInt32(at: start), length: run.tokenLength, flags: run.flags, counts: counts)
    let tokenStart = start &+ run.headerLength
    bytes.extracting(tokenStart..<tokenStart &+ run.tokenLength).withUnsafeBytes { token in
      let mask = slots.count &- 1
      var slot = Int(hash) & mask
      while slots[slot] != 0 {
        if slots[slot] &>> 32 == hash, merge(entry, token, at: place(of: slots[slot])) { return }
        slot = (slot &+ 1) & mask
      }
      slots[slot] = hash &<< 32 | UInt64(arenaUsed / 8 &+ 1)
      append(entry, token)
    }
  }

  /// Offset in the arena, in bytes, of the entry that a slot names.
  @inline(__always)
  private func place(of slot: UInt64) -> Int {
    (Int(slot & 0xffff_ffff) &- 1) &* 8
  }

  /// Adds what `entry` knows to the entry at `place` if that is of the same token.
  private func merge(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer, at place: Int) -> Bool {
    var (known, other) = Self.entry(at: arena + place)
    guard TokenOrder.compare(token, other) == 0 else { return false }
    known.merge(entry)
    known.store(to: arena + place)
    return true
  }

  private mutating func append(_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) {
    let head = arena + arenaUsed
    if let bytes = token.baseAddress, token.count > 0 {
      // The filling of the last eight bytes; the token overwrites the rest of them.
      (head + entry.size - 8).storeBytes(of: 0, as: UInt64.self)
      (head + TokenEntry.headLength).copyMemory(from: bytes, byteCount: token.count)
    }
    entry.store(to: head)
    arenaUsed += entry.size
    count += 1
  }
}

// MARK: - In order

extension TokenMap {
  /// A token's first bytes as a number, and where its entry is.
  private struct SortKey {
    var prefix: UInt64
    var place: Int

    /// Bytes that sorting takes for each entry: the keys, and half of them again for merging.
    static let memory = MemoryLayout<SortKey>.size * 3 / 2
  }

  private static func entry(at head: UnsafeRawPointer) -> (entry: TokenEntry, token: UnsafeRawBufferPointer) {
    let entry = TokenEntry(loadingFrom: head)
    return (entry, UnsafeRawBufferPointer(start: head + TokenEntry.headLength, count: Int(entry.length)))
  }

  /// Calls `body` with each entry, in the order of the tokens.
  ///
  /// The first eight bytes decide nearly every comparison; they are sorted as numbers beside the places, so
  /// that a comparison rarely goes to the arena.
  borrowing func visitInOrder(
    _ body: (_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let arena = UnsafeRawPointer(arena)
    var keys: [SortKey] = []
    keys.reserveCapacity(count)
    var place = 0
    while place < arenaUsed {
      let (entry, token) = Self.entry(at: arena + place)
      keys.append(SortKey(prefix: TokenOrder.prefix(of: token), place: place))
      place += entry.size
    }
    keys.sort { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return TokenOrder.precedes(
        Self.entry(at: arena + left.place).token, Self.entry(at: arena + right.place).token)
    }
    for key in keys {
      let (entry, token) = Self.entry(at: arena + key.place)
      try body(entry, token)
    }
  }

  /// Calls `body` for each entry in the order in which the tokens came first.
  borrowing func visitAsTheyCame(
    _ body: (_ entry: TokenEntry, _ token: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let arena = UnsafeRawPointer(arena)
    var place = 0
    while place < arenaUsed {
      let (entry, token) = Self.entry(at: arena + place)
      try body(entry, token)
      place += entry.size
    }
  }

  /// Forgets all entries, and gives their memory back: a merge is about to need as much.
  mutating func removeAll() {
    _ = madvise(arena, capacity, MADV_DONTNEED)
    arenaUsed = 0
    count = 0
    slots = [UInt64](repeating: 0, count: Self.fewestSlots)
  }
}
