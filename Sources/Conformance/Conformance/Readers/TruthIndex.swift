/// Finds true tuples by value, and counts equal ones: a multiset of tuple indices from 0, in which the first of several
/// equal tuples represents them all.
///
/// Open addressing with linear probing, at most half of the slots in use. The hash is seeded per process, so
/// that no stream can be crafted to collide.
struct TruthIndex: Sendable {
  /// 32 bits of the hash above the tuple's index plus one; 0 is empty. Indices fit: 2^32 tuples with a token take at
  /// least 28 GiB.
  private var slots: [UInt64]
  /// For each tuple the index of the first equal one.
  private(set) var firstAlike: [UInt32] = []
  /// For the first of several equal tuples their number; else 0.
  private(set) var copies: [UInt32]

  init(of tuples: [TrueRecords.TrueTuple], in bytes: [UInt8]) {
    // A power of two, at least 16.
    let bits = Int.bitWidth - max(15, 2 * tuples.count - 1).leadingZeroBitCount
    slots = [UInt64](repeating: 0, count: 1 << bits)
    copies = [UInt32](repeating: 0, count: tuples.count)
    firstAlike.reserveCapacity(tuples.count)
    let stream = bytes.span.bytes
    for (number, tuple) in tuples.enumerated() {
      let time = Int64(tuple.time)
      let token = stream.extracting(tuple.token)
      let hash = Self.hash(time, token)
      let slot = slot(hash: hash) { tuples[$0].says(time, token, in: bytes) }
      if slots[slot] == 0 { slots[slot] = hash << 32 | UInt64(number + 1) }
      let first = Self.number(in: slots[slot])
      firstAlike.append(UInt32(truncatingIfNeeded: first))
      copies[first] &+= 1
    }
  }

  /// The first index under `hash` for which `isAlike` is true.
  @inline(__always)
  func find(hash: UInt64, isAlike: (Int) -> Bool) -> Int? {
    let value = slots[slot(hash: hash, isAlike: isAlike)]
    return value == 0 ? nil : Self.number(in: value)
  }

  /// 32 bits of the hash of a tuple's value.
  @inline(__always)
  static func hash(_ time: Int64, _ token: RawSpan) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(time)
    token.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(UInt(bitPattern: hasher.finalize())) & 0xffff_ffff
  }

  /// The slot of an equal tuple, or else the empty slot for it.
  @inline(__always)
  private func slot(hash: UInt64, isAlike: (Int) -> Bool) -> Int {
    let mask = slots.count &- 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      if slots[slot] >> 32 == hash, isAlike(Self.number(in: slots[slot])) { break }
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  private static func number(in slot: UInt64) -> Int { Int(slot & 0xffff_ffff) &- 1 }
}

/// Finds a byte pattern in linear time (Knuth, Morris and Pratt), even a token of zeros in a stream of zeros.
package struct PatternSearch {
  private let pattern: [UInt8]
  /// The failure function: for each length of a match from 1, the longest shorter match that is its suffix.
  private let shorter: [Int]

  package init(_ pattern: [UInt8]) {
    var shorter = [Int](repeating: 0, count: pattern.count)
    var matched = 0
    for index in pattern.indices.dropFirst() {
      while matched > 0, pattern[matched] != pattern[index] { matched = shorter[matched - 1] }
      if pattern[matched] == pattern[index] { matched += 1 }
      shorter[index] = matched
    }
    self.pattern = pattern
    self.shorter = shorter
  }

  /// Index of the first accepted match from `start` on.
  package func first(in bytes: [UInt8], from start: Int, where isWanted: (Int) -> Bool) -> Int? {
    guard start <= bytes.count else { return nil }
    guard !pattern.isEmpty else { return (start...bytes.count).first(where: isWanted) }
    var matched = 0
    for index in start..<bytes.count {
      while matched > 0, pattern[matched] != bytes[index] { matched = shorter[matched - 1] }
      if pattern[matched] == bytes[index] { matched += 1 }
      guard matched == pattern.count else { continue }
      let begin = index + 1 - matched
      if isWanted(begin) { return begin }
      matched = shorter[matched - 1]
    }
    return nil
  }
}
