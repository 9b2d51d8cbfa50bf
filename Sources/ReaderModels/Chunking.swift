/// How a stream was cut into chunks. A chunk is what one network read can return at most (docs/spec/readers.md#chunks): a TCP
/// segment's payload, or a size that the user gave. No chunk is empty.
public enum Chunking: Sendable, Equatable {
  /// Chunks end at these offsets in bytes from 0, which ascend. What is not beyond the end before it ends no
  /// chunk, and bytes behind the last one are a chunk too.
  case ends([Int])
  /// Sizes in bytes, used in turn and again from the top; less than 1 counts as 1.
  case sizes([Int])

  /// Chunks of `size` bytes.
  public static func size(_ size: Int) -> Chunking { .sizes([size]) }

  /// The size that is taken where nobody says anything else (docs/spec/readers.md#chunks).
  public static let standard = Chunking.size(4096)
}

/// Reads a stream as a program reads a socket: at most the rest of a chunk at once. It hands out places and
/// holds none of the bytes.
public struct ChunkedReads {
  @usableFromInline let byteCount: Int
  @usableFromInline let list: [Int]
  @usableFromInline let listsEnds: Bool
  /// Which of `list` is next.
  @usableFromInline var next = 0
  /// Offset in bytes from 0 of what the next read begins with.
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

  /// A read for `limit` bytes, at least 1: the place of what it returns, which is empty at the stream's end.
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
