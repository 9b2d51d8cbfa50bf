import Basics

extension TokenStore {
  /// Runs `body` on the journal; nil if it does not exist yet.
  private func readingJournal<Result>(_ body: (Journal) throws -> Result) throws -> Result? {
    if let file { return try database.reportingErrors { try file.reading(of: journalTarget, body) } }
    return try reading { try journal(of: $1, $0, body) } ?? nil
  }

  private func journal<Result>(
    of table: MappedTable, _ session: any SQLSession, _ body: (Journal) throws -> Result
  ) throws -> Result? {
    if let file { return try file.reading(of: journalTarget, body) }
    let journal = Journal(session: session, schema: table.description.schema)
    return try journal.isPresent() ? body(journal) : nil
  }

  /// All replays and undos, in the order of their numbers.
  /// - Throws: `StoreError.unreadableRows` if one of them is unreadable.
  package func history() throws -> [JournalRecord] {
    let (records, error) = try readableHistory()
    if let error { throw error }
    return records
  }

  /// The readable replays and undos, and the error of the others.
  package func readableHistory() throws -> (records: [JournalRecord], error: NamedStoreError?) {
    guard let (records, error) = try readingJournal({ try $0.reporting($0.records) }) else {
      return ([], nil)
    }
    return (records, error.map { NamedStoreError(store: file?.name ?? name, reason: $0) })
  }

  /// Visits the rows that the replay `id` changed, in that order.
  /// - Throws: `StoreError.noReplay`.
  package func changes(of id: Int, visit: (JournalChange) throws -> Void) throws {
    let isThere: Void? =
      try reading { session, table in
        try journal(of: table, session) { journal in
          try journal.changes(of: journal.record(id), in: table, batchSize: 1) { changes in
            for change in changes.changes { try visit(self.change(change, of: changes, table, session)) }
          }
        }
      } ?? nil
    if isThere == nil { throw NamedStoreError(store: name, reason: .noReplay(id)) }
  }

  private func change(
    _ change: RowChange, of changes: RowChanges, _ table: MappedTable, _ session: any SQLSession
  ) -> JournalChange {
    let before = TokenState(registeredAt: change.registered, invalidatedAt: change.invalidatedBefore)
    var shown = JournalChange(
      token: Array(changes.token(change)), outcome: change.outcome,
      before: change.outcome == .inserted ? nil : before,
      after: TokenState(registeredAt: change.registered, invalidatedAt: change.invalidatedAt),
      origin: change.origin)
    shown.key = changes.with(change.fields) {
      table.keyText(ChangeFields($0, written: table.writtenRead.count).key, session)
    }
    return shown
  }

  /// For each SHA-256 of `digests`, the last replay for `owner` with that input, if it was not undone.
  package func replays(
    ofInputs digests: [String], for owner: AppEnvironment, _ isCounted: (JournalEntry) -> Bool = { _ in true }
  ) throws -> [String: Int] {
    try readingJournal { journal in
      try digests.reduce(into: [:]) { found, digest in
        found[digest] = try journal.replay(ofInput: digest, for: owner) {
          $0.mapping == mappingText && isCounted($0)
        }
      }
    } ?? [:]
  }

  /// Removes the changes of replays before `time` (UNIX seconds) from the journal: they cannot be undone any more.
  /// - Returns: the replays that had changes.
  package func trimJournal(before time: Int64) throws -> [JournalRecord] {
    if let file {
      return try file.writing(of: journalTarget) { journal in
        try journal.reporting { try journal.trim(before: time) }
      }
    }
    return try writing(for: owner) { rows in
      try journal(of: rows.table, rows.session) { try $0.trim(before: time) } ?? []
    }
  }

  /// Restores the rows that the replay `id` changed and that did not change since, in one transaction. If it restores
  /// none, it is not recorded.
  /// - Parameter entry: the journal entry of the undo; nil for a dry run: the transaction is rolled back, because only
  ///   the database knows what its indexes and triggers do.
  /// - Throws: `StoreError.noReplay`; `.notUndoable` for an undo, an undone replay, one whose rows a later replay changed, and a replay of another table.
  package func undo(_ id: Int, entry: JournalEntry?) throws -> UndoAnswer {
    guard let owner = try readingJournal({ try record(id, in: $0).owner }) else {
      throw NamedStoreError(store: name, reason: .noReplay(id))
    }
    func undo(_ rows: OwnedRows, _ journal: Journal) throws -> UndoAnswer {
      // Another program may have undone it before the lock was acquired.
      try TokenUndo(rows: rows, record: try record(id, in: journal), batchSize: batchSize).run(from: journal)
    }
    guard let entry else {
      do {
        return try writing(for: owner, isRecorded: file == nil) { rows -> UndoAnswer in
          let answer = try journal(of: rows.table, rows.session) { try undo(rows, $0) }
          throw RolledBack(answer: answer ?? UndoAnswer())
        }
      } catch let end as RolledBack<UndoAnswer> { return end.answer }
    }
    return try recording(for: owner) { rows, journal in
      var answer = try undo(rows, journal)
      if answer.isVain { return (answer, nil) }
      answer.id = try journal.reporting { try journal.begin(for: owner, undoes: id) }
      var counts = ReplayCounts()
      counts.updated = answer.restored
      try journal.finish(answer.id, described(entry), counts, rows: answer.restored)
      return (answer, answer.id)
    }
  }

  /// - Throws: `StoreError.noReplay`, and `.notUndoable` for a replay of another table.
  private func record(_ id: Int, in journal: Journal) throws -> JournalRecord {
    let record = try journal.record(id)
    guard record.entry.mapping == mappingText else {
      throw StoreError.notUndoable(id, "it changed another table, or used another mapping of this one")
    }
    return record
  }
}
