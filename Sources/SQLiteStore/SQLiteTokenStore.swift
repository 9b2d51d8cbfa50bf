import GRDB
import TokenStores

/// A token store in a SQLite database file (docs/stores.md).
///
/// Reading opens the file read-only, writing takes SQLite's write lock before it looks at anything. The
/// database's journal mode stays as it is.
package struct SQLiteTokenStore: TokenStore {
  /// Memory that SQLite may use for pages of the file, in bytes. Tokens come in order, so a replay touches
  /// each page once and needs little of it; it keeps a large transaction from writing its journal in many
  /// small, synchronised pieces.
  package static let pageCacheBytes = 32 << 20

  /// How long another program's lock is waited for unless told otherwise.
  package static let defaultLockTimeout = Duration.seconds(5)

  package let name: String
  let path: String
  let creates: Bool
  let lockTimeout: Duration

  /// Describes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - path: the database file, relative to the working directory or absolute.
  ///   - creates: whether a file or a table that is missing is made by the first call that writes. Until
  ///     then it reads as an empty store.
  ///   - lockTimeout: how long another program's lock is waited for; 0 to 1,000,000 seconds.
  package init(path: String, creates: Bool = false, lockTimeout: Duration = defaultLockTimeout) {
    name = StoreURL.sqlite(path: path).text
    self.path = path
    self.creates = creates
    self.lockTimeout = min(max(lockTimeout, .zero), .seconds(1_000_000))
  }

  package func check(for use: StoreUse) throws {
    try reportingFaults {
      guard try isPresent() else {
        if use != .reading { try StorePath.checkDirectory(of: path) }
        return
      }
      let connection = try use == .reading ? openForReading() : openForWriting()
      _ = try connection.read { try hasTable($0) }
    }
  }

  package func owners() throws -> [AppEnvironment] {
    try reading { try TokenQueries.owners(in: $0) } ?? []
  }

  package func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    try reading { try TokenQueries.rows(of: tokens, in: filter, database: $0) } ?? []
  }

  package func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    _ = try reading { try TokenQueries.list(selection, in: filter, database: $0, visit: visit) }
  }

  package func history() throws -> [JournalRecord] {
    try reading { try Journal.records(in: $0) } ?? []
  }

  package func changes(of id: Int, visit: (JournalChange) throws -> Void) throws {
    let isThere: Void? = try reading { database in
      _ = try Journal.record(id, in: database)
      try Journal.changes(of: id, in: database, visit: visit)
    }
    if isThere == nil { throw StoreError(store: name, fault: .noReplay(id)) }
  }

  package func undo(_ id: Int, entry: JournalEntry) throws -> UndoAnswer {
    try writing { database in
      let record = try Journal.record(id, in: database)
      return try TokenWriter(database, record.owner).undo(record, entry: entry, journal: Journal(database))
    }
  }

  package func replays(ofInputs digests: [String], for owner: AppEnvironment) throws -> [String: Int] {
    try reading { database in
      try digests.reduce(into: [:]) { found, digest in
        found[digest] = try Journal.replay(ofInput: digest, for: owner, in: database)
      }
    } ?? [:]
  }

  package func replay(
    _ deaths: TimedTokens, for owner: AppEnvironment, options: ReplayOptions, entry: (() -> JournalEntry)?
  ) throws -> ReplayAnswer {
    if options.dryRun {
      return try reading { try TokenWriter($0, owner).preview(deaths, options) }
        ?? TokenWriter.previewOfNothing(deaths, options)
    }
    return try writing { database in
      let journal = try entry.map { _ in try Journal(database) }
      var answer = try TokenWriter(database, owner).replay(deaths, options, journal: journal)
      if let entry { answer.replay = try journal?.record(entry(), of: owner, counts: answer.counts) }
      return answer
    }
  }

  package func register(_ registrations: TimedTokens, for owner: AppEnvironment) throws -> RegistrationCounts
  {
    try writing { try TokenWriter($0, owner).register(registrations) }
  }
}
