/// The journal of a mapped table: in its own database, as part of the transaction, or in a file beside it.
extension MappedTokenStore {
  package func history() throws -> [JournalRecord] {
    try readingJournal { _, journal in try journal.records() } ?? []
  }

  package func changes(of id: Int, visit: (JournalChange) throws -> Void) throws {
    let isThere: Void? = try readingJournal { _, journal in
      _ = try record(id, in: journal)
      let columns = "token, outcome, registered_at, invalidated_before, invalidated_at"
      try journal.session.visit(
        "SELECT \(columns) FROM \(journal.rowChanges) WHERE replay = \(id) ORDER BY token", []
      ) { row in try visit(RowChange.change(row)) }
    }
    if isThere == nil { throw StoreError(store: name, fault: .noReplay(id)) }
  }

  package func replays(ofInputs digests: [String], for owner: AppEnvironment) throws -> [String: Int] {
    try readingJournal { _, journal in
      try digests.reduce(into: [:]) { found, digest in
        found[digest] = try journal.replay(ofInput: digest, for: owner, mapping: mappingText)
      }
    } ?? [:]
  }

  package func undo(_ id: Int, entry: JournalEntry) throws -> UndoAnswer {
    guard let owner = try readingJournal({ _, journal in try record(id, in: journal).owner }) else {
      throw StoreError(store: name, fault: .noReplay(id))
    }
    return try recording(for: owner) { session, keep in
      var answer = try withJournal(of: session) { journal in
        let record = try record(id, in: journal)
        return try MappedUndo(rows: MappedRows(session, mapping, of: owner), record: record).run(
          from: journal)
      }
      var counts = ReplayCounts()
      counts.updated = answer.restored
      answer.id = try keep { journal in
        try journal.record(described(entry), of: owner, counts: counts, undoes: id)
      }
      return answer
    }
  }

  /// - Throws: `StoreFault.noReplay`, and `.notUndoable` for what was done to another table.
  private func record(_ id: Int, in journal: any MappedJournal) throws -> JournalRecord {
    guard let record = try journal.records().first(where: { $0.id == id }) else {
      throw StoreFault.noReplay(id)
    }
    guard record.entry.mapping == mappingText else {
      throw StoreFault.notUndoable(id, reason: "it is of another table, or by another mapping of this one")
    }
    return record
  }

  /// Runs `body` on the journal; nil where there is none yet.
  private func readingJournal<Result>(
    _ body: (Database.Session?, any MappedJournal) throws -> Result
  ) throws -> Result? {
    if let file { return try database.reportingFaults { try file.reading(of: place) { try body(nil, $0) } } }
    return try database.reading { session in
      try session.journal(makes: false).map { try body(session, $0) }
    }
  }

  private func withJournal<Result>(
    of session: Database.Session, _ body: (any MappedJournal) throws -> Result
  ) throws -> Result {
    let result: Result?
    if let file {
      result = try file.reading(of: place, body)
    } else {
      result = try session.journal(makes: false).map(body)
    }
    guard let result else { throw StoreFault.failed(detail: "the journal has gone") }
    return result
  }
}

// MARK: - Recording

extension MappedTokenStore {
  /// What makes a record in the journal, and returns its number.
  typealias Recording = (any MappedJournal) throws -> Int

  /// Runs `body` in a transaction; what it gives to `keep` is recorded. In a file, that is the intent, written before
  /// the commit. A program that ends between the two leaves it pending, and the next run finds out what became of it.
  func recording<Result>(
    for owner: AppEnvironment,
    _ body: (_ session: Database.Session, _ keep: (Recording) throws -> Int) throws -> Result
  ) throws -> Result {
    guard let file else {
      return try database.writing(for: owner) { session in
        try body(session) { record in
          guard let journal = try session.journal(makes: true) else {
            throw StoreFault.failed(detail: "the journal was not made")
          }
          return try record(journal)
        }
      }
    }
    var intent: Int?
    func forget() throws {
      if let id = intent { try file.settle(id, wasDone: false) }
      intent = nil
    }
    let result: Result
    do {
      result = try database.writing(for: owner) { session in
        // The transaction may be tried several times.
        try forget()
        try reconcile(session, file, owner)
        return try body(session) { record in
          let id = try file.writing(of: place, record)
          intent = id
          return id
        }
      }
    } catch {
      if !Self.isUncertain(error) { try forget() }
      throw error
    }
    try settle(intent, in: file)
    return result
  }

  private func settle(_ intent: Int?, in file: any JournalFile) throws {
    guard let intent else { return }
    do {
      try file.settle(intent, wasDone: true)
    } catch let error as StoreError {
      throw StoreError(store: file.name, fault: .unsettled(detail: error.fault.problem))
    }
  }

  private static func isUncertain(_ error: any Error) -> Bool {
    if let error = error as? StoreError, case .server(.uncertain) = error.fault { true } else { false }
  }

  /// Finds out what became of pending replays and undos by this mapping, from what their rows are now. Where no row tells, since all
  /// were changed later, the record is forgotten: to replay once more does no harm, to pass over a list would.
  private func reconcile(_ session: Database.Session, _ file: any JournalFile, _ owner: AppEnvironment) throws
  {
    for id in try file.pending(of: place) {
      let wasDone: Bool?? = try file.reading(of: place) { journal in
        let records = try journal.records()
        guard let record = records.first(where: { $0.id == id }), record.owner == owner,
          record.entry.mapping == mappingText
        else { return nil }
        let rows = MappedRows(session, mapping, of: owner)
        guard let undone = record.undoes.flatMap({ number in records.first { $0.id == number } }) else {
          return try MappedUndo(rows: rows, record: record).wasDone(by: journal) ?? false
        }
        return try MappedUndo(rows: rows, record: undone).wasDone(by: journal).map { !$0 } ?? false
      }
      if case .some(.some(let wasDone)) = wasDone { try file.settle(id, wasDone: wasDone) }
    }
  }
}
