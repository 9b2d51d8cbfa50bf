import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// The same calls on all stores and on a plain model: the same answers, the same tables, the same journals.
@Suite("Calls of all stores") struct AgreementTests {
  private struct Key: Hashable, Comparable {
    var owner: AppEnvironment
    var token: [UInt8]

    /// All in one, separated by zeros: no app here has one.
    private var bytes: [UInt8] { Array("\(owner.app)\0\(owner.environment.rawValue)\0".utf8) + token }

    static func < (left: Key, right: Key) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
  }

  /// The rule word for word (docs/spec/interface.md#replay-rule), a dictionary for a table.
  private struct Model {
    typealias Change = (key: Key, before: TokenState?, after: TokenState)

    var table: [Key: TokenState] = [:]
    /// The changes of each replay, by its number, until it is undone; nil for undos.
    var changes: [[Change]?] = []

    var rows: [TokenRow] {
      table.sorted { $0.key < $1.key }.map { TokenRow(owner: $0.owner, token: $0.token, state: $1) }
    }

    mutating func replay(_ deaths: [Dated], _ owner: AppEnvironment, knownOnly: Bool) -> ReplayCounts {
      var counts = ReplayCounts()
      var made: [Change] = []
      for death in deaths {
        let (key, time) = (Key(owner: owner, token: death.token), Int64(death.time))
        let before = table[key]
        if before == nil {
          if knownOnly { counts.unknown += 1 } else { counts.inserted += 1 }
          if knownOnly { continue }
        } else if let registered = before?.registeredAt, registered >= time {
          counts.kept += 1
          continue
        } else if let dead = before?.invalidatedAt {
          if dead >= time { counts.unchanged += 1 } else { counts.updated += 1 }
          if dead >= time { continue }
        } else {
          counts.invalidated += 1
        }
        let after = TokenState(registeredAt: before?.registeredAt, invalidatedAt: time)
        table[key] = after
        made.append((key, before, after))
      }
      changes.append(made)
      return counts
    }

    mutating func register(_ registrations: [Dated], _ owner: AppEnvironment) -> RegistrationCounts {
      var counts = RegistrationCounts()
      for one in registrations {
        let key = Key(owner: owner, token: one.token)
        let before = table[key]
        let latest = max(before?.registeredAt ?? .min, Int64(one.time))
        let death = before?.invalidatedAt.flatMap { $0 > latest ? $0 : nil }
        table[key] = TokenState(registeredAt: latest, invalidatedAt: death)
        if before == nil {
          counts.added += 1
        } else if before?.invalidatedAt != death {
          counts.revived += 1
        } else if before?.registeredAt != latest {
          counts.raised += 1
        } else {
          counts.unchanged += 1
        }
      }
      return counts
    }

    /// How many rows it restores and leaves; nil where the replay cannot be undone.
    mutating func undo(_ id: Int) -> [Int]? {
      guard changes.indices.contains(id - 1), let made = changes[id - 1] else { return nil }
      for change in changes.dropFirst(id).compactMap({ $0 }).joined()
      where made.contains(where: { $0.key == change.key }) && table[change.key] == change.after {
        return nil
      }
      var restored = 0
      for change in made where table[change.key] == change.after {
        table[change.key] = change.before
        restored += 1
      }
      if restored > 0 || made.isEmpty {
        changes[id - 1] = nil
        changes.append(nil)
      }
      return [restored, made.count - restored]
    }
  }

