import Foundation
import StoreTestSupport
import Testing
import TokenStores

/// The same calls on both stores and on a plain model: the same answers, the same table.
@Suite struct PostgreSQLAgreementTests {
  struct Key: Hashable, Comparable {
    var owner: AppEnvironment
    var token: [UInt8]

    /// All in one, separated by zeros: no app here has one.
    private var bytes: [UInt8] { Array("\(owner.app)\0\(owner.environment.rawValue)\0".utf8) + token }

    static func < (left: Key, right: Key) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
  }

  /// The rule word for word (docs/spec/interface.md#replay-rule), a dictionary for a table.
  struct Model {
    var rows: [Key: (registered: Int64?, dead: Int64?)] = [:]

    mutating func replay(_ deaths: [Dated], _ owner: AppEnvironment, knownOnly: Bool) -> ReplayCounts {
      var counts = ReplayCounts()
      for death in deaths {
        let key = Key(owner: owner, token: death.token)
        let time = Int64(death.time)
        guard let row = rows[key] else {
          if knownOnly { counts.unknown += 1 } else { counts.inserted += 1 }
          if !knownOnly { rows[key] = (nil, time) }
          continue
        }
        if let registered = row.registered, registered >= time {
          counts.kept += 1
          continue
        }
        if let dead = row.dead, dead >= time {
          counts.unchanged += 1
          continue
        }
        if row.dead == nil { counts.invalidated += 1 } else { counts.updated += 1 }
        rows[key]?.dead = time
      }
      return counts
    }

    mutating func register(_ registrations: [Dated], _ owner: AppEnvironment) -> RegistrationCounts {
      var counts = RegistrationCounts()
      for one in registrations {
        let key = Key(owner: owner, token: one.token)
        let time = Int64(one.time)
        guard let row = rows[key] else {
          rows[key] = (time, nil)
          counts.added += 1
          continue
        }
        let latest = max(row.registered ?? time, time)
        let survives = row.dead.map { $0 > latest } ?? false
        rows[key] = (latest, survives ? row.dead : nil)
        if row.dead != nil, !survives {
          counts.revived += 1
        } else if row.registered != latest {
          counts.raised += 1
        } else {
          counts.unchanged += 1
        }
      }
      return counts
    }
  }

  static let owners = [AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "a")]

  private static func tokens(_ generator: inout FixedGenerator) -> [Dated] {
    // Few tokens and few times, so that ties and repetitions are the rule.
    (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      let byte = UInt8.random(in: 0...2, using: &generator)
      let count = Int.random(in: 0...2, using: &generator)
      return Dated(
        token: Array(repeating: byte, count: count), time: UInt32.random(in: 0...6, using: &generator))
    }
  }

  /// 300 histories of up to 8 calls; 10 databases, so that the tables are emptied and not made anew.
  @Test(arguments: 0..<10) func bothStoresAndTheModelAgree(group: Int) throws {
    let database = try TestDatabase()
    // From one token at a time to all at once.
    let store = try database.store(batchSize: 1 + group % 5)
    try store.register([])
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "agree-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    for seed in 0..<30 {
      try database.session.run("DELETE FROM device_tokens")
      let other = TokenStore(
        SQLiteDatabase(path: directory.appendingPathComponent("\(seed)").path), creates: true)
      try run(seed: group * 30 + seed, store, other)
    }
  }

  private func run(seed: Int, _ store: TokenStore, _ other: TokenStore) throws {
    var generator = FixedGenerator(state: UInt64(seed))
    var model = Model()
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let owner = Self.owners.randomElement(using: &generator) ?? AppEnvironment()
      let tokens = Self.tokens(&generator)
      if Bool.random(using: &generator) {
        let expected = model.register(tokens, owner)
        #expect(try store.register(tokens, for: owner) == expected, "seed \(seed)")
        #expect(try other.register(tokens, for: owner) == expected, "seed \(seed)")
        continue
      }
      let knownOnly = Int.random(in: 0...3, using: &generator) == 0
      let deaths = Dictionary(grouping: tokens, by: \.token).compactMapValues { $0.map(\.time).max() }
        .map { Dated(token: $0, time: $1) }.sorted { $0.token.lexicographicallyPrecedes($1.token) }
      var preview = ReplayOptions(knownOnly: knownOnly, dryRun: true)
      preview.grace = UInt32.random(in: 0...4, using: &generator)
      preview.sampleLength = 2
      preview.brake = .count(1)
      #expect(
        try store.replay(deaths, for: owner, options: preview)
          == other.replay(deaths, for: owner, options: preview), "seed \(seed)")
      let expected = model.replay(deaths, owner, knownOnly: knownOnly)
      #expect(
        try store.replay(deaths, for: owner, knownOnly: knownOnly, dryRun: true) == expected, "seed \(seed)")
      #expect(try store.replay(deaths, for: owner, knownOnly: knownOnly) == expected, "seed \(seed)")
      #expect(try other.replay(deaths, for: owner, knownOnly: knownOnly) == expected, "seed \(seed)")
    }
    let rows = model.rows.sorted { $0.key < $1.key }.map { key, row in
      TokenRow(
        owner: key.owner, token: key.token,
        state: TokenState(registeredAt: row.registered, invalidatedAt: row.dead))
    }
    #expect(try store.rows() == rows, "seed \(seed)")
    #expect(try other.rows() == rows, "seed \(seed)")
    #expect(try store.owners() == other.owners(), "seed \(seed)")
  }
}

/// SplitMix64: the same sequence in every run.
struct FixedGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
