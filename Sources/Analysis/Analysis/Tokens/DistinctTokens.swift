/// Finds the distinct tokens of a log with a hash table, which is reused for the next log.
struct DistinctTokens: ~Copyable {
  struct Token {
    /// Pointer to the bytes.
    var start: UnsafeRawPointer
    /// The origin of the first record, if there are origins.
    var first: UnsafeRawPointer
    /// The first eight bytes as a number.
    var prefix: UInt64
    var entry: TokenEntry

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: Int(entry.length)) }

    /// The first eight bytes decide nearly every comparison.
    @inline(__always)
    static func precedes(_ left: Token, _ right: Token) -> Bool {
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return TokenOrder.compare(left.bytes, right.bytes) < 0
    }
  }

  /// In the order of first occurrence until they are sorted. Valid as long as the log.
  private(set) var tokens: [Token] = []
  /// Bytes of the first entries of `tokens`.
  private(set) var byteCount = 0
  private var hash = TokenHash()
  /// Open addressing with linear probing, in a power of two of slots, at least half of them free. A slot has the
  /// low 32 bits of the token's hash in its upper half, and the index plus one in its lower half; 0 is empty.
  private var slots = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)

  deinit { slots.deallocate() }

  mutating func find(in log: TokenLog) {
    tokens.removeAll(keepingCapacity: true)
    byteCount = 0
    tokens.reserveCapacity(log.count)
    let bits = Int.bitWidth - max(log.count, 8).leadingZeroBitCount + 1
    clearSlots(1 << bits)
    log.visitChunks { entries in
      TokenEntry.visit(entries) { entry, token in add(entry, token, slotBits: bits) }
    }
  }

  func visit(_ body: (_ token: RawSpan, _ verdict: TokenSummary) throws -> Void) rethrows {
    for token in tokens {
      try body(RawSpan(_unsafeBytes: token.bytes), TokenSummary(token.entry, token.start, first: token.first))
    }
  }

  /// Tokens are random as a rule: a bucket for each, by the first bytes, leaves few to be moved.
  mutating func sort() {
    let prefixes = tokens.lazy.map(\.prefix)
    guard let least = prefixes.min(), let most = prefixes.max() else { return }
    let shift = UInt64.bitWidth - ((most - least) / UInt64(tokens.count)).leadingZeroBitCount
    tokens.sort(byNumber: { Int(($0.prefix - least) >> shift) }, below: Int((most - least) >> shift) + 1)
    tokens.sort(by: Token.precedes)
  }

  private mutating func clearSlots(_ count: Int) {
    if slots.count < count {
      slots.deallocate()
      slots = .allocate(capacity: count)
    }
    slots.prefix(count).update(repeating: 0)
  }

  @inline(__always)
  private mutating func add(_ entry: TokenEntry, _ bytes: UnsafeRawBufferPointer, slotBits: Int) {
    guard let start = bytes.baseAddress else { return }
    let first = entry.origins(before: start).first
    let token = Token(start: start, first: first, prefix: TokenOrder.prefix(of: bytes), entry: entry)
    let hash = hash(bytes)
    let mask = 1 &<< slotBits &- 1
    // The upper bits of a product depend on all bits of the factors.
    var slot = Int(truncatingIfNeeded: hash &>> UInt64(UInt64.bitWidth &- slotBits))
    while slots[slot] != 0 {
      let index = Int(slots[slot] & 0xffff_ffff) &- 1
      if slots[slot] &>> 32 == hash & 0xffff_ffff, TokenOrder.compare(tokens[index].bytes, bytes) == 0 {
        if entry.hasOrigin {
          if entry.isLater(than: tokens[index].entry) { tokens[index].start = start }
          if TokenOrigin.load(token.first).time < TokenOrigin.load(tokens[index].first).time {
            tokens[index].first = token.first
          }
        }
        return tokens[index].entry.merge(entry)
      }
      slot = (slot &+ 1) & mask
    }
    tokens.append(token)
    byteCount &+= entry.size
    slots[slot] = hash &<< 32 | UInt64(tokens.count)
  }
}

/// A hash with random keys, so that untrusted tokens cannot be chosen to collide: the sum of products of NH (Black
/// et al., UMAC, 1999), here with words of eight bytes, and folded.
private struct TokenHash {
  private var keys: [UInt64] = []

  /// - Parameter token: must be followed by zeros up to a multiple of eight bytes.
  @inline(__always)
  mutating func callAsFunction(_ token: UnsafeRawBufferPointer) -> UInt64 {
    let words = (token.count &+ 7) &>> 3
    // Two more than the number of words, rounded up to an even number.
    while keys.count < words &+ 3 { keys.append(.random(in: .min ... .max)) }
    var sum = keys[0] &* UInt64(truncatingIfNeeded: token.count)
    var index = 0
    while index < words {
      let second = index &+ 1 < words ? Self.word(index &+ 1, of: token) : 0
      let product = (Self.word(index, of: token) &+ keys[index &+ 1])
        .multipliedFullWidth(by: second &+ keys[index &+ 2])
      sum &+= product.high ^ product.low
      index &+= 2
    }
    return sum &* (keys[1] | 1)
  }

  @inline(__always)
  private static func word(_ index: Int, of token: UnsafeRawBufferPointer) -> UInt64 {
    token.baseAddress?.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self) ?? 0
  }
}
