import CLibpq
import TokenStores

/// A token store in a PostgreSQL database (docs/stores.md, PostgreSQL).
///
/// Each call is one connection and one transaction. Readers wait for nobody and nobody for them.
package struct PostgreSQLTokenStore: TokenStore {
  /// How long another program's lock is waited for unless told otherwise.
  package static let defaultLockTimeout = Duration.seconds(5)

  /// How many tokens are judged at once unless told otherwise (docs/decisions/0020).
  package static let defaultBatchSize = TokenBatch.mostTokens

  /// The URI without its password.
  package let name: String
  let uri: String
  let creates: Bool
  let lockTimeout: Duration
  let batchSize: Int

  /// Describes a store; nothing is connected to yet.
  ///
  /// - Parameters:
  ///   - uri: where it is, as libpq reads it.
  ///   - creates: whether a table that is missing is made by the first call that writes. Until then it reads as an
  ///     empty store.
  ///   - lockTimeout: how long another program's lock is waited for; 0 to 1,000,000 seconds.
  ///   - batchSize: how many tokens are judged at once, from 1.
  /// - Throws: where libpq cannot read the URI.
  package init(
    uri: PostgreSQLURI, creates: Bool = false, lockTimeout: Duration = defaultLockTimeout,
    batchSize: Int = defaultBatchSize
  ) throws(StoreURLError) {
    name = uri.shown
    self.uri = uri.text
    self.creates = creates
    self.lockTimeout = min(max(lockTimeout, .zero), .seconds(1_000_000))
    self.batchSize = max(batchSize, 1)
    try Self.checkSyntax(of: uri)
  }

  /// libpq's message quotes what it could not read, which may be a password: what stands before the quote will do. Where it is
  /// missing, the connection says so.
  private static func checkSyntax(of uri: PostgreSQLURI) throws(StoreURLError) {
    guard LibpqLibrary.functions != nil else { return }
    var message: UnsafeMutablePointer<CChar>?
    if let options = libpq.PQconninfoParse(uri.text, &message) {
      libpq.PQconninfoFree(options)
      return
    }
    defer { libpq.PQfreemem(message) }
    let words = ServerError.line(message).prefix { $0 != "\"" }.split(whereSeparator: {
      $0 == " " || $0 == ":"
    })
    throw .postgreSQL(words.joined(separator: " "))
  }

  package func check(for use: StoreUse) throws {
    try reportingFaults {
      let connection = try Connection(uri: uri)
      try begin(connection, "")
      let table = try findTable(connection)
      guard use != .reading else { return }
      try checkWritable(connection)
      if let table {
        try table.checkPrivileges(on: connection)
        if use == .recording { try Journal(connection, table).checkPrivileges() }
      } else {
        try DeviceTable.checkCreation(on: connection)
      }
    }
  }

  /// - Throws: `StoreFault.server(.readOnly)`.
  func checkWritable(_ connection: Connection) throws {
    guard try connection.run("SELECT current_setting('transaction_read_only')").text(0, 0) == "on" else {
      return
    }
    let isStandby = try connection.run("SELECT pg_is_in_recovery()").flag(0, 0)
    let detail = isStandby ? "it is a standby" : "default_transaction_read_only is on"
    throw StoreFault.server(.readOnly(detail: detail))
  }

  package func owners() throws -> [AppEnvironment] {
    try reading { try TokenQueries.owners(in: $1, $0) } ?? []
  }

  package func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow] {
    try reading { try TokenQueries.rows(of: tokens, in: filter, table: $1, $0) } ?? []
  }

  package func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws {
    // No row can have such an app, and the server takes no such text.
    if filter.app?.utf8.contains(0) ?? false { return try check(for: .reading) }
    _ = try reading { try TokenQueries.list(selection, in: filter, table: $1, $0, visit: visit) }
  }

  package func replay(
    _ deaths: TimedTokens, for owner: AppEnvironment, options: ReplayOptions, entry: (() -> JournalEntry)?
  ) throws -> ReplayAnswer {
    if options.dryRun {
      try reportingFaults { try checkApp(owner) }
      return try reading { connection, table in
        let rows = OwnedRows(connection: connection, table: table, owner: owner, batchSize: batchSize)
        var writer = ReplayWriter(rows, options)
        return try writer.preview(deaths)
      } ?? previewOfNothing(deaths, options)
    }
    return try writing(for: owner, isRecorded: entry != nil) { rows in
      let journal = Journal(rows.connection, rows.table)
      let recording = try entry.map { _ in try ChangeRecording(journal.reserve(for: owner), in: journal) }
      var writer = ReplayWriter(rows, options, recording: recording)
      var answer = try writer.replay(deaths)
      if let entry, let recording {
        answer.replay = recording.replay
        try journal.describe(recording.replay, entry())
        try journal.finish(recording.replay, answer.counts)
      }
      return answer
    }
  }

  /// What a replay would do to a table that is still to be made.
  private func previewOfNothing(_ deaths: TimedTokens, _ options: ReplayOptions) throws -> ReplayAnswer {
    var answer = ReplayAnswer()
    try deaths { token, time in
      let outcome = ReplayRule.outcome(of: time, on: nil, knownOnly: options.knownOnly)
      answer.add(outcome, token, at: time, before: nil, limit: options.sampleLength)
    }
    return answer
  }

  package func register(_ registrations: TimedTokens, for owner: AppEnvironment) throws -> RegistrationCounts
  {
    try writing(for: owner, isRecorded: false) { rows in
      var writer = RegistrationWriter(rows)
      return try writer.register(registrations)
    }
  }

  package func history() throws -> [JournalRecord] {
    try reading { try Journal($0, $1).records() } ?? []
  }

  package func changes(of id: Int, visit: (JournalChange) throws -> Void) throws {
    let isThere: Void? = try reading { connection, table in
      let journal = Journal(connection, table)
      _ = try journal.record(id)
      try journal.changes(of: id, visit: visit)
    }
    if isThere == nil { throw StoreError(store: name, fault: .noReplay(id)) }
  }

  package func replays(ofInputs digests: [String], for owner: AppEnvironment) throws -> [String: Int] {
    // No row can have such an app, and the server takes no such text.
    if owner.app.utf8.contains(0) { return [:] }
    return try reading { connection, table in
      let journal = Journal(connection, table)
      guard try journal.isPresent() else { return [:] }
      return try digests.reduce(into: [:]) { found, digest in
        found[digest] = try journal.replay(ofInput: digest, for: owner)
      }
    } ?? [:]
  }

  package func undo(_ id: Int, entry: JournalEntry) throws -> UndoAnswer {
    guard let owner = try reading({ try Journal($0, $1).record(id).owner }) else {
      throw StoreError(store: name, fault: .noReplay(id))
    }
    return try writing(for: owner) { rows in
      let journal = Journal(rows.connection, rows.table)
      // Another one may have undone it while the lock was waited for.
      return try Undo(rows: rows, journal: journal, record: journal.record(id)).run(entry)
    }
  }
}
