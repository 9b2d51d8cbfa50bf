import StoreTestSupport
import Testing
import TokenStores

/// The journal of each store: its records of replays, and undos, which restore rows that did not change since.
@Suite("The journal") struct JournalTests {
  @Test("has the entry of a replay, and the previous state of each row", arguments: StoreKind.allCases)
  func records(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register([Dated(token: [2], time: 5), Dated(token: [3], time: 5)])
    try store.replay([Dated(token: [3], time: 9)])
    let deaths = [Dated(token: [1], time: 7), Dated(token: [2], time: 8), Dated(token: [3], time: 11)]
    #expect(try store.replay(deaths, as: .sample(sha256: "ab")).replay == 1)
    let record = try #require(try store.history().first)
    #expect(record.entry == .sample(sha256: "ab"))
    #expect(record.owner == AppEnvironment() && record.undoes == nil && record.undoneBy == nil)
    #expect(record.counts.inserted == 1 && record.counts.updated == 1 && record.counts.invalidated == 1)
    func state(_ registered: Int64?, _ dead: Int64? = nil) -> TokenState {
      TokenState(registeredAt: registered, invalidatedAt: dead)
    }
    #expect(
      try store.changes(of: 1) == [
        JournalChange(token: [1], outcome: .inserted, before: nil, after: state(nil, 7)),
        JournalChange(token: [2], outcome: .invalidated, before: state(5), after: state(5, 8)),
        JournalChange(token: [3], outcome: .updated, before: state(5, 9), after: state(5, 11)),
      ])
  }

  /// More changes and inputs than are sent or fetched at once; names that must not be taken for SQL.
  @Test("has thousands of inputs and changes", arguments: StoreKind.allCases)
  func aLargeEntry(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let deaths = (0..<9000).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 3) }
    var entry = JournalEntry.sample
    entry.inputs = (0..<2500).map {
      ReplayedInput(source: "it's \($0) $1\\", sha256: "\(10_000 + $0)", bytes: $0)
    }
    #expect(try store.replay(deaths, as: entry).counts.inserted == 9000)
    #expect(try store.history().map(\.entry) == [entry])
    #expect(try store.changes(of: 1).map(\.token) == deaths.map(\.token))
    let known = try store.replays(ofInputs: ["10000", "12499", "12500"], for: AppEnvironment())
    #expect(known == ["10000": 1, "12499": 1])
    #expect(try store.undo(1, entry: entry).restored == 9000)
    #expect(try store.rows().isEmpty)
  }

  @Test("an undo reports which rows it skips, and why", arguments: StoreKind.allCases)
  func left(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register((1...3).map { Dated(token: [$0], time: 1) })
    try store.replay((1...4).map { Dated(token: [$0], time: 5) }, as: .sample)
    try store.register([Dated(token: [1], time: 9), Dated(token: [2], time: 3)])
    try store.replay([Dated(token: [3], time: 8)], as: nil)
    let answer = try store.undo(1, entry: .sample)
    #expect(answer.id == 2 && answer.restored == 1)
    #expect(answer.left == [.revived: 1, .registeredSince: 1, .invalidatedSince: 1])
    #expect(answer.sample.map(\.token) == [[1], [2], [3]])
    #expect(try store.rows().map(\.token) == [[1], [2], [3]], "what the replay inserted is gone")
    #expect(try store.history().map(\.undoneBy) == [2, nil])
    // What cannot be undone is refused, and changes nothing.
    for id in [0, 1, 2, 3] {
      #expect(throws: NamedStoreError.self) { try store.undo(id, entry: .sample) }
    }
    #expect(try store.history().count == 2)
  }

  @Test("an input counts as replayed until a replay of it is undone", arguments: StoreKind.allCases)
  func inputs(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let deaths = [Dated(token: [1], time: 5)]
    func known(_ owner: AppEnvironment = AppEnvironment()) throws -> Int? {
      try store.replays(ofInputs: ["ab"], for: owner)["ab"]
    }
    #expect(try store.replay(deaths, as: nil).replay == nil)
    #expect(try known() == nil)
    for number in 1...2 {
      try store.replay(deaths, as: .sample(sha256: "ab"))
      #expect(try known() == number)
    }
    #expect(try known(AppEnvironment(environment: .sandbox)) == nil)
    _ = try store.undo(1, entry: .sample(sha256: "cd"))
    #expect(try known() == nil, "the undo covers the second one, which changed nothing")
    try store.replay(deaths, as: .sample(sha256: "ab"))
    #expect(try known() == 4)
  }

  @Test("a brake stops a replay before any change", arguments: StoreKind.allCases)
  func brake(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let tokens = (0..<1200).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 1) }
    try store.register(tokens)
    let deaths = tokens.map { Dated(token: $0.token, time: 2) }
    func replay(_ count: Int, _ brake: InvalidationLimit, isDryRun: Bool = false) throws -> ReplayAnswer {
      var options = ReplayOptions(dryRun: isDryRun)
      options.brake = brake
      return try store.replay(Array(deaths.prefix(count)), options: options, entry: .sample)
    }
    let stop = LimitExceeded(invalidated: 301, live: 1200, most: 300)
    #expect(try replay(301, .standard, isDryRun: true).stop == stop)
    #expect(try replay(300, .standard, isDryRun: true).stop == nil)
    let stopped = try replay(301, .standard)
    #expect(stopped.stop == stop && stopped.replay == nil && stopped.counts.invalidated == 301)
    #expect(try replay(11, .count(10)).stop != nil)
    #expect(try store.rows(.dead).isEmpty && store.history().isEmpty, "nothing was changed")
    #expect(try replay(300, .standard).counts.invalidated == 300)
    #expect(try replay(1200, .percent(100)).counts.invalidated == 900)
  }

  @Test(
    "grace keeps devices that were registered shortly before", arguments: StoreKind.allCases,
    [(0, 1), (4, 1), (5, 0), (9, 0), (UInt32.max, 0)])
  func grace(_ kind: StoreKind, _ expected: (grace: UInt32, invalidated: Int)) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register([Dated(token: [1], time: 10)])
    var options = ReplayOptions()
    options.grace = expected.grace
    let answer = try store.replay([Dated(token: [1], time: 15)], options: options)
    #expect(answer.counts.invalidated == expected.invalidated)
  }
}
