import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// "Replays and registrations in any order end in the same table" (docs/spec/interface.md#replay-rule).
@Suite struct OrderTests {
  /// SplitMix64: the same sequence in every run.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  /// One call of the store: a replay of the latest time of each token, or a registration of all.
  struct Call {
    var isReplay: Bool
    var owner: AppEnvironment
    var tokens: [Dated]
  }

  static let owners = [AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "a")]

  static func calls(_ generator: inout Generator) -> [Call] {
    (0..<Int.random(in: 1...8, using: &generator)).map { _ in
      let isReplay = Bool.random(using: &generator)
      // Few tokens and few times, so that ties and repetitions are the rule.
      var tokens = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        Dated(
          token: Array(
            repeating: UInt8.random(in: 0...2, using: &generator),
            count: Int.random(in: 0...2, using: &generator)),
          time: UInt32.random(in: 0...6, using: &generator),
          // Of an answer with status 410; this store has whole seconds.
          milliseconds: isReplay ? [0, 1, 999].randomElement(using: &generator) ?? 0 : 0)
      }
      if isReplay {
        tokens = Dictionary(grouping: tokens, by: \.token)
          .compactMap { $0.value.max { $0.storeTime < $1.storeTime } }
          .sorted { $0.token.lexicographicallyPrecedes($1.token) }
      }
      return Call(
        isReplay: isReplay, owner: owners.randomElement(using: &generator) ?? AppEnvironment(), tokens: tokens
      )
    }
  }

  /// The final table from the sets of all registrations and deaths, without any order: the latest of each,
  /// the death only if it is later.
  static func table(after calls: [Call]) -> Set<TokenRow> {
    struct Key: Hashable {
      var owner: AppEnvironment
      var token: [UInt8]
    }
    var registrations: [Key: Int64] = [:]
    var deaths: [Key: Int64] = [:]
    for call in calls {
      for one in call.tokens {
        let key = Key(owner: call.owner, token: one.token)
        if call.isReplay {
          deaths[key] = max(deaths[key] ?? 0, Int64(one.time))
        } else {
          registrations[key] = max(registrations[key] ?? 0, Int64(one.time))
        }
      }
    }
    return Set(
      Set(registrations.keys).union(deaths.keys).map { key in
        let registered = registrations[key]
        let death = deaths[key].flatMap { $0 > registered ?? -1 ? $0 : nil }
        return TokenRow(
          owner: key.owner, token: key.token,
          state: TokenState(registeredAt: registered, invalidatedAt: death))
      })
  }

  @Test(arguments: 0..<60) func anyOrderEndsInTheSameTable(seed: Int) throws {
    var generator = Generator(state: UInt64(seed))
    let calls = Self.calls(&generator)
    let expected = Self.table(after: calls)
    let directory = try TemporaryFiles()
    for order in 0..<6 {
      let store = TokenStore(SQLiteDatabase(path: directory.file("\(order).sqlite")), creates: true)
      // Calls in another order each time, and some of them twice.
      let repeated = calls.filter { _ in Bool.random(using: &generator) }
      for call in (calls + repeated).shuffled(using: &generator) { try run(call, on: store) }
      let rows = try store.rows()
      #expect(Set(rows) == expected)
      #expect(rows.count == expected.count)
    }
  }

  private func run(_ call: Call, on store: TokenStore) throws {
    guard call.isReplay else {
      #expect(try store.register(call.tokens, for: call.owner).registrations == call.tokens.count)
      return
    }
    let preview = try store.replay(call.tokens, for: call.owner, dryRun: true)
    let counts = try store.replay(call.tokens, for: call.owner)
    #expect(counts == preview)
    #expect(counts.tokens == call.tokens.count)
    #expect(try store.replay(call.tokens, for: call.owner, dryRun: true).changes == 0)
  }
}
