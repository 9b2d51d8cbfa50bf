import APNsWire

/// Calls `visit` for each token with its time. Times of registrations are whole seconds.
///
/// A source, so that a million tokens need no array. The span is valid during the call only. The source must rethrow
/// errors of `visit`, and may throw its own.
package typealias TimedTokens = (_ visit: (_ token: RawSpan, _ time: StoreTime) throws -> Void) throws -> Void

/// The options of a replay (docs/spec/interface.md#replay, replay and store).
package struct ReplayOptions: Equatable, Sendable {
  /// Tokens that the store does not have are counted and not stored.
  package var knownOnly: Bool
  package var dryRun: Bool
  /// Seconds by which a registration may be earlier than an invalidation and still keep its device.
  package var grace: UInt32 = 0
  package var brake = InvalidationLimit.standard
  /// How many rows one transaction changes; nil if one changes all.
  package var batch: Int?
  /// How many tokens of each outcome the answer shows.
  package var sampleLength = 0

  package init(knownOnly: Bool = false, dryRun: Bool = false) {
    (self.knownOnly, self.dryRun) = (knownOnly, dryRun)
  }

  var ofDryRun: ReplayOptions {
    var options = self
    options.dryRun = true
    return options
  }
}

package struct ReplayAnswer: Equatable, Sendable {
  package var counts = ReplayCounts()
  /// The first few tokens of each outcome, in the order of the input.
  package var sample: [ReplayedToken] = []
  /// Its number in the journal; nil if it is not recorded.
  package var replay: Int?
  /// Whether it continued a replay that was interrupted.
  package var isContinued = false
  /// The exceeded limit that stopped the replay before any change, or would stop that of a dry run.
  package var stop: LimitExceeded?
  /// How many tokens are in several rows, as a mapped table may have them.
  package var repeated = 0
  /// Whether a row has its token in another spelling than the form's own.
  var hasOtherSpellings = false
  /// How many rows were written, or would be: a token may have several.
  package var rows = 0
  package var times = RegistrationTimes()
}

/// How many tokens have a registration that the table's form or zone of times may get wrong.
package struct RegistrationTimes: Equatable, Sendable {
  /// Clocks of the world are at most this many seconds apart from UTC.
  static let mostOffset: Int64 = 14 * 3600

  package var all = 0
  /// Later than the present time, or before the service began; what is not after 1970 is no time.
  package var implausible = 0
  /// So near to the invalidation that another zone could change the outcome.
  package var near = 0

  /// - Parameter now: UNIX seconds.
  mutating func add(_ registered: StoreTime, invalidated: StoreTime, now: Int64) {
    all += 1
    // A date is the end of its day, and clocks differ.
    let start = Int64(FeedbackRules.serviceStart)
    if registered.seconds > now + 86_400 || (1..<start).contains(registered.seconds) { implausible += 1 }
    // Any integer may be in a table.
    let (distance, overflow) = registered.seconds.subtractingReportingOverflow(invalidated.seconds)
    if !overflow, distance.magnitude <= Self.mostOffset { near += 1 }
  }
}

/// Rolls a transaction back whose answer counts, and not its changes: that of a dry run, or of a replay that exceeds
/// its limit.
struct RolledBack<Answer: Sendable>: Error { let answer: Answer }

/// One token of a replay: its time, its state in the store, and the outcome.
package struct ReplayedToken: Equatable, Sendable {
  package var token: [UInt8]
  /// The time of its latest tuple or response.
  package var time: StoreTime
  /// Nil if the store did not have it.
  package var before: TokenState?
  package var outcome: ReplayOutcome
}

package enum TokenSelection: Sendable { case all, dead, live }

package enum StoreUse: Sendable {
  case reading, writing
  /// Writing with a journal.
  case recording
}
