import CommandTestSupport
import Testing

/// Replays and registrations in any order end in the same table (docs/spec/interface.md#replay-rule).
@Suite("Orders of replays and registrations")
struct ReplayOrderTests {
  private static let orders = 30

  /// What a batch does, as arguments.
  private enum Batch {
    case replay(String)
    case register(String)

    var arguments: [String] {
      switch self {
      case .replay(let name): ["replay", name, "--create", "--store"]
      case .register(let name): ["store", "register", "--csv", name, "--create", "--store"]
      }
    }
  }

  /// Four dumps and three lists over few tokens and fewer times: ties are common.
  private func batches(in directory: TestDirectory) throws -> (batches: [Batch], expected: [StoredToken]) {
    var generator = FixedGenerator(seed: 11)
    var deaths: [Int: Int64] = [:]
    var registrations: [Int: Int64] = [:]
    var batches: [Batch] = []
    for batch in 0..<7 {
      let events = (0..<60).map { _ in
        (
          number: Int.random(in: 0..<40, using: &generator),
          time: 1_400_000_000 + Int64.random(in: 0..<12, using: &generator)
        )
      }
      if batch < 4 {
        for event in events { deaths[event.number] = max(deaths[event.number] ?? 0, event.time) }
        try directory.write(
          feedback(events.map { Tuple(UInt32($0.time), token($0.number)) }), to: "\(batch).bin")
        batches.append(.replay("\(batch).bin"))
      } else {
        for event in events {
          registrations[event.number] = max(registrations[event.number] ?? 0, event.time)
        }
        let lines = events.map { "\(hex(token($0.number))),\($0.time)\n" }
        try directory.write("token,registered_at\n" + lines.joined(), to: "\(batch).csv")
        batches.append(.register("\(batch).csv"))
      }
    }
    return (batches, Self.table(deaths, registrations))
  }

  /// What the rule leaves: the latest registration, and the latest death if it is later still.
  private static func table(_ deaths: [Int: Int64], _ registrations: [Int: Int64]) -> [StoredToken] {
    Set(deaths.keys).union(registrations.keys).map { number in
      let registered = registrations[number]
      let dead = deaths[number].flatMap { $0 > registered ?? .min ? $0 : nil }
      return StoredToken(token: token(number), registeredAt: registered, invalidatedAt: dead)
    }.sorted { $0.token.lexicographicallyPrecedes($1.token) }
  }

  @Test("every order ends in the same table")
  func orders() throws {
    let directory = try TestDirectory()
    let (batches, expected) = try batches(in: directory)
    var generator = FixedGenerator(seed: 12)
    for order in 0..<Self.orders {
      let store = "\(order).sqlite"
      // Some batches come twice: that must not show either.
      let again = batches.filter { _ in Bool.random(using: &generator) }
      for batch in (batches + again).shuffled(using: &generator) {
        let outcome = try directory.apnsift(batch.arguments + ["sqlite:\(store)"])
        try #require(outcome.code == 0, "\(outcome.errors)")
      }
      #expect(try directory.storedTokens(store) == expected, "order \(order)")
    }
  }
}
