/// The generator's random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014). Only integers, so that a seed gives the same bytes on every machine.
package struct RandomNumbers: Sendable {
  /// The purpose of the numbers. Each purpose has its own sequence, so that an option does not affect the results of
  /// another one.
  enum Purpose: UInt64, Sendable {
    case tokens = 1
    case times, damage, connections, segments, disturbances, pace, requests, endings, fileDamage, fragments
    case outcomes, exchanges, identifiers, chunks
  }

  private var state: UInt64

  /// - Parameter number: the number of the sequence with that purpose: the number of a token or connection.
  init(seed: UInt64, _ purpose: Purpose, number: Int = 0) {
    var mixer = RandomNumbers(state: seed)
    mixer.state = mixer.next() ^ purpose.rawValue
    state = mixer.next() ^ UInt64(truncatingIfNeeded: number)
    state = next()
  }

  /// The sequence of the reference implementation for the seed `state`.
  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number from 0 to `limit` - 1; 0 if `limit` is below 2. Probabilities differ by at most `limit` / 2^64.
  package mutating func below(_ limit: Int) -> Int {
    guard limit > 1 else { return 0 }
    return Int(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  package mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound &+ below(range.count) }

  /// True with a probability of `perMille` / 1000.
  package mutating func happens(_ perMille: Int) -> Bool { perMille > 0 && below(1000) < perMille }

  /// The number of bytes that a segment repeats.
  mutating func overlap(_ perMille: Int) -> Int {
    happens(perMille) ? within(1...CaptureScenario.longestOverlap) : 0
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 56) }
}
