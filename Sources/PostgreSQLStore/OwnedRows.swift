import TokenStores
import WireBytes

/// How a row is to be.
struct RowWrite {
  /// The token's number in its batch.
  var token: Int
  /// Where the row is; nil where it is to be inserted.
  var place: RowPlace?
  /// Microseconds of the server.
  var registeredAt: Int64?
  var invalidatedAt: Int64?
}

/// The rows of one app and environment, inside a transaction whose one snapshot judges them.
struct OwnedRows {
  let connection: Connection
  let table: DeviceTable
  let owner: AppEnvironment
  /// How many tokens are judged at once.
  let batchSize: Int

  /// `$1` and `$2` of statements.
  var key: [Parameter] { [.text(owner.app), .text(owner.environment.rawValue)] }

  /// - Parameter table: its number in the server's catalogue.
  static func lockName(table: Int64, of owner: AppEnvironment) -> String {
    "apnsift \(table) \(owner.environment.rawValue) \(owner.app)"
  }

  /// Rows that stay unwritten although nobody else changed them: a trigger that returns null does that.
  static let ignoredRow = StoreFault.refused(
    detail: "rows were not written: a trigger on device_tokens ignored them")

  /// How many tokens are alive now.
  func liveCount() throws -> Int {
    let found = try connection.run(
      "SELECT count(*) FROM \(table.name) WHERE app = $1 AND environment = $2 AND invalidated_at IS NULL",
      with: key)
    return Int(found.integer(0, 0) ?? 0)
  }
}

// MARK: - Plans

extension OwnedRows {
  /// How rows are found. The planner is told: it knows nothing of a table that was filled a moment ago.
  enum Plan {
    /// All pages in turn: through an index to all rows would take three times as long.
    case scan
    /// Through the key's index.
    case index
    /// At places that are known: the planner takes their list for a short one.
    case places

    fileprivate var avoided: [String] {
      switch self {
      case .scan: ["enable_indexscan", "enable_bitmapscan"]
      case .index: ["enable_seqscan"]
      case .places: ["enable_nestloop"]
      }
    }
  }

  func planning<Result>(by plan: Plan, _ body: () throws -> Result) throws -> Result {
    try set(plan.avoided, to: "'off'")
    let result = try body()
    // Null is what the role has otherwise.
    try set(plan.avoided, to: "NULL")
    return result
  }

  private func set(_ settings: [String], to value: String) throws(ServerError) {
    let calls = settings.map { "set_config('\($0)', \(value), true)" }
    try connection.run("SELECT \(calls.joined(separator: ", "))")
  }
}

// MARK: - Reading

extension OwnedRows {
  /// About how many rows the table has, of all owners: as the planner guesses it, from its pages as they are now and
  /// from the rows that a page had when somebody counted, else from the least that a row takes.
  func rowsGuessed() throws -> Int {
    let guess = try connection.run(
      """
      SELECT coalesce(sum(pg_relation_size(part.oid) / current_setting('block_size')::bigint
        * CASE WHEN part.relpages > 0 THEN part.reltuples / part.relpages
          ELSE current_setting('block_size')::bigint / 80 END), 0)::bigint
      FROM pg_class AS part
      WHERE part.relkind = 'r' AND (part.oid = $1::text::oid
        OR part.oid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))
      """, .text(String(table.id)))
    return Int(guess.integer(0, 0) ?? 0)
  }

  private static let columns = "token, registered_at, invalidated_at, ctid"

  /// The rows between two tokens, in no order.
  func query(between first: ArraySlice<UInt8>, and last: ArraySlice<UInt8>) throws -> String {
    """
    SELECT \(Self.columns) FROM \(table.name)
    WHERE app = \(try connection.literal(owner.app)) AND environment = '\(owner.environment.rawValue)'
      AND token BETWEEN \(Self.literal(first)) AND \(Self.literal(last))
    """
  }

  private static func literal(_ bytes: ArraySlice<UInt8>) -> String {
    "decode('\(Hex.string(bytes))', 'hex')"
  }

  /// The rows of the tokens in `$3`.
  var queryOfTokens: String {
    "SELECT \(Self.columns) FROM \(table.name) WHERE app = $1 AND environment = $2 AND token = ANY ($3)"
  }
}

// MARK: - Writing

