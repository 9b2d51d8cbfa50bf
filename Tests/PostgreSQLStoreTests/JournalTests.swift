import StoreTestSupport
import Testing
import TokenStores

/// The journal of each store: its records of replays, and undos, which restore rows that did not change since.
@Suite("The journal") struct JournalTests {
  private static let owner = AppEnvironment()

  static func entry(_ digest: String = "00") -> JournalEntry {
    JournalEntry(
      at: 1_400_000_000, version: "1", inputs: [ReplayedInput(source: "a.bin", sha256: digest, bytes: 38)],
      options: "{}", tuples: 7, rejected: 1)
  }

  /// A whole-table model of a store with a journal.
  private struct Model {
    var table: [[UInt8]: TokenState] = [:]
    /// The changes of each replay, by its number, until it is undone; nil for undos.
    var changes: [[(token: [UInt8], before: TokenState?, after: TokenState)]?] = []

    mutating func replay(_ deaths: [Dated]) {
      var made: [(token: [UInt8], before: TokenState?, after: TokenState)] = []
      for death in deaths {
        let before = table[death.token]
        let time = Int64(death.time)
        if let before, before.registeredAt ?? -1 >= time || before.invalidatedAt ?? -1 >= time { continue }
        let after = TokenState(registeredAt: before?.registeredAt, invalidatedAt: time)
        table[death.token] = after
        made.append((death.token, before, after))
      }
      changes.append(made)
    }

    mutating func register(_ registrations: [Dated]) {
      for one in registrations {
        var state = table[one.token] ?? TokenState()
        let time = max(state.registeredAt ?? 0, Int64(one.time))
        state.registeredAt = time
        if let death = state.invalidatedAt, death <= time { state.invalidatedAt = nil }
        table[one.token] = state
      }
    }

    /// How many rows it restores and leaves; nil where the replay cannot be undone.
    mutating func undo(_ id: Int) -> (restored: Int, left: Int)? {
      guard changes.indices.contains(id - 1), let made = changes[id - 1] else { return nil }
      for change in changes.dropFirst(id).compactMap({ $0 }).joined()
      where made.contains(where: { $0.token == change.token }) && table[change.token] == change.after {
        return nil
      }
      var restored = 0
      for change in made where table[change.token] == change.after {
        table[change.token] = change.before
        restored += 1
      }
      if restored > 0 || made.isEmpty {
        changes[id - 1] = nil
        changes.append(nil)
      }
      return (restored, made.count - restored)
    }
  }

  @Test(
    "agrees with a plain model after random replays, registrations and undos", arguments: StoreKind.allCases)
  func histories(_ kind: StoreKind) throws {
    var generator = FixedGenerator(state: 5)
    let fixture = try StoreFixture(kind)
    for history in 0..<(kind == .sqlite ? 150 : 40) {
      let store = try fixture.emptyStore()
      var model = Model()
      for _ in 0..<Int.random(in: 3...12, using: &generator) {
        let dated = Self.distinct(&generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0, 1:
          model.replay(dated)
          let answer = try store.replay(dated, as: Self.entry())
          #expect(answer.replay == model.changes.count)
        case 2:
          model.register(dated)
          try store.register(dated)
        default:
          let id = Int.random(in: 1...max(1, model.changes.count), using: &generator)
          let expected = model.undo(id)
          let answer = try? store.undo(id, entry: Self.entry())
          #expect(answer?.restored == expected?.restored)
          #expect(answer.map { $0.left.values.reduce(0, +) } == expected?.left)
        }
        var recorded = 0
        for (index, made) in model.changes.enumerated() {
          guard let made else { continue }
          try store.changes(of: index + 1) { change in
            recorded += 1
            #expect(made.contains { $0.token == change.token && $0.after == change.after })
          }
        }
        #expect(recorded == model.changes.reduce(0) { $0 + ($1?.count ?? 0) }, "history \(history)")
        let table = Dictionary(uniqueKeysWithValues: try store.rows().map { ($0.token, $0.state) })
        try #require(table == model.table, "history \(history)")
      }
    }
  }

  private static func distinct(_ generator: inout FixedGenerator) -> [Dated] {
    let tokens = Set(
      (0..<Int.random(in: 0...6, using: &generator)).map { _ in UInt8.random(in: 0...9, using: &generator) })
    return tokens.sorted().map { Dated(token: [$0], time: UInt32.random(in: 0...6, using: &generator)) }
  }

