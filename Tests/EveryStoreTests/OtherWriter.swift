import Dispatch
import PrivateServers
import StoreTestSupport
import Synchronization
import TestSupport

/// Another program that writes a mapped table, row by row, while a call of ours runs.
struct OtherWriter: Sendable {
  let tested: MappedCase
  let kind: StoreKind
  let connect: @Sendable () throws -> any ServerSession
  /// When it registers devices: later than any invalidation.
  let time: Int64
  /// How many calls it ran beside, so that all notes of new rows differ.
  var calls = 0

  /// What it did.
  struct Writes: Sendable {
    /// Rows that it registered again, and rows that it deleted.
    var registered: Set<Int> = []
    var deleted: Set<Int> = []
    /// How often it changed the note of a row, which the mapping does not name.
    var notes: [Int: Int] = [:]
    /// New rows, by their notes.
    var inserted: [Int: ModelRow] = [:]
    /// The tokens of rows that it registered, deleted or inserted.
    var tokens: Set<[UInt8]> = []
  }

  /// How many rows it deletes, and inserts, during one call at most.
  private static let most = 4
  /// New rows have multiples of it as notes, which counting up does not reach.
  private static let newNote = 1_000_000

  /// Runs `body` while this program writes: notes of all rows, and the rest of some tokens' rows.
  func write<Result>(
    _ rows: [ModelRow], _ tokens: [[UInt8]], _ seed: UInt64, beside body: () throws -> Result
  ) throws -> (Result, Writes) {
    let isOver = Flag()
    let begun = DispatchSemaphore(value: 0)
    let writer = Later {
      defer { begun.signal() }
      let session = try connect()
      var (writes, generator) = (Writes(), SeededGenerator(seed: seed))
      var written = 0
      while !isOver.isSet {
        try hold(generator.chance(3) ? 0 : generator.pick(1...30), session) {
          try write(rows, tokens, &generator, &writes, session)
        }
        written += 1
        if written == 1 { begun.signal() }
      }
      return writes
    }
    begun.wait()
    let result = Swift.Result { try body() }
    isOver.set()
    let writes = try writer.get()
    return (try result.get(), writes)
  }

  /// Runs `body` in a transaction that lasts for some queries more: others read what was there before, and wait for its
  /// row. Of SQLite's table others would wait for ever.
  private func hold(_ queries: Int, _ session: any ServerSession, _ body: () throws -> Void) throws {
    if queries == 0 || kind == .sqlite { return try body() }
    try session.run("BEGIN")
    try body()
    for _ in 0..<queries { try session.run("SELECT count(*) FROM \(MappedCase.quoted)") }
    try session.run("COMMIT")
  }

  /// One statement. It locks one row, so that transactions never wait in a circle.
  private func write(
    _ rows: [ModelRow], _ tokens: [[UInt8]], _ generator: inout SeededGenerator, _ writes: inout Writes,
    _ session: any ServerSession
  ) throws {
    let some = rows.filter { tokens.contains($0.token) }
    switch generator.pick(0...19) {
    case 0...2 where writes.inserted.count < Self.most && !tokens.isEmpty:
      var row = ModelRow(
        id: generator.pick(0...2), token: generator.pick(tokens), app: generator.pick(["a", "b"]),
        environment: generator.pick(["prod", "dev"]), isDead: false)
      row.registered = time
      let note = (calls * Self.most + writes.inserted.count) * Self.newNote
      try session.run(tested.insertion(row, kind, note: "\(note)"))
      writes.inserted[note] = row
      writes.tokens.insert(row.token)
    case 3 where writes.deleted.count < Self.most && !some.isEmpty:
      let row = generator.pick(some)
      guard try affects("DELETE FROM \(MappedCase.quoted) WHERE id = \(row.id)", session) else { return }
      writes.deleted.insert(row.id)
      writes.tokens.insert(row.token)
    case 4...13 where !some.isEmpty:
      let row = generator.pick(some)
      guard try update(row.id, ", " + tested.registering(at: time, kind), &writes, session) else { return }
      writes.registered.insert(row.id)
      writes.tokens.insert(row.token)
    default:
      if !rows.isEmpty { _ = try update(generator.pick(rows).id, "", &writes, session) }
    }
  }

  private func update(_ id: Int, _ settings: String, _ writes: inout Writes, _ session: any ServerSession)
    throws -> Bool
  {
    let sql = "UPDATE \(MappedCase.quoted) SET note = note + 1\(settings) WHERE id = \(id)"
    guard try affects(sql, session) else { return false }
    writes.notes[id, default: 0] += 1
    return true
  }

  /// Runs a statement; whether it changed a row.
  private func affects(_ sql: String, _ session: any ServerSession) throws -> Bool {
    if kind == .postgreSQL {
      return try session.run("WITH w AS (\(sql) RETURNING 1) SELECT count(*) FROM w") == [["1"]]
    }
    try session.run(sql)
    return try session.run(kind == .mySQL ? "SELECT ROW_COUNT()" : "SELECT changes()") == [["1"]]
  }
}

/// Is set by one thread, and read by another.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
