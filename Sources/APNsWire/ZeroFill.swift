import WireBytes

/// Finds the traces of tools that fill gaps with zeros (decoding-rules.md, flag `zero-filled-token`).
enum ZeroFill {
  /// As many zero bytes in a row make a token suspicious.
  static let runLength = 8

  /// Whether the `count` bytes from `start` hold eight zero bytes in a row.
  ///
  /// Eight in a row cover one place of every eight, so where none of the places 7, 15, 23 … is zero there
  /// can be no such row: that decides nearly every token with a few loads. The bytes must lie in the span,
  /// which is not checked here.
  @inline(__always)
  static func isPresent(in bytes: RawSpan, from start: Int, count: Int) -> Bool {
    var place = start &+ runLength &- 1
    let end = start &+ count
    while place < end {
      if bytes.uncheckedByte(at: place) == 0 {
        return isPresentByCounting(in: bytes, from: start, count: count)
      }
      place &+= runLength
    }
    return false
  }

  @inline(never)
  private static func isPresentByCounting(in bytes: RawSpan, from start: Int, count: Int) -> Bool {
    var zeros = 0
    for place in start..<(start + count) {
      zeros = bytes.byte(at: place) == 0 ? zeros + 1 : 0
      if zeros == runLength { return true }
    }
    return false
  }
}