extension OwnedRows {
  /// Inserts rows, in their order; neighbours in the key's index are written several times faster than random places.
  ///
  /// - Parameter count: how many `rows` has.
  /// - Throws: `StoreFault.refused` where the server ignored some.
  func insert(_ rows: some Sequence<RowWrite>, count: Int, of batch: TokenBatch) throws {
    guard count > 0 else { return }
    let written = try table.takesCopies ? copy(rows, of: batch) : insertStaged(rows, of: batch)
    if written != count { throw Self.ignoredRow }
  }

  private func copy(_ rows: some Sequence<RowWrite>, of batch: TokenBatch) throws -> Int {
    let (app, environment) = (Array(owner.app.utf8), Array(owner.environment.rawValue.utf8))
    let columns = "app, environment, token, registered_at, invalidated_at"
    return try BinaryCopy.run(into: "\(table.name) (\(columns))", on: connection) { copy in
      for row in rows {
        try copy.beginRow(fields: 5)
        try copy.add(app.span.bytes)
        try copy.add(environment.span.bytes)
        try copy.add(batch.bytes.span.bytes.extracting(batch.range(of: row.token)))
        try copy.add(row.registeredAt)
        try copy.add(row.invalidatedAt)
      }
    }
  }

  private func insertStaged(_ rows: some Sequence<RowWrite>, of batch: TokenBatch) throws -> Int {
    try Staging.makeNew(on: connection)
    try BinaryCopy.run(into: Staging.new, on: connection) { copy in
      for row in rows {
        try copy.beginRow(fields: 3)
        try copy.add(batch.bytes.span.bytes.extracting(batch.range(of: row.token)))
        try copy.add(row.registeredAt)
        try copy.add(row.invalidatedAt)
      }
    }
    return try connection.run(
      """
      INSERT INTO \(table.name) (app, environment, token, registered_at, invalidated_at)
      SELECT $1, $2, token, registered_at, invalidated_at FROM \(Staging.new) ORDER BY token
      """, with: key
    ).affected
  }

  /// Updates rows.
  ///
  /// - Throws: `StoreFault.refused` where the server ignored some.
  func update(_ rows: some Sequence<RowWrite>, count: Int, of batch: TokenBatch) throws {
    guard count > 0 else { return }
    try Staging.makeChanges(on: connection)
    let columns = "place, token, registered_at, invalidated_at"
    try BinaryCopy.run(into: "\(Staging.changes) (\(columns))", on: connection) { copy in
      for row in rows {
        guard let place = row.place else { continue }
        try copy.beginRow(fields: 4)
        try copy.add(place)
        try copy.add(batch.bytes.span.bytes.extracting(batch.range(of: row.token)))
        try copy.add(row.registeredAt)
        try copy.add(row.invalidatedAt)
      }
    }
    if try update() != count { throw Self.ignoredRow }
  }

  /// What finds a staged change's row. A place is of one partition, so the token must be the same, too.
  ///
  /// Not `=` for app and environment: without statistics the planner would take the key for the shorter way, and walk
  /// all the owner's rows for each change.
  private static let isMeant = """
    stored.ctid = change.place AND stored.token = change.token
      AND stored.app IS NOT DISTINCT FROM $1 AND stored.environment IS NOT DISTINCT FROM $2
    """

  /// The staged changes' places as a list, since a join by place would look at every row of the table.
  private static func isAtPlace(_ condition: String) -> String {
    "stored.ctid = ANY (ARRAY(SELECT place FROM \(Staging.changes) WHERE \(condition)))"
  }

  /// Writes the staged changes, and returns how many rows were written.
  func update() throws -> Int {
    try planning(by: .places) {
      try connection.run(
        """
        UPDATE \(table.name) AS stored
        SET registered_at = change.registered_at, invalidated_at = change.invalidated_at
        FROM \(Staging.changes) AS change
        WHERE NOT change.removes AND \(Self.isAtPlace("NOT removes")) AND \(Self.isMeant)
        """, with: key
      ).affected
    }
  }

  /// Removes the rows that are staged to go, and returns how many went.
  func remove() throws -> Int {
    try planning(by: .places) {
      try connection.run(
        """
        DELETE FROM \(table.name) AS stored
        USING \(Staging.changes) AS change
        WHERE change.removes AND \(Self.isAtPlace("removes")) AND \(Self.isMeant)
        """, with: key
      ).affected
    }
  }
}
