/// How a stream is cut into chunks. A chunk is what one network read can return at most (docs/spec/readers.md#chunks): a TCP
/// segment's payload, or a size given by the user. No chunk is empty.
public enum Chunking: Sendable, Equatable {
  /// Chunks end at these ascending offsets, in bytes from 0. An offset that is not beyond the previous one is
  /// ignored, and the bytes after the last one form a chunk.
  case ends([Int])
  /// Sizes in bytes, used in turn and repeated; a size below 1 counts as 1.
  case sizes([Int])

  /// Chunks of `size` bytes.
  public static func size(_ size: Int) -> Chunking { .sizes([size]) }

  /// The default size (docs/spec/readers.md#chunks).
  public static let standard = Chunking.size(4096)
}

/// Simulates reads from a socket: each returns at most the rest of a chunk. It returns ranges, and does not store
/// the bytes.
public struct ChunkedReads {
  @usableFromInline let byteCount: Int
  @usableFromInline let list: [Int]
  @usableFromInline let listsEnds: Bool
  /// Index of the next element of `list`.
  @usableFromInline var next = 0
  /// Offset of the next read, in bytes from 0.
  @usableFromInline var position = 0
  @usableFromInline var chunkEnd = 0

  public init(of byteCount: Int, cut chunking: Chunking) {
    self.byteCount = byteCount
    switch chunking {
    case .ends(let ends):
      list = ends
      listsEnds = true
    case .sizes(let sizes):
      list = sizes
      listsEnds = false
    }
  }

  /// Reads up to `limit` bytes, at least 1; returns their range, which is empty at the stream's end.
  @inlinable
  public mutating func read(_ limit: Int) -> Range<Int> {
    if position == chunkEnd { beginChunk() }
    let start = position
    position = chunkEnd - start > limit ? start &+ limit : chunkEnd
    return start..<position
  }

  @inlinable
  mutating func beginChunk() {
    if listsEnds || list.isEmpty {
      while next < list.count, chunkEnd == position {
        chunkEnd = max(position, min(list[next], byteCount))
        next &+= 1
      }
      if chunkEnd == position { chunkEnd = byteCount }
    } else {
      chunkEnd = position &+ min(max(list[next], 1), byteCount &- position)
      next = next &+ 1 == list.count ? 0 : next &+ 1
    }
  }
}
