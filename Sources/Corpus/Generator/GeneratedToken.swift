/// A token of a scenario, by its number.
enum GeneratedToken {
  /// Appends length and token: the same bytes for the same number, whatever comes before.
  static func append(_ number: Int, of scenario: Scenario, to bytes: inout [UInt8]) {
    var random = RandomNumbers(seed: scenario.seed, .tokens, number: number)
    let lengths = scenario.tokenLengths
    let length = lengths.isEmpty ? Scenario.normalLength : lengths[random.below(lengths.count)]
    appendBigEndian(UInt16(truncatingIfNeeded: length), to: &bytes)
    var word: UInt64 = 0
    for place in 0..<length {
      if place % 8 == 0 { word = random.next() }
      var byte = UInt8(truncatingIfNeeded: word >> UInt64(place % 8 * 8))
      while !fits(byte, behind: bytes, isLast: place == length - 1) { byte = random.byte() }
      bytes.append(byte)
    }
  }

  /// Whether `byte` may stand behind the tuple's bytes so far (TupleSource). Behind the last one comes a time, whose
  /// first byte is more than 73 and, as the second of a length, less than 101.
  private static func fits(_ byte: UInt8, behind bytes: [UInt8], isLast: Bool) -> Bool {
    let (before, last) = (bytes[bytes.count &- 2], bytes[bytes.count &- 1])
    if isLast, byte == 0 { return false }
    return !looksLikeLength(last, byte) && !looksLikeCiphertext(before, last, byte)
  }

  static func looksLikeLength(_ high: UInt8, _ low: UInt8) -> Bool {
    high == 0 && low <= Scenario.longestToken
  }

  /// decoding-rules.md, Ciphertext.
  static func looksLikeCiphertext(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
    (0x14...0x17).contains(first) && second == 3 && third <= 4
  }
}
