import Testing
import TokenStores

/// A state of the store, a tuple's time, and what docs/spec/interface.md#replay-rule says of them.
struct ReplayCase: CustomTestStringConvertible, Sendable {
  var name: String
  var state: TokenState?
  var time: UInt32
  var knownOnly = false
  var outcome: ReplayOutcome

  var testDescription: String { name }
}

private func registered(_ at: Int64, dead: Int64? = nil) -> TokenState {
  TokenState(registeredAt: at, invalidatedAt: dead)
}

private func unregistered(dead: Int64? = nil) -> TokenState { TokenState(invalidatedAt: dead) }

@Suite struct ReplayRuleTests {
  static let deaths: [ReplayCase] = [
    ReplayCase(name: "absent", state: nil, time: 100, outcome: .inserted),
    ReplayCase(name: "absent, time 0", state: nil, time: 0, outcome: .inserted),
    ReplayCase(name: "absent, known only", state: nil, time: 100, knownOnly: true, outcome: .unknown),
    ReplayCase(
      name: "known, known only", state: registered(99), time: 100, knownOnly: true, outcome: .invalidated),
    ReplayCase(name: "registered before", state: registered(99), time: 100, outcome: .invalidated),
    ReplayCase(name: "registered at the same second", state: registered(100), time: 100, outcome: .kept),
    ReplayCase(name: "registered after", state: registered(101), time: 100, outcome: .kept),
    ReplayCase(name: "never registered, alive", state: unregistered(), time: 0, outcome: .invalidated),
    ReplayCase(name: "dead earlier", state: unregistered(dead: 99), time: 100, outcome: .updated),
    ReplayCase(
      name: "dead at the same second", state: unregistered(dead: 100), time: 100, outcome: .unchanged),
    ReplayCase(name: "dead later", state: unregistered(dead: 101), time: 100, outcome: .unchanged),
    ReplayCase(
      name: "kept is tested before unchanged", state: registered(100, dead: 200), time: 100, outcome: .kept),
    ReplayCase(
      name: "registered, then dead earlier", state: registered(50, dead: 99), time: 100, outcome: .updated),
    ReplayCase(
      name: "registered, then dead later", state: registered(50, dead: 150), time: 100, outcome: .unchanged),
    ReplayCase(
      name: "the last time of 32 bits", state: registered(0xffff_fffe), time: .max, outcome: .invalidated),
    ReplayCase(
      name: "a registration beyond 32 bits", state: registered(0x1_0000_0000), time: .max, outcome: .kept),
    ReplayCase(name: "a registration before 1970", state: registered(-1), time: 0, outcome: .invalidated),
    ReplayCase(name: "the extremes", state: registered(.min, dead: .max), time: .max, outcome: .unchanged),
  ]

  @Test(arguments: deaths) func death(_ example: ReplayCase) {
    let outcome = ReplayRule.outcome(
      of: StoreTime(example.time), on: example.state.map(RowState.init), knownOnly: example.knownOnly)
    #expect(outcome == example.outcome)
  }

  /// In a store of whole seconds, a time is rounded down to its second.
  @Test(arguments: deaths, [1, 500, 999] as [UInt16])
  func deathWithMilliseconds(_ example: ReplayCase, _ milliseconds: UInt16) {
    let time = StoreTime(seconds: Int64(example.time), milliseconds: milliseconds)
    let outcome = ReplayRule.outcome(
      of: time, on: example.state.map(RowState.init), knownOnly: example.knownOnly)
    #expect(outcome == example.outcome)
  }

  @Test(arguments: [(9, 0, 10, 0), (9, 999, 10, 0), (10, 0, 10, 1), (-1, 999, 0, 0), (-2, 1, -1, 0)])
  func earlier(_ seconds: Int64, _ milliseconds: UInt16, _ later: Int64, _ laterMilliseconds: UInt16) {
    let first = StoreTime(seconds: seconds, milliseconds: milliseconds)
    let second = StoreTime(seconds: later, milliseconds: laterMilliseconds)
    #expect(first < second && !(second < first) && first == first && first != second)
  }

  static let registrations: [(before: TokenState?, time: UInt32, after: TokenState, RegistrationOutcome)] = [
    (nil, 100, registered(100), .added),
    (unregistered(), 100, registered(100), .raised),
    (registered(99), 100, registered(100), .raised),
    (registered(100), 100, registered(100), .unchanged),
    (registered(101), 100, registered(101), .unchanged),
    (unregistered(dead: 99), 100, registered(100), .revived),
    (unregistered(dead: 100), 100, registered(100), .revived),
    (unregistered(dead: 101), 100, registered(100, dead: 101), .raised),
    (registered(50, dead: 99), 100, registered(100), .revived),
    (registered(50, dead: 101), 100, registered(100, dead: 101), .raised),
    (registered(50, dead: 101), 40, registered(50, dead: 101), .unchanged),
    // Only another program can have written an invalidation that is not later than the registration.
    (registered(50, dead: 45), 40, registered(50), .revived),
    (registered(.max), .max, registered(.max), .unchanged),
  ]

  @Test(arguments: registrations.indices) func registration(_ index: Int) {
    let (before, time, after, outcome) = Self.registrations[index]
    let result = ReplayRule.registering(before, at: Int64(time))
    #expect(result.state == after)
    #expect(result.outcome == outcome)
  }

  @Test func everyOutcomeIsCountedOnceUnderItsOwnName() {
    var counts = ReplayCounts()
    for (times, outcome) in ReplayOutcome.allCases.enumerated() {
      for _ in 0...times { counts.add(outcome) }
    }
    counts.rejected = 10
    #expect(counts.tokens == 1 + 2 + 3 + 4 + 5 + 6 + 10)
    #expect(
      [counts.inserted, counts.unknown, counts.kept, counts.unchanged, counts.updated, counts.invalidated]
        == ReplayOutcome.allCases.indices.map { $0 + 1 })
    #expect(counts.changes == counts.inserted + counts.updated + counts.invalidated)
  }

  /// How many live tokens, how many of them would be invalidated, the limit, and how many may be; nil lets all.
  @Test(
    "a share holds from a thousand live tokens on, a number always",
    arguments: [
      (1200, 300, .standard, nil), (1200, 301, .standard, 300), (1000, 1000, .standard, nil),
      (1001, 251, .standard, 250), (1200, 1200, .percent(100), nil), (1200, 13, .percent(1), 12),
      (1200, 1, .percent(0), 0), (1200, 301, .count(301), nil), (20, 3, .count(2), 2),
      (20, 2, .count(2), nil),
      (20, 1, .count(0), 0), (20, 20, .percent(1), nil),
    ] as [(Int, Int, InvalidationLimit, Int?)])
  func limits(_ live: Int, _ dead: Int, _ limit: InvalidationLimit, _ most: Int?) {
    let stop = most.map { LimitExceeded(invalidated: dead, live: live, most: $0) }
    #expect(limit.stop(dead, of: live) == stop)
  }
}
