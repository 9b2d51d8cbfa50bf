import Basics
import PrivateServers
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import TokenStores

/// A replay into a table that another program writes all the time ends, and no device that registers again is invalidated.
@Suite("Tables in use")
struct BusyTableTests {
  enum Server: CaseIterable, Sendable { case postgreSQL, mariaDB }

  private static let tokens = (0..<4000).map { [UInt8($0 >> 8), UInt8($0 & 255), 7] }
  private static let (registered, died, again): (UInt32, UInt32, UInt32) = (1, 9, 20)

  /// A store, and another connection to its database.
  private static func store(_ server: Server) throws -> (TokenStore, @Sendable () throws -> any ServerSession)
  {
    switch server {
    case .postgreSQL:
      let database = try TestDatabase()
      let (server, name) = (database.server, database.name)
      return (try database.store(), { try PostgreSQLSession(server, database: name) })
    case .mariaDB:
      let database = try MariaDBDatabase()
      let store = TokenStore(try database.database(), creates: true)
      let (server, name) = (database.server, database.name)
      return (store, { try MariaDBSession(server, database: name) })
    }
  }

  private static func registration(_ token: [UInt8], _ server: Server) -> String {
    let digits = Hex.string(token)
    let (time, bytes) =
      server == .postgreSQL ? ("to_timestamp(\(again))", "'\\x\(digits)'") : ("\(again)", "x'\(digits)'")
    return "UPDATE device_tokens SET registered_at = \(time), invalidated_at = NULL WHERE token = \(bytes)"
  }

  /// Registers devices again, one after the other, until `isOver`; returns which.
  private static func writer(
    _ server: Server, _ connect: @escaping @Sendable () throws -> any ServerSession, until isOver: Flag
  ) -> Later<Set<[UInt8]>> {
    Later {
      let session = try connect()
      var generator = FixedGenerator(state: 34)
      var done: Set<[UInt8]> = []
      while !isOver.isSet {
        let token = tokens[Int.random(in: tokens.indices, using: &generator)]
        try session.run(registration(token, server))
        done.insert(token)
      }
      return done
    }
  }

  @Test(
    "one run ends, and only devices that did not register again are dead", arguments: Server.allCases,
    [nil, 100])
  func replay(_ server: Server, batch: Int?) throws {
    let (store, connect) = try Self.store(server)
    try store.register(Self.tokens.map { Dated(token: $0, time: Self.registered) })
    let isOver = Flag()
    let writer = Self.writer(server, connect, until: isOver)
    var options = ReplayOptions()
    (options.brake, options.batch) = (.percent(100), batch)
    let answer = Result {
      try store.replay(
        Self.tokens.map { Dated(token: $0, time: Self.died) }, options: options, entry: JournalTests.entry())
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
    let undo = try store.undo(history[0].id, entry: JournalTests.entry())
    #expect(undo.restored == dead.count && undo.left.values.reduce(0, +) == counts.invalidated - dead.count)
    #expect(try store.rows().allSatisfy { !$0.state.isDead })
  }
}

/// Is set by one thread, and read by another.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
