/// A feedback tuple as docs/spec/protocol.md#feedback-tuples has it, made without the code that is tested.
package struct Tuple: Hashable {
  /// Seconds since 1970.
  package var time: UInt32
  package var token: [UInt8]

  package init(_ time: UInt32, _ token: [UInt8]) {
    self.time = time
    self.token = token
  }

  /// `timestamp u32 | token length u16 | token`, big-endian.
  package var bytes: [UInt8] {
    [UInt8(time >> 24), UInt8(time >> 16 & 255), UInt8(time >> 8 & 255), UInt8(time & 255)]
      + [UInt8(token.count >> 8), UInt8(token.count & 255)] + token
  }
}

/// The stream of tuples in a row.
package func feedback(_ tuples: some Sequence<Tuple>) -> [UInt8] { tuples.flatMap(\.bytes) }

/// Lowercase hex.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}

/// A generator with a fixed seed (SplitMix64): every run of the tests sees the same values.
package struct FixedGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}

/// A token of `length` bytes without zeros in a row, different for every `number`.
package func token(_ number: Int, length: Int = 32) -> [UInt8] {
  var generator = FixedGenerator(seed: UInt64(number))
  return (0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) }
}

/// `count` sound tuples, a minute apart.
package func tuples(_ count: Int, from first: Int = 0, at start: UInt32 = 1_400_000_000) -> [Tuple] {
  (first..<first + count).map { Tuple(start + UInt32($0) * 60, token($0)) }
}
