import PacketCapture

/// The extents of the last bytes of each direction, which show where in the file a record ends.
struct RecentExtents {
  private var calls: [StreamDirection: [(origins: [SourceExtent], end: Int)]] = [:]

  mutating func keep(_ count: Int, of direction: StreamDirection, origins: Span<SourceExtent>) {
    guard !origins.isEmpty else { return }
    let copy = origins.withUnsafeBufferPointer { Array($0) }
    calls[direction] = (calls[direction] ?? []).suffix(1) + [(copy, copy[0].streamOffset + count)]
  }

  mutating func forget(_ stream: Int) {
    for side in Side.allCases { calls[StreamDirection(stream: stream, side: side)] = nil }
  }

  /// The file offsets of the bytes in `range` of a stream, of which the first is at `fileOffset`; nil if they are not known.
  func fileOffsets(of range: Range<Int>, in stream: Int, at fileOffset: Int) -> Range<Int>? {
    for side in Side.allCases {
      guard let calls = calls[StreamDirection(stream: stream, side: side)],
        range.upperBound <= calls.last?.end ?? 0
      else { continue }
      let origins = calls.flatMap(\.origins)
      let first = origins[origins.index(of: range.lowerBound)]
      guard first.streamOffset <= range.lowerBound, first.fileOffset(of: range.lowerBound) == fileOffset
      else { continue }
      let last = max(range.upperBound - 1, range.lowerBound)
      let end = origins[origins.index(of: last)].fileOffset(of: last)
      return fileOffset..<max(end, fileOffset) + 1
    }
    return nil
  }
}
