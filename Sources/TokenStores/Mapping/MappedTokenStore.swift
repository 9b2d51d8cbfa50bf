/// A token store in a table that somebody else made (docs/stores.md, "Your own table"), in either database.
package struct MappedTokenStore<Database: MappedDatabase>: TokenStore {
  let database: Database
  let mapping: TableMapping
  /// The mapping as the journal has it; nil for `device_tokens`.
  let mappingText: String?
  /// Whose the rows are that do not say so.
  let owner: AppEnvironment
  /// Whether tokens that the table does not hold get a row.
  let inserts: Bool
  /// Where replays are recorded; nil for the database itself.
  let file: (any JournalFile)?

  package var name: String { database.name }

  package init(
    database: Database, mapping: TableMapping, mappingText: String?, owner: AppEnvironment, inserts: Bool,
    file: (any JournalFile)?
  ) {
    self.database = database
    self.mapping = mapping
    self.mappingText = mappingText
    self.owner = owner
    self.inserts = inserts
    self.file = file
  }

  /// What a journal in a file calls this table: the same file may serve several.
  var place: String { "\(database.name) \(mapping.name)" }

  package func check(for use: StoreUse) throws {
    try database.check(for: use, isRecordedHere: file == nil)
    if use != .reading { try file?.check() }
  }

  package func owners() throws -> [AppEnvironment] {
    try database.reading { try listing($0).owners() }
  }

  package func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    try database.reading { try listing($0).rows(of: tokens, in: filter) }
  }

  package func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    try database.reading { try listing($0).list(selection, in: filter, visit: visit) }
  }

  private func listing(_ session: Database.Session) -> MappedListing {
    MappedListing(session: session, mapping: mapping, owner: owner)
  }

  package func register(_ registrations: TimedTokens, for owner: AppEnvironment) throws -> RegistrationCounts
  {
    try database.writing(for: owner) { session in
      try MappedRegistration(rows: MappedRows(session, mapping, of: owner), inserts: inserts).run(
        registrations)
    }
  }

  package func replay(
    _ deaths: TimedTokens, for owner: AppEnvironment, options: ReplayOptions, entry: (() -> JournalEntry)?
  ) throws -> ReplayAnswer {
    if options.dryRun {
      return try database.reading { try replay(options, $0, owner, isRecorded: false).preview(deaths) }
    }
    return try recording(for: owner) { session, keep in
      let replay = replay(options, session, owner, isRecorded: entry != nil)
      var answer = try replay.run(deaths)
      guard let entry else { return answer }
      answer.replay = try keep { journal in
        let id = try journal.record(described(entry()), of: owner, counts: answer.counts, undoes: nil)
        try replay.record(id, in: journal)
        return id
      }
      return answer
    }
  }

  private func replay(
    _ options: ReplayOptions, _ session: Database.Session, _ owner: AppEnvironment, isRecorded: Bool
  ) -> MappedReplay {
    MappedReplay(
      rows: MappedRows(session, mapping, of: owner), options: options,
      // A row that is as good as removed is not inserted.
      inserts: inserts && !options.knownOnly && mapping.action != .delete, isRecorded: isRecorded)
  }

  func described(_ entry: JournalEntry) -> JournalEntry {
    var entry = entry
    entry.mapping = mappingText
    return entry
  }
}
