import GRDB
import TokenStores

/// The journal: which replays and undos changed the table, and how each row was before (docs/stores.md, "History").
/// It lives in the database that it describes, and takes part in the transactions that it records.
final class Journal {
  /// Changes of one replay are neighbours: no two write at once. So the numbers of their rows say whose they are.
  private static let definitions = [
    """
    CREATE TABLE IF NOT EXISTS apnsift_replays (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      version TEXT NOT NULL,
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      options TEXT NOT NULL,
      tuples INTEGER NOT NULL,
      invalidated INTEGER NOT NULL, updated INTEGER NOT NULL, inserted INTEGER NOT NULL,
      unchanged INTEGER NOT NULL, kept INTEGER NOT NULL, unknown INTEGER NOT NULL, rejected INTEGER NOT NULL,
      first_change INTEGER NOT NULL,
      mapping TEXT,
      undoes INTEGER REFERENCES apnsift_replays (id)
    )
    """,
    "CREATE INDEX IF NOT EXISTS apnsift_undos ON apnsift_replays (undoes) WHERE undoes IS NOT NULL",
    """
    CREATE TABLE IF NOT EXISTS apnsift_inputs (
      replay INTEGER NOT NULL REFERENCES apnsift_replays (id),
      source TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      bytes INTEGER NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS apnsift_inputs_by_digest ON apnsift_inputs (sha256)",
    """
    CREATE TABLE IF NOT EXISTS apnsift_changes (
      id INTEGER PRIMARY KEY,
      packed BLOB NOT NULL
    )
    """,
  ]

  private let database: Database
  private let append: PreparedStatement
  /// The number of the first change of this transaction.
  private let firstChange: Int
  private var changes = PackedChanges()

  /// Opens the journal for writing, inside a transaction; it is made if missing.
  init(_ database: Database) throws {
    self.database = database
    for definition in Self.definitions { try database.execute(sql: definition) }
    let last = try Int.fetchOne(database, sql: "SELECT max(id) FROM apnsift_changes") ?? 0
    firstChange = last + 1
    append = try PreparedStatement(database, "INSERT INTO apnsift_changes (packed) VALUES (?1)")
  }

  /// Records that a row was changed.
  func add(_ outcome: ReplayOutcome, _ token: RawSpan, before: TokenState?, deadAt time: UInt32) throws {
    changes.append(outcome, token, before: before, deadAt: Int64(time))
    if changes.fillsRow { try write() }
  }

  private func write() throws {
    guard !changes.bytes.isEmpty else { return }
    let packed = changes.bytes
    append.bind(packed.span.bytes, at: 1)
    try append.run()
    changes.removeAll()
  }

  /// Records the replay or undo whose changes were added; returns its number.
  func record(
    _ entry: JournalEntry, of owner: AppEnvironment, counts: ReplayCounts, undoes: Int? = nil
  ) throws -> Int {
    try write()
    try database.execute(
      sql: """
        INSERT INTO apnsift_replays (
          at, version, app, environment, options, tuples,
          invalidated, updated, inserted, unchanged, kept, unknown, rejected, first_change, mapping, undoes
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        entry.at, entry.version, owner.app, owner.environment.rawValue, entry.options, entry.tuples,
        counts.invalidated, counts.updated, counts.inserted, counts.unchanged, counts.kept, counts.unknown,
        entry.rejected, firstChange, entry.mapping, undoes,
      ])
    let id = Int(database.lastInsertedRowID)
    for input in entry.inputs {
      try database.execute(
        sql: "INSERT INTO apnsift_inputs (replay, source, sha256, bytes) VALUES (?, ?, ?, ?)",
        arguments: [id, input.source, input.sha256, input.bytes])
    }
    return id
  }
}

// MARK: - Reading

extension Journal {
  static func isPresent(in database: Database) throws -> Bool { try database.tableExists("apnsift_replays") }

