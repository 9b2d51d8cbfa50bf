import TestSupport

/// Damages bytes in random ways, including ways that the rules do not mention.
extension SeededGenerator {
  mutating func damaged(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<count where !bytes.isEmpty {
      damage(&bytes, at: pick(0...(bytes.count - 1)))
    }
    return bytes
  }

  /// Random, all zeros, or with about 8 consecutive zeros, the limit of the rules.
  mutating func token(_ length: Int) -> [UInt8] {
    if chance(30) { return [UInt8](repeating: 0, count: length) }
    var token = bytes(length)
    if length > 0, chance(12) {
      let start = pick(0...(length - 1))
      let end = min(length, start + pick([7, 8, 9]))
      token.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
    }
    return token
  }

  private mutating func damage(_ bytes: inout [UInt8], at index: Int) {
    let rest = bytes.count - index
    switch pick(0...7) {
    case 0, 1:
      let lost = pick([1, 1, 2, 6, 37, 38, 39, pick(1...200)])
      bytes.removeSubrange(index..<(index + min(lost, rest)))
    case 2: bytes[index] ^= 1 << UInt8(pick(0...7))
    case 3:
      let added = pick([1, 2, 5, 38, pick(1...80)])
      bytes.insert(contentsOf: self.bytes(added), at: index)
    case 4:
      let count = min(rest, pick(1...60))
      bytes.insert(contentsOf: Array(bytes[index..<(index + count)]), at: index)
    case 5:
      let count = min(rest, pick(1...120))
      bytes.replaceSubrange(index..<(index + count), with: repeatElement(0, count: count))
    case 6: bytes.removeSubrange(index...)
    default: bytes.removeSubrange(..<index)
    }
  }
}
