import PacketCapture

/// Remembers where the bytes of a stream that may still be asked about stand in the file.
struct OriginTrail {
  private var origins: [ByteOrigin] = []
  /// Offset in the stream behind the last byte that was told of.
  private var end = 0
  /// Index of the stretch that was asked for last: questions come in the order of the stream.
  private var cursor = 0

  /// Adds the stretches of the next bytes, which end at `end` of the stream.
  mutating func append(_ more: Span<ByteOrigin>, end: Int) {
    for index in more.indices {
      let origin = more[index]
      let isNext = index > 0 || origin.streamOffset == self.end
      if isNext, let last = origins.last, last.isContinued(by: origin) { continue }
      origins.append(origin)
    }
    self.end = end
  }

  /// The stretch that holds the byte at `offset`, and the offset behind the stretch. Nil only before any
  /// byte was told of.
  mutating func stretch(at offset: Int) -> (origin: ByteOrigin, end: Int)? {
    guard !origins.isEmpty else { return nil }
    if cursor >= origins.count || origins[cursor].streamOffset > offset { cursor = origins.index(of: offset) }
    while cursor + 1 < origins.count, origins[cursor + 1].streamOffset <= offset { cursor += 1 }
    return (origins[cursor], cursor + 1 < origins.count ? origins[cursor + 1].streamOffset : end)
  }

  mutating func origin(at offset: Int) -> ByteOrigin? {
    stretch(at: offset)?.origin
  }

  /// Forgets the stretches before the one that holds `offset`.
  mutating func forget(before offset: Int) {
    guard !origins.isEmpty else { return }
    let first = origins.index(of: offset)
    guard first > 0 else { return }
    origins.removeFirst(first)
    cursor = max(0, cursor - first)
  }
}
