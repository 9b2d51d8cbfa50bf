import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// Replays and registrations in real files; what they must do is ReplayRuleTests' business.
@Suite struct SQLiteReplayTests {
  let directory: TemporaryFiles
  let store: TokenStore

  init() throws {
    directory = try TemporaryFiles()
    store = TokenStore(SQLiteDatabase(path: directory.file()), creates: true)
  }

  /// One token for each outcome, against rows that are written by SQL alone.
  @Test(arguments: [false, true]) func everyOutcome(knownOnly: Bool) throws {
    try store.register([])
    try sqlite(
      directory.file(),
      """
      INSERT INTO device_tokens VALUES
        ('', 'production', x'01', 100, NULL), ('', 'production', x'02', 99, NULL),
        ('', 'production', x'03', NULL, 100), ('', 'production', x'04', 50, 99),
        ('', 'sandbox', x'05', 100, NULL), ('other', 'production', x'05', 100, NULL)
      """)
    let deaths = (1...5).map { Dated(token: [$0], time: 100) }
    var expected = ReplayCounts()
    (expected.kept, expected.invalidated, expected.unchanged, expected.updated) = (1, 1, 1, 1)
    if knownOnly { expected.unknown = 1 } else { expected.inserted = 1 }

    #expect(try store.replay(deaths, knownOnly: knownOnly, dryRun: true) == expected)
    #expect(try store.replay(deaths, knownOnly: knownOnly) == expected)
    #expect(
      try store.rows(in: AppEnvironmentFilter(app: "", environment: .production)).map(\.state)
        == [
          TokenState(registeredAt: 100), TokenState(registeredAt: 99, invalidatedAt: 100),
          TokenState(invalidatedAt: 100), TokenState(registeredAt: 50, invalidatedAt: 100),
        ] + (knownOnly ? [] : [TokenState(invalidatedAt: 100)]))
    let others = try store.rows().filter { $0.owner != AppEnvironment() }
    #expect(others.map(\.state) == [TokenState(registeredAt: 100), TokenState(registeredAt: 100)])
  }

  @Test func secondReplayChangesNothing() throws {
    let deaths = (0..<200).map { Dated(token: [UInt8($0), 1], time: UInt32($0)) }
    try store.register((0..<100).map { Dated(token: [UInt8($0), 1], time: 50) })
    try store.replay(deaths)
    let before = try bytes(of: directory.file())
    let second = try store.replay(deaths)
    #expect(second.changes == 0)
    #expect(second.tokens == 200)
    #expect(try bytes(of: directory.file()) == before)
  }

  @Test func dryRunLeavesTheFileAsItIs() throws {
    try store.replay([Dated(token: [1], time: 5)])
    let before = try bytes(of: directory.file())
    let deaths = [Dated(token: [1], time: 6), Dated(token: [2], time: 6)]
    let preview = try store.replay(deaths, dryRun: true)
    #expect(try bytes(of: directory.file()) == before)
    #expect(try directory.names == ["tokens.sqlite"])
    #expect(try store.replay(deaths) == preview)
  }

  @Test func dryRunMakesNoStore() throws {
    let counts = try store.replay([Dated(token: [1], time: 5)], dryRun: true)
    #expect(counts.inserted == 1)
    #expect(try store.replay([Dated(token: [1], time: 5)], knownOnly: true, dryRun: true).unknown == 1)
    #expect(try directory.names == [])
  }

  @Test func dryRunTakesNoWriteLock() throws {
    try store.replay([Dated(token: [1], time: 5)])
    let counts = try withWriteLock(on: directory.file()) {
      try store.replay([Dated(token: [1], time: 6)], dryRun: true)
    }
    #expect(counts.updated == 1)
  }

  @Test func aSourceThatFailsRollsBack() throws {
    try store.register([Dated(token: [1], time: 5)])
    let before = try bytes(of: directory.file())
    #expect(throws: SourceError()) {
      _ = try store.replay(
        { visit in
          try visit([UInt8(1)].span.bytes, StoreTime(9))
          try visit([UInt8(2)].span.bytes, StoreTime(9))
          throw SourceError()
        }, for: AppEnvironment(), options: ReplayOptions(), entry: nil)
    }
    #expect(try bytes(of: directory.file()) == before)
  }

  @Test func aSourceThatFailsLeavesNoTable() throws {
    #expect(throws: SourceError()) {
      _ = try store.register(
        { visit in
          try visit([UInt8(1)].span.bytes, StoreTime(9))
          throw SourceError()
        }, for: AppEnvironment())
    }
    #expect(try integer(directory.file(), "SELECT count(*) FROM sqlite_master") == 0)
    #expect(try integer(directory.file(), "PRAGMA application_id") == 0)
  }

  @Test func registrationCounts() throws {
    try store.replay([Dated(token: [1], time: 10), Dated(token: [2], time: 10)])
    let counts = try store.register([
      Dated(token: [1], time: 10), Dated(token: [2], time: 9), Dated(token: [3], time: 1),
      Dated(token: [3], time: 1), Dated(token: [3], time: 2),
    ])
    #expect((counts.revived, counts.raised, counts.added, counts.unchanged) == (1, 2, 1, 1))
    #expect(counts.registrations == 5)
  }

  /// Tokens of every length that the wire can carry at its edges, and the empty one, are keys like any other.
  @Test func tokensOfAnyLength() throws {
    let tokens: [[UInt8]] = [[], [0], [0, 0], [0, 1], Array(repeating: 0xff, count: 65_535)]
    let counts = try store.replay(tokens.map { Dated(token: $0, time: 3) })
    #expect(counts.inserted == tokens.count)
    #expect(try store.rows().map(\.token) == tokens)
    #expect(try store.rows(of: tokens, in: .any).map(\.token) == tokens)
    #expect(try store.replay(tokens.map { Dated(token: $0, time: 3) }).unchanged == tokens.count)
  }

  @Test func listAndLookUp() throws {
    let owners = [
      AppEnvironment(), AppEnvironment(environment: .sandbox), AppEnvironment(app: "b\0c"),
      AppEnvironment(app: "é'", environment: .sandbox),
    ]
    for owner in owners.shuffled() {
      try store.replay([Dated(token: [2], time: 9)], for: owner)
      try store.register([Dated(token: [1, 0], time: 8), Dated(token: [1], time: 7)], for: owner)
    }
    #expect(try store.owners() == owners)
    #expect(try store.rows().map(\.owner) == owners.flatMap { [$0, $0, $0] })
    #expect(try store.rows(.live).map(\.token) == owners.flatMap { _ in [[1], [1, 0]] })
    #expect(
      try store.rows(.dead, in: AppEnvironmentFilter(environment: .sandbox)).map(\.owner) == [
        owners[1], owners[3],
      ])
    #expect(try store.rows(of: [[2], [9]], in: .any).map(\.owner) == owners)
    let found = try store.rows(of: [[1], [2]], in: AppEnvironmentFilter(app: "b\0c"))
    #expect(
      found == [
        TokenRow(owner: owners[2], token: [1], state: TokenState(registeredAt: 7)),
        TokenRow(owner: owners[2], token: [2], state: TokenState(invalidatedAt: 9)),
      ])
  }
}
