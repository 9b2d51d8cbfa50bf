import Basics
import Synchronization

/// A table of tokens that follows the rule (docs/spec/interface.md#replay-rule): apnsift's own, or a mapped one (docs/stores.md, "Your
/// own table").
///
/// The value is a description: each call opens the database as needed and closes it again. Every call throws
/// `StoreError` if the store fails.
package struct TokenStore: Sendable {
  /// The default number of tokens in a batch (docs/decisions/stores.md#39-one-engine).
  package static let defaultBatchSize = TokenBatch.mostTokens

  /// The number of tokens in a batch if rows are removed.
  private static let removedBatchSize = 1 << 15

  let database: any StoreDatabase
  let mapping: TableMapping
  /// The mapping in the journal's form; nil for `device_tokens`.
  package let mappingText: String?
  /// The owner of rows without owner columns.
  let owner: AppEnvironment
  private let creates: Bool
  let batchSize: Int
  /// Whether tokens that are written have other spellings; nil if no earlier call read them, and checked the table.
  var hasOtherSpellings: Bool?
  /// Whether a call checked the values of the table, which takes a pass over a column without any.
  private let hasCheckedValues = Flag()
  private final class Flag: Sendable { let value = Atomic(false) }
  /// The journal; nil for one in the database itself.
  package var file: JournalFile?
  /// Called while all rows of a table are read because no index fits.
  package var onScan: ScanObserver?

  /// The store in the table `device_tokens`.
  /// - Parameters:
  ///   - creates: whether the first call that writes creates a missing database or table. Until then it reads as an
  ///     empty store.
  ///   - batchSize: the number of tokens in a batch, from 1.
  package init(_ database: any StoreDatabase, creates: Bool = false, batchSize: Int = defaultBatchSize) {
    (self.database, mappingText) = (database, nil)
    mapping = .deviceTokens(times: database.dialect.times)
    (owner, self.creates) = (AppEnvironment(), creates)
    self.batchSize = max(batchSize, 1)
  }

  package init(
    _ database: any StoreDatabase, mapping: TableMapping, text: String, owner: AppEnvironment, inserts: Bool
  ) {
    var mapping = mapping
    mapping.inserts = inserts
    (self.database, self.mapping, mappingText) = (database, mapping, text)
    (self.owner, creates) = (owner, false)
    batchSize = Self.defaultBatchSize
  }

  /// The name in messages: `sqlite:tokens.sqlite`.
  package var name: String { database.name }
  /// The name of this table in a journal file, which may serve several tables.
  var journalTarget: String { "\(database.fullName) \(mapping.name)" }

  // MARK: - Transactions

  /// Throws the errors of a later call, to detect a missing, read-only or unsuitable store before a large input is
  /// read. Changes nothing, and does not wait for locks of writers.
  /// - Parameter isDryRun: whether to open no file for writing: that could complete what other programs wrote.
  package func check(for use: StoreUse, isDryRun: Bool = false) throws {
    _ = try reading { session, table in
      if table.description.hidesRows, !isDryRun {
        Console.note(
          "warning: row-level security of \(mapping.name) may hide rows from this role: they count as absent")
      }
      if use == .recording {
        try TableFit(mapping: mapping, description: table.description, session: session).checkKey()
      }
    }
    if use == .reading || isDryRun && !database.dialect.isShared { return }
    try database.checkWritable(mapping, creates: creates, isRecorded: use == .recording && file == nil)
    if !isDryRun { try file?.check() }
  }

  /// What the table has that may refuse rows that a replay writes.
  package func guards() throws -> [String] {
    try reading { session, table in
      let written =
        [mapping.token.name, mapping.app, mapping.environment?.name].map { $0?.text } + mapping.written
      let unfit = table.description.columns.filter {
        written.contains($0.name) ? $0.isGenerated : !$0.isOptional
      }.map { "column \($0.name) \($0.isGenerated ? "that is generated" : "without a default")" }
      return try session.guards(of: mapping, on: table.description) + (mapping.inserts ? unfit : [])
    } ?? []
  }

  /// What the times of registrations say against the mapping: some that cannot be, or in a dry run many
  /// that another zone would move.
  package func warning(_ times: RegistrationTimes, isDryRun: Bool) -> Message? {
    guard let registered = mapping.registered else { return nil }
    let column = registered.name.text
    if times.implausible > 0 {
      return
        "warning: \(Count.of(times.implausible, "token")) of \(times.all) with a registration have one in the "
        + "future or before June 2009 in \(column): check the form (\(registered.form.name)) and the zone of the "
        + "mapping"
    }
    guard isDryRun, let zone = registered.form.zone, times.near >= 10, times.near * 10 >= times.all else {
      return nil
    }
    return
      "\(times.near) of \(times.all) tokens with a registration were registered within 14 hours of their invalidation: "
      + "if \(column) is not in \(zone), as the mapping says, other devices are kept"
  }

  /// - Throws: if a replay cannot commit in batches here.
  package func checkBatches() throws {
    if !database.dialect.isShared {
      throw CommandError("--batch is for PostgreSQL and MariaDB: SQLite has one writer at a time")
    }
    if file != nil {
      throw CommandError(
        "--batch needs the journal in the database of the table; leave --journal out, or use --no-journal")
    }
  }

  /// The table; nil if it is still to be created.
  private func table(_ session: any SQLSession, isWritten: Bool = false) throws -> MappedTable? {
    guard let description = try session.describe(mapping) else {
      if creates { return nil }
      guard !mapping.isDeviceTokens else { throw try mapped(session).map(StoreError.unmapped) ?? .noTable }
      throw mapping.misfit("the name", "a table", "none of that name")
    }
    let table = try MappedTable(mapping, description, session)
    if hasOtherSpellings == nil, isWritten || !hasCheckedValues.value.load(ordering: .relaxed) {
      try table.checkValues(session)
      hasCheckedValues.value.store(true, ordering: .relaxed)
    }
    return table
  }

  /// The tables of a journal's replays; nil if there are none.
  private func mapped(_ session: any SQLSession) throws -> String? {
    let records = try? Journal(session: session, schema: nil).records().readable
    let texts = (records ?? []).compactMap(\.entry.mapping)
    let tables = texts.compactMap { try? JSONReader.value(of: Array($0.utf8)[...])["table"] }
    let names = Set(
      tables.compactMap { table in
        table["name"]?.stringValue.map { name in table["schema"]?.stringValue.map { "\($0).\(name)" } ?? name
        }
      })
    return names.isEmpty ? nil : names.sorted().joined(separator: ", ")
  }

  /// Runs `body` on a snapshot of the table; nil if the table is still to be created.
  func reading<Result>(_ body: (any SQLSession, MappedTable) throws -> Result) throws -> Result? {
    try database.reading(creates: creates) { session in try table(session).map { try body(session, $0) } }
      ?? nil
  }

  /// - Parameter isRecorded: whether `body` writes a journal in the database itself.
  func writing<Result>(
    for owner: AppEnvironment, isRecorded: Bool = false, _ body: (OwnedRows) throws -> Result
  ) throws -> Result {
    try database.writing(mapping, for: owner, creates: creates) { session in
      var table = try table(session, isWritten: true)
      // Before the input is read.
      try session.checkPrivileges(of: mapping, on: table?.description, isRecorded: isRecorded)
      if table == nil {
        try session.make([session.dialect.deviceTokens])
        table = try self.table(session, isWritten: true)
      }
      guard let table else { throw StoreError.noTable }
      var rows = OwnedRows(session: session, table: table, owner: owner, onScan: onScan)
      rows.hasOtherSpellings = hasOtherSpellings ?? true
      return try body(rows)
    }
  }

  /// Runs `body` in a transaction, with the journal to record it in. In a journal file, the record is written before
  /// the commit. If the program ends between the two, the record stays pending, and the next run settles it.
  func recording<Result>(
    for owner: AppEnvironment, _ body: (OwnedRows, Journal) throws -> (result: Result, id: Int?)
  ) throws -> Result {
    guard let file else {
      return try writing(for: owner, isRecorded: true) { rows in
        let journal = Journal(session: rows.session, schema: rows.table.description.schema)
        try journal.make()
        return try body(rows, journal).result
      }
    }
    var intent: Int?
    func settle(wasDone: Bool) throws {
      guard let id = intent else { return }
      try file.settle(id, of: journalTarget, wasDone: wasDone)
      intent = nil
    }
    let result: Result
    do {
      result = try writing(for: owner) { rows in
        // The transaction may be retried.
        try settle(wasDone: false)
        try reconcile(rows, file, owner)
        let done = try file.writing(of: journalTarget) { try body(rows, $0) }
        intent = done.id
        return done.result
      }
    } catch {
      if let error = error as? NamedStoreError, case .uncertain = error.reason { throw error }
      try settle(wasDone: false)
      throw error
    }
    do { try settle(wasDone: true) } catch let error as NamedStoreError {
      throw NamedStoreError(store: file.name, reason: .unsettled(error.reason.cause))
    }
    return result
  }

  /// Settles pending replays and undos by this mapping, from the present state of their rows. If all rows changed
  /// since, the record is deleted: to repeat a replay does no harm, to skip one would.
  private func reconcile(_ rows: OwnedRows, _ file: JournalFile, _ owner: AppEnvironment) throws {
    let outcomes: [(id: Int, wasDone: Bool)]? = try file.reading(of: journalTarget) { journal in
      try journal.reporting(journal.pending).compactMap { id in
        let record = try journal.record(id)
        guard record.owner == owner, record.entry.mapping == mappingText else { return nil }
        guard let undone = try record.undoes.map(journal.record) else {
          return (
            id, try TokenUndo(rows: rows, record: record, batchSize: batchSize).wasDone(by: journal) ?? false
          )
        }
        let isReplayed = try TokenUndo(rows: rows, record: undone, batchSize: batchSize).wasDone(by: journal)
        return (id, isReplayed.map { !$0 } ?? false)
      }
    }
    for (id, wasDone) in outcomes ?? [] { try file.settle(id, of: journalTarget, wasDone: wasDone) }
  }

  // MARK: - Tokens

  /// Every pair of app and environment that has a row, in order of app and environment (bytes of UTF-8).
  package func owners() throws -> [AppEnvironment] { try reading { try listing($0, $1).owners() } ?? [] }

  /// The rows of `tokens`, in the order of `tokens`, then of app and environment.
  package func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    try reading { try listing($0, $1).rows(of: tokens, in: filter) } ?? []
  }

  /// Whether an index finds rows of `owner` for most of `tokens`: no search of all rows for other spellings.
  func hasMost(of tokens: [[UInt8]], for owner: AppEnvironment) throws -> Bool {
    try reading { session, table in
      guard table.hasLookup else { return false }
      var rows = OwnedRows(session: session, table: table, owner: owner)
      rows.hasOtherSpellings = false
      return 2 * Set(try rows.find(TokenBatch(of: tokens)).rows.map(\.token)).count > tokens.count
    } ?? false
  }

  func hasLive(over count: Int, for owner: AppEnvironment) throws -> Bool {
    try reading {
      try OwnedRows(session: $0, table: $1, owner: owner).liveCount(upTo: count + 1) > count
    } ?? false
  }

  /// Visits the rows of a snapshot in order of app, environment and token (by bytes; of base64, by its text). The span
  /// is valid during the call only.
  package func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    _ = try reading { try listing($0, $1).list(selection, in: filter, visit: visit) }
  }

  private func listing(_ session: any SQLSession, _ table: MappedTable) -> TableListing {
    TableListing(session: session, table: table, owner: owner)
  }

  /// Registers tokens of `owner` by the rule, in one transaction.
  ///
  /// - Parameter registrations: tokens and when they were registered, in any order, also repeatedly.
  package func register(_ registrations: TimedTokens, for owner: AppEnvironment) throws -> RegistrationCounts
  {
    try writing(for: owner) { rows in
      if let name = mapping.registered?.name, name.isExpression {
        throw mapping.misfit("registered", "a column, into which registrations are written", "an expression")
      }
      var registration = TokenRegistration(rows: rows, inserts: mapping.inserts, batchSize: batchSize)
      return try registration.run(registrations)
    }
  }

  /// Invalidates tokens of `owner` by the rule, in one transaction: if this throws any error, of the store or of
  /// `invalidations`, nothing was changed. With `ReplayOptions.batch` there are several, and those before the error stay.
  ///
  /// - Parameters:
  ///   - invalidations: each distinct token once, with its latest time. Ascending byte order (a prefix before its
  ///     extensions) is several times faster than a random one; the result is the same.
  ///   - entry: makes the journal entry, after all tokens were visited; nil records nothing.
  ///   - trace: knows the records, and receives the changes.
  /// - Returns: one outcome for each token; `rejected` is 0. A dry run gives what the replay would give, and so does a
  ///   replay that exceeds the limit, which changes nothing.
  package func replay(
    _ invalidations: TimedTokens, for owner: AppEnvironment, options: ReplayOptions,
    entry: (() -> JournalEntry)?, trace: ReplayTrace? = nil
  ) throws -> ReplayAnswer {
    if options.batch != nil, !options.dryRun {
      var replay = BatchedReplay(store: self, owner: owner, options: options, entry: entry)
      return try replay.run(invalidations, trace)
    }
    if options.dryRun {
      let answer = try reading { session, table in
        let rows = OwnedRows(session: session, table: table, owner: owner, onScan: onScan)
        if let trace, let script = trace.script {
          try TableFit(mapping: mapping, description: table.description, session: session).checkKey()
          try script.begin(trace.title, rows)
        }
        return try replay(invalidations, options, rows, nil, trace)
      }
      if let answer { return answer }
      if trace?.script != nil { throw NamedStoreError(store: name, reason: .noTable) }
      return try replay(invalidations, options, nil, nil, trace)
    }
    do {
      guard let entry else {
        return try writing(for: owner) { rows in
          if let file { try reconcile(rows, file, owner) }
          return try replay(invalidations, options, rows, nil, trace)
        }
      }
      return try recording(for: owner) { rows, journal in
        let recording = ChangeRecording(try journal.reporting { try journal.begin(for: owner) }, in: journal)
        var answer = try replay(invalidations, options, rows, recording, trace)
        answer.replay = recording.replay
        try journal.reporting {
          try journal.finish(recording.replay, described(entry()), answer.counts, rows: answer.rows)
        }
        return (answer, recording.replay)
      }
    } catch let stopped as RolledBack<ReplayAnswer> { return stopped.answer }
  }

  /// Replays inside a transaction.
  func replay(
    _ invalidations: TimedTokens, _ options: ReplayOptions, _ rows: OwnedRows?, _ recording: ChangeRecording?,
    _ trace: ReplayTrace?
  ) throws -> ReplayAnswer {
    // A row that would be removed at once is not inserted.
    let inserts = mapping.inserts && !options.knownOnly && mapping.action != .delete
    // Removed rows are buffered in full until they are recorded.
    let batchSize = mapping.action == .delete ? min(batchSize, Self.removedBatchSize) : batchSize
    var replay = TokenReplay(
      rows: rows, options: options, inserts: inserts, recording: recording, trace: trace,
      batchSize: batchSize)
    return try replay.run(invalidations)
  }

  func described(_ entry: JournalEntry) -> JournalEntry {
    var entry = entry
    entry.mapping = mappingText
    return entry
  }
}
