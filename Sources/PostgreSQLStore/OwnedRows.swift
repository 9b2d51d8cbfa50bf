import TokenStores

/// The rows of one app and environment, inside a transaction that writes them.
struct OwnedRows {
  let connection: Connection
  let table: DeviceTable
  let owner: AppEnvironment

  /// How often rows are judged anew, because other programs changed them between the judging and the writing.
  private static let rounds = 4

  /// `$1` and `$2` of statements.
  var key: [Parameter] { [.text(owner.app), .text(owner.environment.rawValue)] }

  /// Keeps other apnsifts away from the owner's rows until the transaction ends; readers and programs of other kinds
  /// go on.
  func lock() throws {
    try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
      .text(Self.lockName(table: table.id, of: owner)))
  }

  /// - Parameter table: its number in the server's catalogue.
  static func lockName(table: Int64, of owner: AppEnvironment) -> String {
    "apnsift \(table) \(owner.environment.rawValue) \(owner.app)"
  }

  /// Runs `attempt`, and where it gives nil takes everything back and runs it again.
  func inRounds<Result>(_ attempt: () throws -> Result?) throws -> Result {
    var obstacle: any Error = ignoredRow
    for _ in 0..<Self.rounds {
      try connection.run("SAVEPOINT round")
      do {
        if let result = try attempt() { return result }
        obstacle = ignoredRow
      } catch let error as ServerError where error.isUniqueViolation {
        obstacle = error
      }
      try connection.run("ROLLBACK TO SAVEPOINT round")
    }
    throw obstacle
  }

  /// Rows that stay unwritten although nobody else changes them: a trigger that returns null does that.
  private var ignoredRow: StoreFault {
    .refused(detail: "rows were not written: a trigger on device_tokens ignored them, or others changed them")
  }

  /// How many tokens are alive now.
  func liveCount() throws -> Int {
    let found = try connection.run(
      "SELECT count(*) FROM \(table.name) WHERE app = $1 AND environment = $2 AND invalidated_at IS NULL",
      with: key)
    return Int(found.integer(0, 0) ?? 0)
  }

  /// What finds a recorded change's row, and only while it is what it was.
  ///
  /// Not `=` for app and environment: without statistics the planner would take the key for the shorter way, and walk
  /// all the owner's rows for each change.
  private static let isAsRecorded = """
    stored.ctid = change.place AND stored.token = change.token
      AND stored.app IS NOT DISTINCT FROM $1 AND stored.environment IS NOT DISTINCT FROM $2
      AND stored.registered_at IS NOT DISTINCT FROM change.registered_before
      AND stored.invalidated_at IS NOT DISTINCT FROM change.invalidated_before
    """

  /// Writes the recorded changes, and returns how many rows still were what they were.
  func update() throws(ServerError) -> Int {
    try connection.run(
      """
      UPDATE \(table.name) AS stored
      SET registered_at = change.registered_at, invalidated_at = change.invalidated_at
      FROM \(Staging.changes) AS change WHERE NOT change.removes AND \(Self.isAsRecorded)
      """, with: key
    ).affected
  }

  /// Removes the rows that are recorded to go, and returns how many still were what they were.
  func remove() throws(ServerError) -> Int {
    try connection.run(
      """
      DELETE FROM \(table.name) AS stored
      USING \(Staging.changes) AS change WHERE change.removes AND \(Self.isAsRecorded)
      """, with: key
    ).affected
  }
}
