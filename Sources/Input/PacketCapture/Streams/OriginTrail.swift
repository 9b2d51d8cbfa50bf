/// The origins of a direction's recent bytes.
package struct OriginTrail {
  /// Extents in the order of the stream. Those before the last lookups are removed from time to time.
  private var origins: [SourceExtent] = []
  private static let mostForgotten = 16

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
  package func origin(at offset: Int) -> SourceExtent? {
    origins.isEmpty ? nil : origins[origins.index(of: offset)]
  }

  /// The extents after that of `offset`, up to the one with the byte before `end`.
  package func extents(after offset: Int, before end: Int) -> ArraySlice<SourceExtent> {
    let first = min(origins.index(of: offset) + 1, origins.count)
    var last = first
    while last < origins.count, origins[last].streamOffset < end { last += 1 }
    return origins[first..<last]
  }

  /// Adds the extents of the bytes in `range` to others, moved by `shift` bytes of the stream.
  package func copy(_ range: Range<Int>, shiftedBy shift: Int, to parts: inout [SourceExtent]) {
    guard !origins.isEmpty else { return }
    origins.copy(range, from: origins.index(of: range.lowerBound), shiftedBy: shift, to: &parts)
  }

  /// Forgets the extents before that of `offset`. Lookups before `offset` are no longer possible.
  package mutating func forget(before offset: Int) {
    let known = origins.index(of: offset)
    if known >= Self.mostForgotten { origins.removeFirst(known) }
  }
}
