import TokenStores

/// Temporary tables that last as long as the transaction.
enum Staging {
  /// The tokens of the input.
  static let tokens = "pg_temp.apnsift_tokens"
  /// Stored rows that are to change: where they are, what they were, what they will be, or that they are to go.
  static let changes = "pg_temp.apnsift_changes"

  /// From so many rows on, looking at them for the planner's sake costs less than a plan for a few rows.
  private static let largeCount = 1000
  /// Memory for each hash table or sort of the server, in KiB: a million tokens fit.
  private static let workMemory = 65_536

  /// Hands the input to the server, and returns how many rows it has.
  ///
  /// - Parameter areNumbered: whether the order of the rows will matter.
  static func fill(
    _ connection: Connection, with source: TimedTokens, areNumbered: Bool
  ) throws -> Int {
    try connection.run(
      "CREATE TEMPORARY TABLE apnsift_tokens (token bytea NOT NULL, time timestamptz NOT NULL, number bigint) "
        + "ON COMMIT DROP")
    let columns = areNumbered ? "token, time, number" : "token, time"
    let count = try BinaryCopy.run(into: "\(tokens) (\(columns))", on: connection) { copy in
      try source { token, time in try copy.append(token, time, isNumbered: areNumbered) }
    }
    if count >= largeCount {
      // A few hundred rows tell the planner as much as 30,000: all tokens differ, and it asks for nothing else.
      try connection.run("SELECT set_config('default_statistics_target', '1', true)")
      try connection.run("ANALYZE \(tokens)")
      try connection.run(
        """
        SELECT set_config('work_mem', '\(workMemory)', true) FROM pg_settings
        WHERE name = 'work_mem' AND setting::bigint < \(workMemory)
        """)
    }
    return count
  }

  static func makeChanges(on connection: Connection) throws {
    try connection.run(
      """
      CREATE TEMPORARY TABLE apnsift_changes (token bytea NOT NULL, place tid NOT NULL,
        registered_before timestamptz, invalidated_before timestamptz,
        registered_at timestamptz, invalidated_at timestamptz, removes boolean NOT NULL DEFAULT false) ON COMMIT DROP
      """)
  }
}
