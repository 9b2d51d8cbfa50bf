import WireBytes

/// Finds the traces of tools that fill gaps with zeros (decoding-rules.md, flag `zero-filled-token`).
enum ZeroFill {
  /// As many zero bytes in a row make a token suspicious.
  static let runLength = 8

  /// Whether the `count` bytes from `start` hold eight zero bytes in a row. They must lie in the span, which
  /// is not checked here.
  ///
  /// Eight in a row cover one place of every eight, so they can only lie around a zero at the places 7, 15,
  /// 23 …: that decides nearly every token with a few loads.
  @inline(__always)
  static func isPresent(in bytes: RawSpan, from start: Int, count: Int) -> Bool {
    // Nearly all tokens have 32 bytes: one product, and one branch, for their four places.
    if count == 32, product(of: bytes, at: start &+ runLength &- 1) != 0 { return false }
    var place = start &+ runLength &- 1
    let end = start &+ count
    while place < end {
      if bytes.uncheckedByte(at: place) == 0, isInRow(place, of: bytes, from: start, to: end) { return true }
      place &+= runLength
    }
    return false
  }

  /// The product of four bytes eight places apart; 0 where one of them is.
  @inline(__always)
  private static func product(of bytes: RawSpan, at place: Int) -> UInt32 {
    UInt32(bytes.uncheckedByte(at: place)) &* UInt32(bytes.uncheckedByte(at: place &+ 8))
      &* UInt32(bytes.uncheckedByte(at: place &+ 16)) &* UInt32(bytes.uncheckedByte(at: place &+ 24))
  }

  /// Whether the zero at `place` has enough others beside it.
  @inline(never)
  private static func isInRow(_ place: Int, of bytes: RawSpan, from start: Int, to end: Int) -> Bool {
    var first = place
    while first > start, bytes.byte(at: first - 1) == 0 { first -= 1 }
    var behind = place + 1
    while behind < end, bytes.byte(at: behind) == 0 { behind += 1 }
    return behind - first >= runLength
  }
}