  static func records(in database: Database) throws -> [JournalRecord] {
    guard try isPresent(in: database) else { return [] }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT replays.*, undos.id AS undone_by
        FROM apnsift_replays AS replays LEFT JOIN apnsift_replays AS undos ON undos.undoes = replays.id
        ORDER BY replays.id
        """)
    let inputs = try inputs(in: database)
    return try rows.map { try record($0, inputs) }
  }

  /// The inputs of all replays, by the replay's number. One query: asking for each replay would look at all of them
  /// each time.
  private static func inputs(in database: Database) throws -> [Int: [ReplayedInput]] {
    var inputs: [Int: [ReplayedInput]] = [:]
    let rows = try Row.fetchCursor(
      database, sql: "SELECT replay, source, sha256, bytes FROM apnsift_inputs ORDER BY rowid")
    while let row = try rows.next() {
      inputs[row["replay"], default: []].append(
        ReplayedInput(source: row["source"], sha256: row["sha256"], bytes: row["bytes"]))
    }
    return inputs
  }

  static func record(_ id: Int, in database: Database) throws -> JournalRecord {
    guard let record = try records(in: database).first(where: { $0.id == id }) else {
      throw StoreFault.noReplay(id)
    }
    return record
  }

  private static func record(_ row: Row, _ inputs: [Int: [ReplayedInput]]) throws -> JournalRecord {
    guard let environment = Environment(rawValue: row["environment"]) else {
      throw StoreFault.foreignRows(
        count: 1, first: "environment of apnsift_replays is \(row["environment"] as String)")
    }
    let id: Int = row["id"]
    return JournalRecord(
      id: id, owner: AppEnvironment(app: row["app"], environment: environment),
      entry: JournalEntry(
        at: row["at"], version: row["version"], inputs: inputs[id, default: []], options: row["options"],
        tuples: row["tuples"],
        rejected: row["rejected"], mapping: row["mapping"]),
      counts: counts(row), undoes: row["undoes"], undoneBy: row["undone_by"])
  }

  private static func counts(_ row: Row) -> ReplayCounts {
    var counts = ReplayCounts()
    counts.invalidated = row["invalidated"]
    counts.updated = row["updated"]
    counts.inserted = row["inserted"]
    counts.unchanged = row["unchanged"]
    counts.kept = row["kept"]
    counts.unknown = row["unknown"]
    counts.rejected = row["rejected"]
    return counts
  }

  /// Visits the changes of the replay `id`, which must be there.
  static func changes(of id: Int, in database: Database, visit: (JournalChange) throws -> Void) throws {
    let select = try PreparedStatement(
      database,
      """
      SELECT packed FROM apnsift_changes
      WHERE id >= (SELECT first_change FROM apnsift_replays WHERE id = ?1)
        AND id < coalesce((SELECT min(first_change) FROM apnsift_replays WHERE id > ?1), 9223372036854775807)
      ORDER BY id
      """)
    select.bind(Int64(id), at: 1)
    while try select.step() {
      let packed = select.withBytes(ofColumn: 0) { $0.withUnsafeBytes { Array($0) } }
      try PackedChanges.visit(packed.span.bytes, visit)
    }
  }

  /// The last replay for `owner` that had an input of that digest, unless one of that input was undone behind it:
  /// a second replay of it changed nothing, so nothing of it stands then.
  static func replay(
    ofInput sha256: String, for owner: AppEnvironment, mapping: String? = nil, in database: Database
  ) throws -> Int? {
    guard try isPresent(in: database) else { return nil }
    return try Int.fetchOne(
      database,
      sql: """
        SELECT max(replays.id) FROM apnsift_inputs AS inputs JOIN apnsift_replays AS replays ON replays.id = replay
        WHERE sha256 = ? AND app = ? AND environment = ? AND mapping IS ? AND undoes IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM apnsift_inputs AS same JOIN apnsift_replays AS undos ON undos.undoes = same.replay
            WHERE same.sha256 = inputs.sha256 AND undos.id > replays.id
              AND undos.app = replays.app AND undos.environment = replays.environment
              AND undos.mapping IS replays.mapping)
        """, arguments: [sha256, owner.app, owner.environment.rawValue, mapping])
  }
}
