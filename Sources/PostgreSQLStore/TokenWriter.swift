import TokenStores

/// Carries the rule out on the rows of one app and environment, inside a transaction that has staged the input
/// (docs/decisions/0020).
struct TokenWriter {
  let rows: OwnedRows
  let judging: Judging
  /// How many rows the input has.
  let staged: Int

  private var connection: Connection { rows.connection }
  private var table: DeviceTable { rows.table }

  /// Replays, and records it where there is an `entry`.
  ///
  /// - Throws: `StoreFault.stopped`; the transaction takes everything back.
  func replay(_ options: ReplayOptions, entry: JournalEntry?) throws -> ReplayAnswer {
    let journal = Journal(connection, table)
    var answer = ReplayAnswer()
    answer.replay = try entry.map { try journal.begin($0, of: rows.owner) }
    answer.counts = try write(recordedAs: answer.replay).replay
    let invalidated = answer.counts.invalidated
    if options.brake.mayStop(invalidated),
      let stop = try options.brake.stop(invalidated, of: rows.liveCount() + invalidated)
    {
      throw StoreFault.stopped(stop)
    }
    if let id = answer.replay { try journal.finish(id, answer.counts) }
    return answer
  }

  /// Judges every staged row by one snapshot, and writes what is to change. A row that has changed since that
  /// snapshot is not written: then all is taken back and judged anew. So the whole is done as if at one moment.
  ///
  /// - Parameter replay: the replay that the journal records the changes under; nil records none.
  func write(recordedAs replay: Int?) throws -> Tally {
    try Staging.makeChanges(on: connection)
    return try understood(rows.inRounds { try attempt(replay) })
  }

  /// One round; nil where a row that was judged had changed before it was written.
  private func attempt(_ replay: Int?) throws(ServerError) -> Tally? {
    let number = replay.map { [Parameter.integer($0)] } ?? []
    let sql = statement(isRecorded: replay != nil)
    let tally = Tally(try connection.run(sql, with: rows.key + number), of: staged)
    if tally.foreign > 0 { return tally }
    guard tally.inserted == tally.toInsert else { return nil }
    if tally.toUpdate == 0 { return tally }
    return try rows.update() == tally.toUpdate ? tally : nil
  }

  /// What the judgement keeps of a row: little where nothing is written.
  private static let keptForWriting = [
    "token", "place", "registered_before", "invalidated_before", "registered_at", "invalidated_at",
  ].map { "CASE WHEN write IS NOT NULL THEN \($0) END AS \($0)" }.joined(separator: ", ")

  /// Judges, inserts, and records what is to be updated: all three by the same snapshot, as one statement.
  ///
  /// Rows that are neither written nor anything but unchanged are not kept: every input that came before has mostly
  /// such ones, and their number is what the others leave of the staged ones.
  ///
  /// - Parameter isRecorded: whether the changes go into the journal, too, under the replay `$3`.
  private func statement(isRecorded: Bool) -> String {
    """
    WITH judged AS MATERIALIZED (
      SELECT outcome, write, \(Self.keptForWriting)
      FROM (\(judging.query(table))) AS every
      WHERE write IS NOT NULL OR outcome <> \(Judgement.unchanged.rawValue)
    ), inserted AS (
      INSERT INTO \(table.name) (app, environment, token, registered_at, invalidated_at)
      SELECT $1, $2, token, registered_at, invalidated_at FROM judged WHERE write = \(Write.insert)
      ORDER BY token
      RETURNING 1
    ), recorded AS (
      INSERT INTO \(Staging.changes)
      SELECT token, place, registered_before, invalidated_before, registered_at, invalidated_at
      FROM judged WHERE write = \(Write.update)
    )\(isRecorded ? journalled : "")
    SELECT outcome::bigint, count(*), count(*) FILTER (WHERE write = \(Write.insert)),
      count(*) FILTER (WHERE write = \(Write.update)), 0::bigint
    FROM judged GROUP BY outcome
    UNION ALL SELECT -1, 0, 0, 0, count(*) FROM inserted
    """
  }

  private var journalled: String {
    """
    , journalled AS (
      INSERT INTO \(Journal(connection, table).changes)
        (replay, token, outcome, registered_at, invalidated_before, invalidated_at)
      SELECT $3, token, CASE outcome \(Judgement.names) END, registered_before, invalidated_before, invalidated_at
      FROM judged WHERE write IS NOT NULL
    )
    """
  }

  /// - Throws: `StoreFault.foreignRows` where stored rows that are met cannot be understood.
  func understood(_ tally: Tally) throws -> Tally {
    guard tally.foreign > 0 else { return tally }
    let first = try connection.run(
      """
      SELECT stored.registered_at, stored.invalidated_at
      FROM \(Staging.tokens) AS staged JOIN \(table.name) AS stored USING (token)
      WHERE stored.app = $1 AND stored.environment = $2
        AND (NOT isfinite(stored.registered_at) OR NOT isfinite(stored.invalidated_at))
      ORDER BY token LIMIT 1
      """, with: rows.key)
    do {
      _ = try first.count > 0 ? first.state(0, registeredAtColumn: 0) : TokenState()
    } catch StoreFault.foreignRows(_, let description) {
      throw StoreFault.foreignRows(count: tally.foreign, first: description)
    }
    throw StoreFault.foreignRows(count: tally.foreign, first: "a time is infinity, expected a time, or null")
  }
}
