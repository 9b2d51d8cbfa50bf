import PrivateServers
import StoreTestSupport
import Synchronization
import Testing
import TokenStores

/// How often a source was asked.
private final class Calls: Sendable {
  let count = Mutex(0)
}

/// Several programs at once: the table and the answers are those of some order of them.
@Suite struct PostgreSQLConcurrencyTests {
  let database: TestDatabase
  let store: TokenStore

  init() throws {
    database = try TestDatabase()
    store = try database.store()
  }

  /// Every replay inserts what those before it did not: together each token once.
  @Test(arguments: [false, true]) func replaysAtOnce(tableIsThere: Bool) throws {
    if tableIsThere { try store.register([]) }
    let tokens = (0..<3000).map { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let replays = (0..<4).map { number in
      Later { [store] in
        try store.replay(
          tokens.map { Dated(token: $0, time: UInt32(10 + number)) }, as: JournalTests.entry()
        ).counts
      }
    }
    let registration = Later { [store] in
      try store.register(tokens.reversed().map { Dated(token: $0, time: 5) })
    }
    let counts = try replays.map { try $0.get() }
    let added = try registration.get().added
    #expect(counts.map(\.inserted).reduce(added, +) == tokens.count)
    #expect(counts.allSatisfy { $0.tokens == tokens.count && [0, tokens.count].contains($0.inserted) })
    #expect(try store.history().count == 4)
    #expect(try Set(store.rows().map(\.state)) == [TokenState(registeredAt: 5, invalidatedAt: 13)])
  }

  /// What another program does to a row that the replay waits for counts, once it has committed.
  @Test(arguments: [
    (
      "UPDATE device_tokens SET registered_at = to_timestamp(20) WHERE token = '\\x01'", "kept",
      ["01 20 -", "02 - 9"]
    ),
    (
      "UPDATE device_tokens SET invalidated_at = to_timestamp(5) WHERE token = '\\x01'", "updated",
      ["01 1 9", "02 - 9"]
    ),
    ("DELETE FROM device_tokens", "inserted", ["01 - 9", "02 - 9"]),
    (
      "INSERT INTO device_tokens VALUES ('', 'production', '\\x02', to_timestamp(20), NULL)", "second kept",
      ["01 1 9", "02 20 -"]
    ),
  ])
  func aRowThatChangesMeanwhile(_ sql: String, _ outcome: String, _ rows: [String]) throws {
    try store.register([Dated(token: [1], time: 1)])
    try database.session.run("BEGIN; \(sql)")
    let replay = Later { [store] in
      try store.replay([Dated(token: [1], time: 9), Dated(token: [2], time: 9)], as: JournalTests.entry())
    }
    try database.waitUntilWaiting()
    try database.session.run("COMMIT")
    let answer = try replay.get()
    let counts = answer.counts
    var expected = ReplayCounts()
    switch outcome {
    case "kept": (expected.kept, expected.inserted) = (1, 1)
    case "updated": (expected.updated, expected.inserted) = (1, 1)
    case "inserted": expected.inserted = 2
    default: (expected.invalidated, expected.kept) = (1, 1)
    }
    #expect(counts == expected)
    #expect(try database.rows() == rows)
    // The rounds that were taken back left nothing.
    var changes: [JournalChange] = []
    try store.changes(of: try #require(answer.replay)) { changes.append($0) }
    #expect(changes.count == counts.changes && changes.allSatisfy { $0.after.invalidatedAt == 9 })
    #expect(try store.history().map(\.counts) == [counts].map { Self.rejecting($0) })
  }

  /// In the journal's counts: with the rejected tokens of the entry.
  private static func rejecting(_ counts: ReplayCounts) -> ReplayCounts {
    var counts = counts
    counts.rejected = JournalTests.entry().rejected
    return counts
  }

  /// As a replay, an undo goes by what a row is once its lock is had.
  @Test func aRowThatChangesDuringAnUndo() throws {
    try store.register([Dated(token: [1], time: 1), Dated(token: [2], time: 1)])
    try store.replay((1...3).map { Dated(token: [$0], time: 9) }, as: JournalTests.entry())
    try database.session.run(
      "BEGIN; UPDATE device_tokens SET registered_at = to_timestamp(5) WHERE token = '\\x01'; "
        + "DELETE FROM device_tokens WHERE token = '\\x03'")
    let undo = Later { [store] in try store.undo(1, entry: JournalTests.entry()) }
    try database.waitUntilWaiting()
    try database.session.run("COMMIT")
    let answer = try undo.get()
    #expect(answer.restored == 1 && answer.left == [.registeredSince: 1, .gone: 1])
    #expect(answer.sample.map(\.token) == [[1], [3]])
    #expect(try database.rows() == ["01 5 9", "02 1 -"])
    #expect(try store.history().map(\.counts.updated) == [0, 1])
  }

  @Test func undosAtOnce() throws {
    try store.replay([Dated(token: [1], time: 9)], as: JournalTests.entry())
    let undos = (0..<3).map { _ in Later { [store] in try? store.undo(1, entry: JournalTests.entry()) } }
    #expect(try undos.compactMap { try $0.get() }.map(\.restored) == [1])
    #expect(try database.rows().isEmpty && store.history().count == 2)
  }

  /// The server ends one of two that wait for each other: apnsift begins again, with the input from its beginning.
  @Test func aDeadlock() throws {
    try store.register([Dated(token: [1], time: 1), Dated(token: [2], time: 1)])
    try database.session.run(
      "BEGIN; UPDATE device_tokens SET registered_at = to_timestamp(2) WHERE token = '\\x02'")
    // Of two, the one with the shorter patience is ended.
    let hasty = try database.store(options: "options=-cdeadlock_timeout%3D100ms")
    let calls = Calls()
    let deaths: @Sendable ((RawSpan, StoreTime) throws -> Void) throws -> Void = { visit in
      calls.count.withLock { $0 += 1 }
      try visit([UInt8(1)].span.bytes, StoreTime(9))
      try visit([UInt8(2)].span.bytes, StoreTime(9))
    }
    let replay = Later {
      try hasty.replay(
        deaths, for: AppEnvironment(), options: ReplayOptions(), entry: { JournalTests.entry() })
    }
    try database.waitUntilWaiting()
    try database.session.run(
      "SET deadlock_timeout = '1h'; UPDATE device_tokens SET registered_at = to_timestamp(2) WHERE token = '\\x01'; COMMIT"
    )
    #expect(try replay.get().counts.invalidated == 2)
    #expect(try store.history().map(\.counts.invalidated) == [2], "recorded once")
    // Once more, with the other program's commit after the restart.
    #expect((2...3).contains(calls.count.withLock { $0 }))
    #expect(try database.rows() == ["01 2 9", "02 2 9"])
  }

  @Test func readersAndOtherOwnersDoNotWait() throws {
    try store.register([Dated(token: [1], time: 1)])
    let impatient = try database.store(lockTimeout: .milliseconds(1))
    let counts = try store.replay(
      { visit in
        try visit([UInt8(1)].span.bytes, StoreTime(9))
        #expect(try impatient.rows().map(\.state) == [TokenState(registeredAt: 1)])
        #expect(
          try impatient.replay([Dated(token: [1], time: 9)], for: AppEnvironment(app: "b")).inserted == 1)
      }, for: AppEnvironment(), options: ReplayOptions(), entry: nil
    ).counts
    #expect(counts.invalidated == 1)
  }
}
