import StoreTestSupport
import Testing
import TokenStores

/// Tables of others, in both databases, against a plain model: whatever is done to them, in whatever order.
@Suite("Tables of others") struct MappedHistoryTests {
  private static let base: Int64 = 1_400_000_000

  private static func tested(_ number: Int, _ generator: inout FixedGenerator) -> MappedCase {
    let actions: [InvalidationAction] = [
      .mark(TimeColumn(name: "", form: .seconds)), .flag(column: "active", dead: "false", alive: "true"),
      .delete,
    ]
    return MappedCase(
      token: TokenForm.allCases[number % TokenForm.allCases.count],
      time: MappedCase.times[number / TokenForm.allCases.count % MappedCase.times.count],
      action: actions[number % 7 % 3], hasApp: Bool.random(using: &generator),
      hasEnvironment: Bool.random(using: &generator),
      hasRegistered: Int.random(in: 0..<5, using: &generator) > 0)
  }

  private static func dated(_ generator: inout FixedGenerator, isDistinct: Bool) -> [Dated] {
    let tokens = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      [UInt8](repeating: 0xa0 + UInt8.random(in: 0...6, using: &generator), count: 3)
    }
    return (isDistinct ? Array(Set(tokens)).sorted { $0[0] < $1[0] } : tokens).map {
      Dated(token: $0, time: UInt32(base) + UInt32.random(in: 0...6, using: &generator) * 1000)
    }
  }

  private static func rows(_ generator: inout FixedGenerator, _ tested: MappedCase) -> [ModelRow] {
    (0..<Int.random(in: 0...6, using: &generator)).map { number in
      var row = ModelRow(
        id: number, token: [UInt8](repeating: 0xa0 + UInt8.random(in: 0...6, using: &generator), count: 3),
        app: Bool.random(using: &generator) ? "a" : "b",
        environment: Bool.random(using: &generator) ? "prod" : "dev", isDead: false)
      func time() -> Int64? {
        Bool.random(using: &generator) ? nil : base + Int64.random(in: 0...6, using: &generator) * 1000
      }
      if tested.hasRegistered { row.registered = time() }
      switch tested.action {
      case .mark:
        row.died = time()
        row.isDead = row.died != nil
      case .flag: row.isDead = Bool.random(using: &generator)
      case .delete: break
      }
      return row
    }
  }

  @Test(
    "agree with a plain model after replays, registrations and undos in any order, in every form",
    arguments: [
      (StoreKind.sqlite, 0..<1000), (.postgreSQL, 0..<500), (.postgreSQL, 500..<1000), (.mySQL, 0..<500),
      (.mySQL, 500..<1000),
    ])
  func histories(_ part: (kind: StoreKind, numbers: Range<Int>)) throws {
    let database = try MappedFixture(part.kind)
    for number in part.numbers { try history(number, in: database) }
  }

  private func history(_ number: Int, in fixture: MappedFixture) throws {
    var generator = FixedGenerator(state: UInt64(number) * 2 + 1)
    let tested = Self.tested(number, &generator)
    let inserts = Bool.random(using: &generator)
    try fixture.begin(tested.definition(fixture.kind))
    // Every other one of each form: tokens are looked up in it, or all rows are read.
    if number / TokenForm.allCases.count % 2 == 0 {
      try fixture.run("CREATE INDEX by_token ON \(MappedCase.quoted) (token)")
    }
    var model = MappedModel(tested, inserts: inserts)
    model.rows = Self.rows(&generator, tested)
    for row in model.rows { try fixture.run(tested.insertion(row, fixture.kind)) }
    let mapping = tested.mapping(fixture.kind)
    for step in 0..<Int.random(in: 2...4, using: &generator) {
      let owner = AppEnvironment(
        app: Bool.random(using: &generator) ? "a" : "b",
        environment: Bool.random(using: &generator) ? .production : .sandbox)
      let environment = owner.environment == .production ? "prod" : "dev"
      let isOwned = model.owned(owner.app, environment, tested)
      let store = try fixture.store(mapping, inserts: inserts, owner: owner)
      // A row of a table without these columns has neither.
      let app = tested.hasApp ? owner.app : ""
      let stored = tested.hasEnvironment ? environment : ""
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let registrations = Self.dated(&generator, isDistinct: false)
        try store.register(registrations, for: owner)
        model.register(registrations, app, stored, isOwned)
      case 1 where !model.changes.isEmpty:
        let id = Int.random(in: 1...model.changes.count, using: &generator)
        let undone = model.undo(id)
        let answer = try? store.undo(id, entry: JournalTests.entry())
        #expect(answer?.restored == undone?.restored, "history \(number), step \(step): \(tested)")
        #expect(answer.map { $0.left.values.reduce(0, +) } == undone?.left, "history \(number): \(tested)")
      default:
        let deaths = Self.dated(&generator, isDistinct: true)
        var options = ReplayOptions(dryRun: true)
        options.brake = .percent(100)
        // Each costs as much as a replay.
        let foreseen = number % 4 == 0 ? try store.replay(deaths, for: owner, options: options) : nil
        options.dryRun = false
        let answer = try store.replay(deaths, for: owner, options: options, entry: JournalTests.entry())
        let expected = model.replay(deaths, app, stored, isOwned)
        let rows = model.changes.last??.count ?? 0
        #expect(
          answer.counts == expected && answer.rows == rows, "history \(number), step \(step): \(tested)")
        #expect(
          (foreseen?.counts ?? expected) == expected, "dry run of history \(number), step \(step): \(tested)")
        #expect((foreseen?.rows ?? rows) == rows, "dry run of history \(number), step \(step): \(tested)")
      }
      let found = try fixture.texts(
        #"SELECT token, bundle, env, seen, "Gone At", active FROM "# + MappedCase.quoted
      )
      .map { tested.row($0, fixture.kind).text }.sorted()
      try #require(found == model.rows.map(\.text).sorted(), "history \(number), step \(step): \(tested)")
    }
  }
}
