import APNsWire
import WireBytes

/// The distinct tokens of any number of records, with the latest time of each; exact, in bounded memory.
///
/// Up to the limit they are in memory. Beyond it they leave, sorted, for a temporary file, and the sorted
/// runs are merged when the answers are asked for: those are the same.
package final class TokenTable {
  /// Less than this, in bytes, is not worth a table; a smaller limit is taken for it.
  package static let leastMemory = 1 << 20

  private var map: TokenMap
  private var runs: SortedRuns

  /// - Parameters:
  ///   - memory: limit in bytes, at least `leastMemory`.
  ///   - temporaryDirectory: where tokens go beyond that.
  package init(memory: Int, temporaryDirectory: String) throws {
    let memory = max(memory, Self.leastMemory)
    map = try TokenMap(memory: memory)
    runs = SortedRuns(directory: temporaryDirectory, memory: memory)
  }

  /// Adds the tokens of `run`, whose bytes are `bytes`.
  /// - Parameter counts: whether their times do.
  package func add(_ run: RecordRun, in bytes: RawSpan, counts: Bool) throws {
    var done = 0
    while done < run.count {
      done = map.add(run, from: done, in: bytes, counts: counts)
      if done < run.count { try spill() }
    }
  }

  /// How many distinct tokens were added.
  package func distinctCount() throws -> Int {
    if runs.isEmpty { return map.count }
    var count = 0
    try visit { _, _ in count += 1 }
    return count
  }

  /// Calls `body` once for each distinct token, in the order of their bytes; a token comes before its
  /// extensions.
  package func visit(_ body: (_ token: RawSpan, _ verdict: TokenVerdict) throws -> Void) throws {
    let visitor = { (entry: TokenEntry, token: UnsafeRawBufferPointer) in
      try body(RawSpan(_unsafeBytes: token), TokenVerdict(entry))
    }
    if runs.isEmpty {
      try map.visitInOrder(visitor)
    } else {
      try spill()
      try runs.merge(visitor)
    }
  }

  /// The same in any order, which costs no sorting while all tokens are in memory.
  package func visitInAnyOrder(
    _ body: (_ token: RawSpan, _ verdict: TokenVerdict) throws -> Void
  ) throws {
    guard runs.isEmpty else { return try visit(body) }
    try map.visitAsTheyCame { entry, token in
      try body(RawSpan(_unsafeBytes: token), TokenVerdict(entry))
    }
  }

  /// Moves all tokens to the temporary file as one sorted run.
  private func spill() throws {
    guard map.count > 0 else { return }
    try runs.addRun { append in
      try map.visitInOrder { entry, token in try append(entry, token) }
    }
    map.removeAll()
    try runs.mergeIfMany()
  }
}