  private static let owners = [
    AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "a"),
  ]

  /// Few tokens and few times, so that ties and repetitions are the rule.
  private static func dated(_ generator: inout SeededGenerator) -> [Dated] {
    (0..<generator.pick(0...12)).map { _ in
      let token = [UInt8](repeating: UInt8(generator.pick(0...2)), count: generator.pick(0...2))
      return Dated(token: token, time: UInt32(generator.pick(0...6)))
    }
  }

  /// Each token once, with its latest time, as a replay sends them.
  private static func latest(_ dated: [Dated]) -> [Dated] {
    Dictionary(grouping: dated, by: \.token).compactMap { $0.value.max { $0.storeTime < $1.storeTime } }
      .sorted { $0.token.lexicographicallyPrecedes($1.token) }
  }

  /// From one token at a time to all at once.
  @Test("agree with each other and a plain model after each step of random histories", arguments: 1...5)
  func histories(_ batchSize: Int) throws {
    let fixtures = try StoreKind.allCases.map { try StoreFixture($0) }
    for seed in 0..<8 {
      let stores = try fixtures.map { fixture in
        try fixture.begin()
        return try fixture.ownStore(batchSize: batchSize)
      }
      var generator = SeededGenerator(seed: UInt64(batchSize * 100 + seed))
      var model = Model()
      for _ in 0..<generator.pick(3...10) {
        try step(&model, stores, &generator)
        for store in stores { try check(store, model, "seed \(seed) of \(store.name)") }
      }
    }
  }

  private func step(
    _ model: inout Model, _ stores: [TokenStore], _ generator: inout SeededGenerator
  ) throws {
    let (owner, dated) = (generator.pick(Self.owners), Self.dated(&generator))
    switch generator.pick(0...3) {
    case 0:
      let counts = model.register(dated, owner)
      for store in stores { #expect(try store.register(dated, for: owner) == counts) }
    case 1:
      let id = generator.pick(1...max(1, model.changes.count))
      let expected = model.undo(id)
      for store in stores {
        let answer = try? store.undo(id, entry: .sample)
        #expect(answer.map { [$0.restored, $0.left.values.reduce(0, +)] } == expected)
      }
    default:
      let deaths = Self.latest(dated)
      var options = ReplayOptions(knownOnly: generator.chance(4), dryRun: true)
      options.grace = UInt32(generator.pick(0...4))
      (options.sampleLength, options.brake) = (2, .count(1))
      let previews = try stores.map { try $0.replay(deaths, for: owner, options: options) }
      #expect(previews.allSatisfy { $0 == previews[0] })
      (options.grace, options.brake) = (0, .percent(100))
      let foreseen = try stores.map { try $0.replay(deaths, for: owner, options: options).counts }
      options.dryRun = false
      let counts = model.replay(deaths, owner, knownOnly: options.knownOnly)
      #expect(foreseen.allSatisfy { $0 == counts })
      for store in stores {
        let answer = try store.replay(deaths, for: owner, options: options, entry: .sample)
        #expect(answer.counts == counts && answer.replay == model.changes.count)
      }
    }
  }

  private func check(_ store: TokenStore, _ model: Model, _ name: String) throws {
    let rows = model.rows
    if !rows.isEmpty || !model.changes.isEmpty { try #require(try store.rows() == rows, "\(name)") }
    #expect(
      try store.owners() == Self.owners.filter { owner in rows.contains { $0.owner == owner } }, "\(name)")
    for (index, made) in model.changes.enumerated() {
      guard let made else { continue }
      let changes = try store.changes(of: index + 1)
      #expect(
        changes.map(\.token) == made.map(\.key.token) && changes.map(\.after) == made.map(\.after), "\(name)")
    }
  }

  // MARK: - Order

  private typealias Call = (isReplay: Bool, owner: AppEnvironment, tokens: [Dated])

  private static func calls(_ generator: inout SeededGenerator) -> [Call] {
    (0..<generator.pick(1...8)).map { _ in
      let isReplay = generator.chance(2)
      var tokens = dated(&generator)
      if isReplay {
        // Of answers with status 410; these stores have whole seconds.
        for index in tokens.indices { tokens[index].milliseconds = generator.pick([0, 1, 999]) }
        tokens = latest(tokens)
      }
      return Call(isReplay: isReplay, owner: generator.pick(owners), tokens: tokens)
    }
  }

  /// The final table without any order: the latest of all registrations and deaths, a death only if it is later.
  private static func table(after calls: [Call]) -> Set<TokenRow> {
    var times: [Key: (registered: Int64?, dead: Int64?)] = [:]
    for call in calls {
      for one in call.tokens {
        let key = Key(owner: call.owner, token: one.token)
        let (registered, dead) = times[key] ?? (nil, nil)
        let latest = max((call.isReplay ? dead : registered) ?? 0, Int64(one.time))
        times[key] = call.isReplay ? (registered, latest) : (latest, dead)
      }
    }
    return Set(
      times.map { key, times in
        let dead = times.dead.flatMap { $0 > times.registered ?? -1 ? $0 : nil }
        let state = TokenState(registeredAt: times.registered, invalidatedAt: dead)
        return TokenRow(owner: key.owner, token: key.token, state: state)
      })
  }

  @Test("in any order end in the same table, and twice is once", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    let fixture = try StoreFixture(kind)
    for seed in 0..<(kind == .sqlite ? 30 : 8) {
      var generator = SeededGenerator(seed: UInt64(seed))
      let calls = Self.calls(&generator)
      for _ in 0..<6 {
        let store = try fixture.emptyStore()
        let repeated = calls.filter { _ in generator.chance(2) }
        for call in (calls + repeated).shuffled(using: &generator) {
          if call.isReplay {
            try store.replay(call.tokens, for: call.owner)
            #expect(try store.replay(call.tokens, for: call.owner, dryRun: true).changes == 0)
          } else {
            try store.register(call.tokens, for: call.owner)
          }
        }
        let rows = try store.rows()
        #expect(Set(rows) == Self.table(after: calls) && Set(rows).count == rows.count, "seed \(seed)")
      }
    }
  }
}
