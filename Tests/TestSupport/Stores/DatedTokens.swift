import TokenStores

/// A dated token of a test.
package struct Dated: Hashable, Sendable {
  package var token: [UInt8]
  package var time: UInt32
  package var milliseconds: UInt16

  package init(token: [UInt8], time: UInt32, milliseconds: UInt16 = 0) {
    (self.token, self.time, self.milliseconds) = (token, time, milliseconds)
  }

  package var storeTime: StoreTime { StoreTime(seconds: Int64(time), milliseconds: milliseconds) }
}

/// An error of a source, and none of a store.
package struct SourceError: Error, Equatable {
  package init() {}
}

extension TokenStore {
  /// Replays without a brake.
  @discardableResult
  package func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), knownOnly: Bool = false,
    dryRun: Bool = false
  ) throws -> ReplayCounts {
    try replay(
      deaths, for: owner, options: .unlimited(ReplayOptions(knownOnly: knownOnly, dryRun: dryRun))
    ).counts
  }

  /// Replays without a brake, and records it.
  @discardableResult
  package func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), as entry: JournalEntry?
  ) throws -> ReplayAnswer {
    try replay(deaths, for: owner, options: .unlimited(), entry: entry)
  }

  package func replay(
    _ deaths: [Dated], for owner: AppEnvironment = AppEnvironment(), options: ReplayOptions,
    entry: JournalEntry? = nil
  ) throws -> ReplayAnswer {
    try replay(
      { visit in for death in deaths { try visit(death.token.span.bytes, death.storeTime) } }, for: owner,
      options: options, entry: entry.map { entry in { entry } })
  }

  /// The changes that the journal has of a replay.
  package func changes(of replay: Int) throws -> [JournalChange] {
    var changes: [JournalChange] = []
    try self.changes(of: replay) { changes.append($0) }
    return changes
  }

  @discardableResult
  package func register(
    _ registrations: [Dated], for owner: AppEnvironment = AppEnvironment()
  ) throws -> RegistrationCounts {
    try register(
      { visit in for one in registrations { try visit(one.token.span.bytes, one.storeTime) } }, for: owner)
  }

  package func rows(_ selection: TokenSelection = .all, in filter: AppEnvironmentFilter = .any) throws
    -> [TokenRow]
  {
    var rows: [TokenRow] = []
    try list(selection, in: filter) { owner, token, state in
      rows.append(TokenRow(owner: owner, token: token.withUnsafeBytes(Array.init), state: state))
    }
    return rows
  }
}

extension ReplayOptions {
  package static func unlimited(_ options: ReplayOptions = ReplayOptions()) -> ReplayOptions {
    var options = options
    options.brake = .percent(100)
    return options
  }
}

extension JournalEntry {
  package static func sample(sha256: String = "00") -> JournalEntry {
    JournalEntry(
      at: 1_400_000_000, version: "1", inputs: [ReplayedInput(source: "a.bin", sha256: sha256, bytes: 38)],
      options: "{}", tuples: 7, rejected: 1)
  }

  package static let sample = sample()
}