  @Test("has the entry of a replay, and the previous state of each row", arguments: StoreKind.allCases)
  func records(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register([Dated(token: [2], time: 5), Dated(token: [3], time: 5)])
    try store.replay([Dated(token: [3], time: 9)])
    let deaths = [Dated(token: [1], time: 7), Dated(token: [2], time: 8), Dated(token: [3], time: 11)]
    #expect(try store.replay(deaths, as: Self.entry("ab")).replay == 1)
    let record = try #require(try store.history().first)
    #expect(record.entry == Self.entry("ab"))
    #expect(record.owner == Self.owner && record.undoes == nil && record.undoneBy == nil)
    #expect(record.counts.inserted == 1 && record.counts.updated == 1 && record.counts.invalidated == 1)
    var changes: [JournalChange] = []
    try store.changes(of: 1) { changes.append($0) }
    #expect(
      changes == [
        JournalChange(
          token: [1], outcome: .inserted, before: nil, after: TokenState(invalidatedAt: 7)),
        JournalChange(
          token: [2], outcome: .invalidated, before: TokenState(registeredAt: 5),
          after: TokenState(registeredAt: 5, invalidatedAt: 8)),
        JournalChange(
          token: [3], outcome: .updated, before: TokenState(registeredAt: 5, invalidatedAt: 9),
          after: TokenState(registeredAt: 5, invalidatedAt: 11)),
      ])
  }

  @Test("an undo reports which rows it skips, and why", arguments: StoreKind.allCases)
  func left(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register([Dated(token: [1], time: 1), Dated(token: [2], time: 1), Dated(token: [3], time: 1)])
    try store.replay((1...4).map { Dated(token: [$0], time: 5) }, as: Self.entry())
    try store.register([Dated(token: [1], time: 9), Dated(token: [2], time: 3)])
    try store.replay([Dated(token: [3], time: 8)], as: nil)
    let answer = try store.undo(1, entry: Self.entry())
    #expect(answer.id == 2 && answer.restored == 1)
    #expect(answer.left == [.revived: 1, .registeredSince: 1, .invalidatedSince: 1])
    #expect(answer.sample.map(\.token) == [[1], [2], [3]])
    #expect(try store.rows().map(\.token) == [[1], [2], [3]], "what the replay inserted is gone")
    #expect(try store.history().map(\.undoneBy) == [2, nil])
  }

  @Test("what cannot be undone is refused, and changes nothing", arguments: StoreKind.allCases)
  func refusals(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.replay([Dated(token: [1], time: 5)], as: Self.entry())
    #expect(throws: NamedStoreError.self) { try store.undo(2, entry: Self.entry()) }
    _ = try store.undo(1, entry: Self.entry())
    for id in [0, 1, 2, 3] {
      #expect(throws: NamedStoreError.self) { try store.undo(id, entry: Self.entry()) }
    }
    #expect(try store.history().count == 2)
  }

  @Test("an input counts as replayed until a replay of it is undone", arguments: StoreKind.allCases)
  func inputs(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let deaths = [Dated(token: [1], time: 5)]
    func known(_ owner: AppEnvironment = Self.owner) throws -> Int? {
      try store.replays(ofInputs: ["ab"], for: owner)["ab"]
    }
    #expect(try store.replay(deaths, as: nil).replay == nil)
    #expect(try known() == nil)
    try store.replay(deaths, as: Self.entry("ab"))
    try store.replay(deaths, as: Self.entry("ab"))
    #expect(try known() == 2)
    #expect(try known(AppEnvironment(environment: .sandbox)) == nil)
    _ = try store.undo(1, entry: Self.entry("cd"))
    #expect(try known() == nil, "the undo covers the second one, which changed nothing")
    try store.replay(deaths, as: Self.entry("ab"))
    #expect(try known() == 4)
  }

  @Test("a brake stops a replay before any change", arguments: StoreKind.allCases, [true, false])
  func brake(_ kind: StoreKind, isDryRun: Bool) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    let tokens = (0..<1200).map { Dated(token: [UInt8($0 >> 8), UInt8($0 & 255)], time: 1) }
    try store.register(tokens)
    let deaths = tokens.map { Dated(token: $0.token, time: 2) }
    var options = ReplayOptions(dryRun: isDryRun)
    func replay(_ count: Int, _ brake: InvalidationLimit) throws -> ReplayAnswer {
      options.brake = brake
      return try store.replay(
        { visit in for death in deaths.prefix(count) { try visit(death.token.span.bytes, death.storeTime) } },
        for: Self.owner, options: options, entry: { Self.entry() })
    }
    let stop = LimitExceeded(invalidated: 301, live: 1200, most: 300)
    if isDryRun {
      #expect(try replay(301, .standard).stop == stop)
      #expect(try replay(300, .standard).stop == nil)
    } else {
      let stopped = try replay(301, .standard)
      #expect(stopped.stop == stop && stopped.replay == nil && stopped.counts.invalidated == 301)
      #expect(try replay(11, .count(10)).stop != nil)
      #expect(try store.rows(.dead).isEmpty && store.history().isEmpty, "nothing was changed")
      #expect(try replay(300, .standard).counts.invalidated == 300)
      #expect(try replay(1200, .percent(100)).counts.invalidated == 900)
    }
  }

  @Test("up to a thousand live tokens, a share says nothing")
  func fewTokens() throws {
    #expect(InvalidationLimit.standard.stop(1000, of: 1000) == nil)
    #expect(
      InvalidationLimit.standard.stop(251, of: 1001) == LimitExceeded(invalidated: 251, live: 1001, most: 250)
    )
    #expect(InvalidationLimit.count(0).stop(1, of: 1) == LimitExceeded(invalidated: 1, live: 1, most: 0))
  }

  @Test(
    "grace keeps devices that were registered shortly before", arguments: StoreKind.allCases,
    [(0, 1), (4, 1), (5, 0), (9, 0), (UInt32.max, 0)])
  func grace(_ kind: StoreKind, _ expected: (grace: UInt32, invalidated: Int)) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.emptyStore()
    try store.register([Dated(token: [1], time: 10)])
    // Without its type it would be an array of words, whose bytes are another token.
    let token: [UInt8] = [1]
    var options = ReplayOptions()
    options.grace = expected.grace
    let answer = try store.replay(
      { try $0(token.span.bytes, StoreTime(15)) }, for: Self.owner, options: options, entry: nil)
    #expect(answer.counts.invalidated == expected.invalidated)
  }
}
