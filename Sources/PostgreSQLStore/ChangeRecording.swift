import TokenStores

/// Records the changes of a replay in the journal, packed (docs/decisions/0021).
final class ChangeRecording {
  let replay: Int
  private let journal: Journal
  private var parts = 0
  private var packed = PackedChanges()

  /// - Parameter replay: its number in the journal.
  init(_ replay: Int, in journal: Journal) {
    self.replay = replay
    self.journal = journal
  }

  /// Records what a replay did to the tokens of a batch.
  ///
  /// - Parameter found: the rows that it changed, and maybe more, in the order of the tokens.
  func add(_ outcomes: [ReplayOutcome], _ found: [FoundRow], of batch: TokenBatch) throws {
    let first = parts
    let written = try BinaryCopy.run(
      into: "\(journal.changes) (replay, part, packed)", on: journal.connection
    ) { copy in
      var rest = found[...]
      for token in outcomes.indices {
        let stored = rest.first?.token == token ? rest.popFirst()?.stored : nil
        guard outcomes[token].isChange else { continue }
        packed.append(
          outcomes[token], batch.bytes.span.bytes.extracting(batch.range(of: token)),
          before: stored.map { TokenState(registeredAt: $0.registeredAt, invalidatedAt: $0.invalidatedAt) },
          deadAt: Timestamp.microseconds(of: Int64(batch.times[token])))
        if packed.fillsRow { try write(to: copy) }
      }
      try write(to: copy)
    }
    if written != parts - first {
      throw StoreFault.refused(detail: "a trigger on apnsift_changes ignored rows")
    }
  }

  private func write(to copy: BinaryCopy) throws {
    guard !packed.bytes.isEmpty else { return }
    try copy.beginRow(fields: 3)
    try copy.add(Int64(replay))
    try copy.add(Int64(parts))
    let bytes = packed.bytes
    try copy.add(bytes.span.bytes)
    parts += 1
    packed.removeAll()
  }
}
