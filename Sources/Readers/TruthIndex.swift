/// Finds true tuples by what they say, and knows how many say the same: a multiset whose members are the
/// numbers of tuples from 0, each kind under its first one.
///
/// Open addressing with linear probing, at most half of the slots in use. The hash has the process's seed, so
/// no stream can be made to collide.
struct TruthIndex: Sendable {
  /// 32 bits of the hash above the tuple's number plus one; 0 is empty. Numbers fit: 2^32 tuples with a token
  /// each take 28 GiB.
  private var slots: [UInt64]
  /// For each tuple the first one that says the same.
  private(set) var firstAlike: [UInt32] = []
  /// How many tuples say what this one says, where it is the first of them; else 0.
  private(set) var copies: [UInt32]

  init(of tuples: [FeedbackTruth.TrueTuple], in bytes: [UInt8]) {
    slots = [UInt64](repeating: 0, count: Self.slotCount(for: tuples.count))
    copies = [UInt32](repeating: 0, count: tuples.count)
    firstAlike.reserveCapacity(tuples.count)
    let stream = bytes.span.bytes
    for (number, tuple) in tuples.enumerated() {
      let time = Int64(tuple.time)
      let token = stream.extracting(tuple.token)
      let hash = Self.hash(time, token)
      let place = slot(hash: hash) { tuples[$0].says(time, token, in: bytes) }
      if slots[place] == 0 { slots[place] = hash << 32 | UInt64(number + 1) }
      let first = Self.number(in: slots[place])
      firstAlike.append(UInt32(truncatingIfNeeded: first))
      copies[first] &+= 1
    }
  }

  /// The first number under `hash` of which `isAlike` holds.
  @inline(__always)
  func find(hash: UInt64, isAlike: (Int) -> Bool) -> Int? {
    let value = slots[slot(hash: hash, isAlike: isAlike)]
    return value == 0 ? nil : Self.number(in: value)
  }

  /// 32 bits of a hash of what a tuple says.
  @inline(__always)
  static func hash(_ time: Int64, _ token: RawSpan) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(time)
    token.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(UInt(bitPattern: hasher.finalize())) & 0xffff_ffff
  }

  /// The slot that holds it, else the empty one where it belongs.
  @inline(__always)
  private func slot(hash: UInt64, isAlike: (Int) -> Bool) -> Int {
    let mask = slots.count &- 1
    var place = Int(hash) & mask
    while slots[place] != 0 {
      if slots[place] >> 32 == hash, isAlike(Self.number(in: slots[place])) { break }
      place = (place &+ 1) & mask
    }
    return place
  }

  private static func number(in slot: UInt64) -> Int { Int(slot & 0xffff_ffff) &- 1 }

  private static func slotCount(for count: Int) -> Int {
    var slots = 16
    while slots < 2 * count { slots *= 2 }
    return slots
  }
}

/// Finds bytes among others in one pass, however both repeat (Knuth, Morris and Pratt): a token of zeros in a stream of
/// zeros takes no longer than any other.
package struct PatternSearch {
  private let pattern: [UInt8]
  /// For each length of a match from 1, the longest shorter one that it ends in.
  private let shorter: [Int]

  package init(_ pattern: [UInt8]) {
    var shorter = [Int](repeating: 0, count: pattern.count)
    var matched = 0
    for place in pattern.indices.dropFirst() {
      while matched > 0, pattern[matched] != pattern[place] { matched = shorter[matched - 1] }
      if pattern[matched] == pattern[place] { matched += 1 }
      shorter[place] = matched
    }
    self.pattern = pattern
    self.shorter = shorter
  }

  /// The first place from `start` on that the pattern begins at and that is wanted.
  package func first(in bytes: [UInt8], from start: Int, where isWanted: (Int) -> Bool) -> Int? {
    guard start <= bytes.count else { return nil }
    guard !pattern.isEmpty else { return (start...bytes.count).first(where: isWanted) }
    var matched = 0
    for place in start..<bytes.count {
      while matched > 0, pattern[matched] != bytes[place] { matched = shorter[matched - 1] }
      if pattern[matched] == bytes[place] { matched += 1 }
      guard matched == pattern.count else { continue }
      let begin = place + 1 - matched
      if isWanted(begin) { return begin }
      matched = shorter[matched - 1]
    }
    return nil
  }
}
