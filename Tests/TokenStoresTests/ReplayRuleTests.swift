import Testing
import TokenStores

/// A state of the store, a tuple's time, and what docs/spec/interface.md#replay-rule says of them.
struct ReplayCase: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var state: TokenState?
  var time: UInt32
  var outcome: ReplayOutcome
  var knownOnly: Bool

  init(
    _ name: String, _ state: TokenState?, _ outcome: ReplayOutcome, at time: UInt32 = 100,
    knownOnly: Bool = false
  ) {
    (testDescription, self.state, self.time) = (name, state, time)
    (self.outcome, self.knownOnly) = (outcome, knownOnly)
  }
}

private func registered(_ at: Int64, dead: Int64? = nil) -> TokenState {
  TokenState(registeredAt: at, invalidatedAt: dead)
}

private func unregistered(dead: Int64? = nil) -> TokenState { TokenState(invalidatedAt: dead) }

@Suite struct ReplayRuleTests {
  static let deaths: [ReplayCase] = [
    ReplayCase("absent", nil, .inserted),
    ReplayCase("absent, time 0", nil, .inserted, at: 0),
    ReplayCase("absent, known only", nil, .unknown, knownOnly: true),
    ReplayCase("known, known only", registered(99), .invalidated, knownOnly: true),
    ReplayCase("registered before", registered(99), .invalidated),
    ReplayCase("registered at the same second", registered(100), .kept),
    ReplayCase("registered after", registered(101), .kept),
    ReplayCase("never registered, alive", unregistered(), .invalidated, at: 0),
    ReplayCase("dead earlier", unregistered(dead: 99), .updated),
    ReplayCase("dead at the same second", unregistered(dead: 100), .unchanged),
    ReplayCase("dead later", unregistered(dead: 101), .unchanged),
    ReplayCase("kept is tested before unchanged", registered(100, dead: 200), .kept),
    ReplayCase("registered, then dead earlier", registered(50, dead: 99), .updated),
    ReplayCase("registered, then dead later", registered(50, dead: 150), .unchanged),
    ReplayCase("the last time of 32 bits", registered(0xffff_fffe), .invalidated, at: .max),
    ReplayCase("a registration beyond 32 bits", registered(0x1_0000_0000), .kept, at: .max),
    ReplayCase("a registration before 1970", registered(-1), .invalidated, at: 0),
    ReplayCase("the extremes", registered(.min, dead: .max), .unchanged, at: .max),
  ]

  /// In a store of whole seconds, a time is rounded down to its second.
  @Test(arguments: deaths, [0, 1, 500, 999] as [UInt16])
  func death(_ example: ReplayCase, _ milliseconds: UInt16) {
    let time = StoreTime(seconds: Int64(example.time), milliseconds: milliseconds)
    let outcome = ReplayRule.outcome(
      of: time, on: example.state.map(RowState.init), knownOnly: example.knownOnly)
    #expect(outcome == example.outcome)
  }

  @Test(
    arguments: [(0, .invalidated), (9, .invalidated), (10, .kept), (11, .kept)] as [(UInt32, ReplayOutcome)])
  func grace(_ seconds: UInt32, _ outcome: ReplayOutcome) {
    let state = RowState(registered(90))
    let found = ReplayRule.outcome(
      of: StoreTime(seconds: 100), on: state, knownOnly: false, grace: seconds)
    #expect(found == outcome)
  }

  @Test(
    "of several rows, the latest registration counts, and the token is live if one is",
    arguments: [
      ([], .inserted), ([unregistered(dead: 60), registered(50)], .invalidated),
      ([registered(100), unregistered(dead: 200)], .kept),
      ([unregistered(dead: 100), unregistered(dead: 101)], .unchanged),
    ] as [([TokenState], ReplayOutcome)])
  func rows(_ states: [TokenState], _ outcome: ReplayOutcome) {
    let state = ReplayRule.state(ofRows: states.map(RowState.init))
    #expect(ReplayRule.outcome(of: StoreTime(seconds: 100), on: state, knownOnly: false) == outcome)
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

  @Test func everyRegistrationIsCountedOnceUnderItsOwnName() {
    var counts = RegistrationCounts()
    #expect(counts.registrations == 0)
    for (times, outcome) in RegistrationOutcome.allCases.enumerated() {
      for _ in 0...times { counts.add(outcome) }
    }
    counts.unknown = 5
    #expect([counts.added, counts.revived, counts.raised, counts.unchanged] == [1, 2, 3, 4])
    #expect(counts.registrations == 15)
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
    var sum = ReplayCounts()
    sum.rejected = counts.rejected
    sum.add(counts)
    #expect(sum == counts)
  }

  @Test(
    "a limit as text, how many it never stops, and of how many live tokens 251 are within it",
    arguments: [
      ("500", "500", 500, nil), ("0", "0", 0, nil), ("25%", "25%", 0, 1005), ("12.5%", "12.5%", 0, 2009),
      ("100%", "100%", .max, 252), ("0%", "0%", 0, nil), ("-1", nil, 0, nil), ("101%", nil, 0, nil),
      ("-1%", nil, 0, nil),
      ("x", nil, 0, nil), ("x%", nil, 0, nil),
    ] as [(String, String?, Int, Int?)])
  func limitTexts(_ text: String, _ shown: String?, _ most: Int, _ enough: Int?) throws {
    let limit = InvalidationLimit(text)
    #expect(limit?.text == shown)
    guard let limit else { return }
    #expect(!limit.mayStop(most) && (most == .max || limit.mayStop(most + 1)))
    #expect(limit.enough(251) == enough ?? .max)
    if let enough { #expect(limit.stop(251, of: enough) == nil) }
  }

  @Test(
    arguments: [
      (nil, nil, true), ("a", nil, true), (nil, .sandbox, true), ("b", nil, false), (nil, .production, false),
      ("a", .production, false), ("b", .sandbox, false),
    ] as [(String?, Environment?, Bool)])
  func filter(_ app: String?, _ environment: Environment?, _ matches: Bool) {
    let filter = AppEnvironmentFilter(app: app, environment: environment)
    #expect(filter.matches(AppEnvironment(app: "a", environment: .sandbox)) == matches)
  }

  /// How many live tokens, how many of them would be invalidated, the limit, and how many may be; nil lets all.
  @Test(
    "the default share holds from a thousand live tokens on, one that is named and a number always",
    arguments: [
      (1200, 300, .standard, nil), (1200, 301, .standard, 300), (1000, 1000, .standard, nil),
      (1001, 251, .standard, 250), (1200, 1200, .percent(100), nil), (1200, 13, .percent(1), 12),
      (1200, 1, .percent(0), 0), (1200, 301, .count(301), nil), (20, 3, .count(2), 2),
      (20, 2, .count(2), nil), (20, 1, .count(0), 0), (20, 20, .percent(1), 0),
      (1000, 51, .percent(5), 50), (20, 1, .percent(5), nil), (1, 1, .percent(100), nil),
    ] as [(Int, Int, InvalidationLimit, Int?)])
  func limits(_ live: Int, _ dead: Int, _ limit: InvalidationLimit, _ most: Int?) {
    let stop = most.map { LimitExceeded(invalidated: dead, live: live, most: $0) }
    #expect(limit.stop(dead, of: live) == stop)
  }
}
