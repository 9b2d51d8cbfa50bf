/// Searches bytes that come in blocks of any size.
package final class StreamSearch {
  private let matcher: TokenMatcher
  private let found: ([SearchHit]) -> Void
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  /// Offset of the buffer's first byte.
  private var offset = 0
  /// Index of the first window that was not looked at.
  private var next = 0

  /// - Parameters:
  ///   - bufferLength: in bytes, which should stay in the processor's cache.
  ///   - found: gets the hits of some bytes, by offset. Those of later bytes may begin a little before.
  package init(
    _ matcher: TokenMatcher, bufferLength: Int = 64 << 10, found: @escaping ([SearchHit]) -> Void
  ) {
    (self.matcher, self.found) = (matcher, found)
    // A window at the end is read as eight bytes.
    buffer = .allocate(byteCount: max(bufferLength, 4 * matcher.reach) + 8, alignment: 64)
  }

  deinit { buffer.deallocate() }

  package func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(buffer.count - 8 - filled)
      UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: part)
      filled += part.count
      rest = rest.dropFirst(part.count)
      if filled == buffer.count - 8 { search(until: filled - matcher.reach) }
    }
  }

  /// The bytes have ended.
  package func finish() {
    for index in filled..<filled + 8 { buffer[index] = 0 }
    search(until: max(next, filled))
    filled = 0
  }

  /// Looks at the windows before `end`, and keeps what tokens around later ones may have.
  private func search(until end: Int) {
    var hits: [SearchHit] = []
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
    matcher.search(bytes, next..<end, at: offset, into: &hits)
    if !hits.isEmpty { found(hits.sorted { $0.offset < $1.offset }) }
    let kept = max(0, end - matcher.reach)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[kept..<filled]))
    (offset, filled, next) = (offset + kept, filled - kept, end - kept)
  }
}
