/// Tuples that were made and are not told yet: damage behind a tuple can still make a decoder doubt it.
///
/// A decoder believes a boundary by the header behind it and, where that has an unusual length, by the next one
/// (decoding-rules.md, believable): damage reaches two tuples back. Forward, a header that damage made can reach
/// over a header and the longest token; behind that, decoding begins again at the first tuple of the normal
/// length, which is flagged as resynchronised (start).
struct DamageNeighbourhood {
  private struct Entry {
    var offset: Int
    var time: UInt32
    var token: ArraySlice<UInt8>
    var standing: TruthWriter.Standing
  }

  private static let reachBack = 2
  private static let reachForward = TupleSource.header + Scenario.longestToken

  private var entries: [Entry] = []
  /// Where in the file damage no longer reaches; nil where none is near.
  private var clearFrom: Int?

  /// Damage ends at `offset` of the file; it began behind all tuples so far, or in the last one.
  mutating func damage(endingAt offset: Int) {
    for index in entries.indices where entries[index].standing == .whole { entries[index].standing = .near }
    clearFrom = max(clearFrom ?? 0, offset + Self.reachForward)
  }

  /// Adds a tuple whose first byte is, or would have been, at `offset` of the file, and tells of the one that no
  /// damage can reach any more.
  mutating func add(
    _ tuple: TupleSource, at offset: Int, isDamaged: Bool, to truth: inout TruthWriter
  ) throws {
    if entries.count >= Self.reachBack { try tell(entries.removeFirst(), to: &truth) }
    let isNear = clearFrom != nil
    if let clear = clearFrom, !isDamaged, offset >= clear, tuple.tokenLength == Scenario.normalLength {
      clearFrom = nil
    }
    entries.append(
      Entry(
        offset: offset, time: tuple.time, token: tuple.bytes[TupleSource.header...],
        standing: isDamaged ? .damaged : isNear ? .near : .whole))
  }

  mutating func finish(_ truth: inout TruthWriter) throws {
    for entry in entries { try tell(entry, to: &truth) }
    entries = []
  }

  private func tell(_ entry: Entry, to truth: inout TruthWriter) throws {
    try truth.tuple(
      entry.standing, of: TruthWriter.Stream(), at: entry.offset, nil, time: entry.time, token: entry.token)
  }
}
