/// The origins of a direction's recent bytes.
package struct OriginTrail {
  /// Extents in the order of the stream. Those before the last lookups are removed from time to time.
  private var origins: [SourceExtent] = []
  private static let mostForgotten = 16
  /// Index of the extent that was looked up last: lookups are mostly in the order of the stream.
  private var cursor = 0

  package init() {}

  /// Adds the extents of the next bytes.
  package mutating func append(_ more: Span<SourceExtent>) {
    guard !more.isEmpty else { return }
    var added = origins.last?.isContinued(by: more[0]) == true ? 1 : 0
    for index in 1..<more.count
    where more[index &- 1].reaches(more[index]) && more[index &- 1].isContinued(by: more[index]) {
      add(more, added..<index)
      added = index &+ 1
    }
    add(more, added..<more.count)
  }

  /// All at once: most streams of a capture have an extent for each packet.
  private mutating func add(_ more: Span<SourceExtent>, _ range: Range<Int>) {
    more.extracting(range).withUnsafeBufferPointer { origins.append(contentsOf: $0) }
  }

  /// The extent of the byte at `offset`; nil only before the first byte.
  package mutating func origin(at offset: Int) -> SourceExtent? {
    guard !origins.isEmpty else { return nil }
    moveCursor(to: offset)
    return origins[cursor]
  }

  @inline(__always)
  private mutating func moveCursor(to offset: Int) {
    if cursor >= origins.count || origins[cursor].streamOffset > offset {
      cursor = origins.index(of: offset)
    }
    while cursor + 1 < origins.count, origins[cursor + 1].streamOffset <= offset { cursor += 1 }
  }

  /// The extents after that of `offset`, up to the one with the byte before `end`.
  package mutating func extents(after offset: Int, before end: Int) -> ArraySlice<SourceExtent> {
    moveCursor(to: offset)
    let first = min(cursor + 1, origins.count)
    var last = first
    while last < origins.count, origins[last].streamOffset < end { last += 1 }
    return origins[first..<last]
  }

  /// Adds the extents of the bytes in `range` to others, moved by `shift` bytes of the stream.
  package mutating func copy(_ range: Range<Int>, shiftedBy shift: Int, to parts: inout [SourceExtent]) {
    guard !origins.isEmpty else { return }
    moveCursor(to: range.lowerBound)
    origins.copy(range, from: cursor, shiftedBy: shift, to: &parts)
  }

  /// Forgets the extents before that of `offset`. Lookups before `offset` are no longer possible.
  package mutating func forget(before offset: Int) {
    guard !origins.isEmpty else { return }
    moveCursor(to: offset)
    guard cursor >= Self.mostForgotten else { return }
    origins.removeFirst(cursor)
    cursor = 0
  }
}
