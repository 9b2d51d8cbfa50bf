/// Tokens, each with a time in UNIX seconds, one call of `visit` for each.
///
/// A source and not a collection: a million tokens pass through without an array of them. The span is valid
/// during the call alone. The source must hand on what `visit` throws, and may throw errors of its own.
package typealias TimedTokens = (_ visit: (_ token: RawSpan, _ time: UInt32) throws -> Void) throws -> Void

/// How a replay is to be done (docs/spec/interface.md#replay).
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
  /// How many rows were written, or would be: a token may have several.
  package var rows = 0

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
