/// What a network and a capture do to the order of packets; for segments as well as for frames.
extension Array {
  /// Nothing moves by `window` positions or more.
  package func shuffled(within window: Int, using generator: inout some RandomNumberGenerator) -> [Element] {
    let positions = indices.map {
      (key: $0 * 2 + Int.random(in: 0..<window * 2, using: &generator), index: $0)
    }
    return positions.sorted { ($0.key, $0.index) < ($1.key, $1.index) }.map { self[$0.index] }
  }

  /// One in `odds` comes a second time, up to `distance` positions later.
  package func duplicated(
    oneIn odds: Int, within distance: Int, using generator: inout some RandomNumberGenerator
  ) -> [Element] {
    var ordered = indices.map { (key: $0 * 2, element: self[$0]) }
    for index in indices where Int.random(in: 0..<odds, using: &generator) == 0 {
      ordered.append(
        (key: (index + Int.random(in: 0..<distance, using: &generator)) * 2 + 1, element: self[index]))
    }
    return ordered.enumerated().sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
      .map(\.element.element)
  }

  /// Without the ones at these indices: they were lost.
  package func dropping(_ lost: Set<Int>) -> [Element] {
    indices.filter { !lost.contains($0) }.map { self[$0] }
  }
}

extension [Segment] {
  /// Several conversations on one line, by time; of equal times the earlier list goes first.
  package static func interleaved(_ lists: [[Segment]]) -> [Segment] {
    let all = lists.enumerated().flatMap { list in
      list.element.enumerated().map { (segment: $0.element, list: list.offset, index: $0.offset) }
    }
    return all.sorted { ($0.segment.time, $0.list, $0.index) < ($1.segment.time, $1.list, $1.index) }
      .map(\.segment)
  }
}
