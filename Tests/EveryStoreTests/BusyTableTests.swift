import Basics
import PrivateServers
import StoreTestSupport
import TestSupport
import Testing
import TokenStores

/// A replay into a table that another program writes all the time ends, and no device that registers again is invalidated.
@Suite("Tables in use") struct BusyTableTests {
  private static let tokens = (0..<4000).map { [UInt8($0 >> 8), UInt8($0 & 255), 7] }
  private static let (registered, died, again): (UInt32, UInt32, Int64) = (1, 9, 20)

  /// Registers devices again, one after the other, until `isOver`; returns which.
  private static func writer(
    _ kind: StoreKind, _ connect: @escaping @Sendable () throws -> any ServerSession, until isOver: Flag
  ) -> Later<Set<[UInt8]>> {
    Later {
      let session = try connect()
      var generator = SeededGenerator(seed: 34)
      var done: Set<[UInt8]> = []
      while !isOver.isSet {
        let token = tokens[Int.random(in: tokens.indices, using: &generator)]
        try session.run(
          "UPDATE device_tokens SET registered_at = \(kind.time(again)), invalidated_at = NULL "
            + "WHERE token = \(kind.literal(token))")
        done.insert(token)
      }
      return done
    }
  }

  @Test(
    "one run ends, and only devices that did not register again are dead",
    arguments: [StoreKind.postgreSQL, .mySQL], [nil, 100])
  func replay(_ kind: StoreKind, batch: Int?) throws {
    let fixture = try StoreFixture(kind)
    let store = try fixture.ownStore()
    try store.register(Self.tokens.map { Dated(token: $0, time: Self.registered) })
    let isOver = Flag()
    let writer = Self.writer(kind, fixture.connect, until: isOver)
    var options = ReplayOptions()
    (options.brake, options.batch) = (.percent(100), batch)
    let answer = Result {
      try store.replay(
        Self.tokens.map { Dated(token: $0, time: Self.died) }, options: options, entry: .sample(sha256: "ab"))
    }
    isOver.set()
    let again = try writer.get()
    let counts = try answer.get().counts
    #expect(counts.invalidated + counts.kept == Self.tokens.count && counts.inserted == 0)
    let rows = try store.rows()
    let dead = Set(rows.filter(\.state.isDead).map(\.token))
    #expect(dead == Set(Self.tokens).subtracting(again))
    let history = try store.history()
    #expect(history.map(\.rows) == [counts.invalidated] && !history[0].isUnfinished)
    // Those that were invalidated before they registered again are skipped.
    let undo = try store.undo(history[0].id, entry: .sample(sha256: "cd"))
    #expect(undo.restored == dead.count && undo.left.values.reduce(0, +) == counts.invalidated - dead.count)
    #expect(try store.rows().allSatisfy { !$0.state.isDead })
  }
}
