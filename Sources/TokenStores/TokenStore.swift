/// Tokens, each with a time in UNIX seconds, one call of `visit` for each.
///
/// A source and not a collection: a million tokens pass through without an array of them. The span is valid
/// during the call alone. The source must hand on what `visit` throws, and may throw errors of its own.
package typealias TimedTokens = (_ visit: (_ token: RawSpan, _ time: UInt32) throws -> Void) throws -> Void

/// How a replay is to be done (interface.md, replay and store).
package struct ReplayOptions: Equatable, Sendable {
  /// Tokens that the store does not hold are counted and not stored.
  package var knownOnly: Bool
  /// Counts as the replay would, and changes nothing.
  package var dryRun: Bool
  /// Seconds by which a registration may lie before a tuple's time and keeps its device all the same.
  package var grace: UInt32 = 0
  /// What is too much for one replay.
  package var brake = ReplayBrake.standard
  /// How many tokens of each outcome the answer shows.
  package var sampleLength = 0

  package init(knownOnly: Bool = false, dryRun: Bool = false) {
    self.knownOnly = knownOnly
    self.dryRun = dryRun
  }
}

/// What a replay did, or as a dry run would do.
package struct ReplayAnswer: Equatable, Sendable {
  package var counts = ReplayCounts()
  /// The first few tokens of each outcome, in the order in which they came.
  package var sample: [ReplayedToken] = []
  /// Its number in the journal; nil where it is not recorded.
  package var replay: Int?
  /// What would stop the replay that a dry run stands for.
  package var stop: ReplayStop?
  /// How many tokens are in several rows, as a table of the user's own may have them.
  package var repeated = 0
  /// How many rows were written, or would be, where tokens may have several; else each change is one row.
  package var writtenRows: Int?
  package var rows: Int { writtenRows ?? counts.changes }

  package init() {}

  /// Adds a token; `limit` is how many of each outcome are shown.
  package mutating func add(
    _ outcome: ReplayOutcome, _ token: RawSpan, at time: UInt32, before: TokenState?, limit: Int
  ) {
    if counts[outcome] < limit {
      let bytes = token.withUnsafeBytes { Array($0) }
      sample.append(ReplayedToken(token: bytes, time: time, before: before, outcome: outcome))
    }
    counts.add(outcome)
  }
}

/// One token of a replay: what was said of it, what the store knew, and what followed.
package struct ReplayedToken: Equatable, Sendable {
  package var token: [UInt8]
  /// The time of its latest tuple.
  package var time: UInt32
  /// Nil where the store did not hold it.
  package var before: TokenState?
  package var outcome: ReplayOutcome

  package init(token: [UInt8], time: UInt32, before: TokenState?, outcome: ReplayOutcome) {
    self.token = token
    self.time = time
    self.before = before
    self.outcome = outcome
  }
}

/// Which rows of a store are listed.
package enum TokenSelection: Sendable {
  case all
  case dead
  case live
}

/// What a command is about to do with a store.
package enum StoreUse: Sendable {
  case reading
  case writing
  /// Writing, and keeping a journal of it.
  case recording
}

/// A place that holds tokens and follows the rule (interface.md, Rule).
///
/// A value of it is a description: each call opens the store in the way that it needs and closes it again.
/// Every call throws `StoreError` where the store fails.
package protocol TokenStore: Sendable {
  /// The store as the user named it, for messages: `sqlite:tokens.sqlite`.
  var name: String { get }

  /// Fails now as a call would fail later, so that a store that is missing, read-only or of another shape
  /// is found out before a large input is read. Changes nothing, and waits for no lock of a writer.
  func check(for use: StoreUse) throws

  /// Every pair of app and environment that has a row, in order of app and environment (bytes of UTF-8).
  func owners() throws -> [AppEnvironment]

  /// Marks tokens of `owner` as dead by the rule, in one transaction: whatever this throws, be it an error
  /// of the store or of `deaths`, nothing was changed.
  ///
  /// - Parameter deaths: each distinct token once, with its latest time. In ascending byte order (a prefix
  ///   before its extensions), because a store writes neighbours several times faster than random places;
  ///   another order gives the same table.
  /// - Returns: one outcome for each token; `rejected` is 0. A dry run gives what the replay would give.
  /// - Throws: `StoreFault.stopped` where the brake says that it is too much; then, too, nothing was changed.
  /// - Parameter entry: what the journal shall say of it, asked when all tokens have been handed over; nil records
  ///   nothing.
  func replay(
    _ deaths: TimedTokens, for owner: AppEnvironment, options: ReplayOptions, entry: (() -> JournalEntry)?
  ) throws -> ReplayAnswer

  /// All replays and undos, in the order of their numbers.
  func history() throws -> [JournalRecord]

  /// Visits the rows that the replay `id` changed, in the order in which it did.
  /// - Throws: `StoreFault.noReplay`.
  func changes(of id: Int, visit: (JournalChange) throws -> Void) throws

  /// Restores the rows that the replay `id` changed and that nobody changed since, in one transaction.
  /// - Parameter entry: what the journal shall say of the undo.
  /// - Throws: `StoreFault.noReplay`, and `.notUndoable` for an undo and what was undone before.
  func undo(_ id: Int, entry: JournalEntry) throws -> UndoAnswer

  /// For each of `digests`, the last replay for `owner` that stands and had an input of that SHA-256.
  func replays(ofInputs digests: [String], for owner: AppEnvironment) throws -> [String: Int]

  /// Registers tokens of `owner` by the rule, in one transaction, as `replay`.
  ///
  /// - Parameter registrations: tokens and when they were registered, in any order, also repeatedly.
  func register(_ registrations: TimedTokens, for owner: AppEnvironment) throws -> RegistrationCounts

  /// The rows of `tokens`, in the order asked and for each token in order of app and environment. A token
  /// that the store does not hold has none.
  func rows(of tokens: [[UInt8]], in filter: AppEnvironmentFilter) throws -> [TokenRow]

  /// Visits the rows of one moment in order of app, environment and token (ascending bytes). The span is
  /// valid during the call alone.
  func list(
    _ selection: TokenSelection, in filter: AppEnvironmentFilter,
    visit: (_ owner: AppEnvironment, _ token: RawSpan, _ state: TokenState) throws -> Void
  ) throws
}
