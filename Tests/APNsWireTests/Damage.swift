import TestSupport

/// Damage of every kind that the rules speak of, and of kinds that they do not.
extension SeededGenerator {
  mutating func damaged(_ bytes: [UInt8], places: Int) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<places where !bytes.isEmpty {
      damage(&bytes, at: pick(0...(bytes.count - 1)))
    }
    return bytes
  }

  private mutating func damage(_ bytes: inout [UInt8], at place: Int) {
    let rest = bytes.count - place
    switch pick(0...7) {
    case 0, 1:
      let lost = pick([1, 1, 2, 6, 37, 38, 39, pick(1...200)])
      bytes.removeSubrange(place..<(place + min(lost, rest)))
    case 2: bytes[place] ^= 1 << UInt8(pick(0...7))
    case 3:
      let count = pick([1, 2, 5, 38, pick(1...80)])
      bytes.insert(contentsOf: self.bytes(count), at: place)
    case 4:
      let count = min(rest, pick(1...60))
      bytes.insert(contentsOf: Array(bytes[place..<(place + count)]), at: place)
    case 5:
      let count = min(rest, pick(1...120))
      bytes.replaceSubrange(place..<(place + count), with: repeatElement(0, count: count))
    case 6: bytes.removeSubrange(place...)
    default: bytes.removeSubrange(..<place)
    }
  }
}
