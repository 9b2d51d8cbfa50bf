import TokenStores

/// Temporary tables that last as long as the transaction.
enum Staging {
  /// The tokens of the input.
  static let tokens = "pg_temp.apnsift_tokens"
  /// Rows that are to be inserted, where they cannot be copied straight into the table.
  static let new = "pg_temp.apnsift_new"
  /// Stored rows that are to change: where they are, and what they will be, or that they are to go.
  static let changes = "pg_temp.apnsift_changes"
  /// The changes of a replay that is to be undone.
  static let undone = "pg_temp.apnsift_undone"

  /// From so many rows on, looking at them for the planner's sake costs less than a plan for a few rows.
  private static let largeCount = 1000
  /// Memory for each hash table or sort of the server, in KiB: a million tokens fit.
  private static let workMemory = 65_536

  /// Hands the input to the server, and returns how many rows it has.
  static func fill(_ connection: Connection, with source: TimedTokens) throws -> Int {
    try connection.run(
      "CREATE TEMPORARY TABLE apnsift_tokens (token bytea NOT NULL, time timestamptz NOT NULL) ON COMMIT DROP"
    )
    var count = 0
    try BinaryCopy.run(into: tokens, on: connection) { copy in
      try source { token, time in
        count += 1
        try copy.beginRow(fields: 2)
        try copy.add(token)
        try copy.add(Timestamp.microseconds(of: Int64(time)))
      }
    }
    if count >= largeCount { try analyze(tokens, on: connection) }
    return count
  }

  /// Tells the planner about a large table.
  static func analyze(_ table: String, on connection: Connection) throws {
    // A few hundred rows say as much as 30,000: all tokens differ, and it asks for nothing else.
    try connection.run("SELECT set_config('default_statistics_target', '1', true)")
    try connection.run("ANALYZE \(table)")
    try connection.run(
      """
      SELECT set_config('work_mem', '\(workMemory)', true) FROM pg_settings
      WHERE name = 'work_mem' AND setting::bigint < \(workMemory)
      """)
  }

  static func makeNew(on connection: Connection) throws {
    try make(
      "apnsift_new (token bytea NOT NULL, registered_at timestamptz, invalidated_at timestamptz)", new,
      connection)
  }

  static func makeChanges(on connection: Connection) throws {
    try make(
      """
      apnsift_changes (token bytea NOT NULL, place tid NOT NULL,
        registered_at timestamptz, invalidated_at timestamptz, removes boolean NOT NULL DEFAULT false)
      """, changes, connection)
  }

  static func makeUndone(on connection: Connection) throws {
    try make(
      """
      apnsift_undone (token bytea NOT NULL, removes boolean NOT NULL,
        registered_at timestamptz, invalidated_before timestamptz, invalidated_at timestamptz)
      """, undone, connection)
  }

  /// An empty table, also for the second batch.
  private static func make(_ definition: String, _ name: String, _ connection: Connection) throws {
    try connection.run("CREATE TEMPORARY TABLE IF NOT EXISTS \(definition) ON COMMIT DROP")
    try connection.run("TRUNCATE \(name)")
  }
}
