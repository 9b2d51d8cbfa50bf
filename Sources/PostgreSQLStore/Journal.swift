import TokenStores

/// The journal: which replays and undos changed the table, and how each row was before (docs/stores.md, "History").
/// It lives in the schema of the table that it describes, and takes part in the transactions that it records.
struct Journal {
  let connection: Connection
  let schema: String

  init(_ connection: Connection, _ table: DeviceTable) {
    self.init(connection, schema: table.schema)
  }

  /// - Parameter schema: of the table that it describes, quoted.
  init(_ connection: Connection, schema: String) {
    self.connection = connection
    self.schema = schema
  }

  var replays: String { "\(schema).apnsift_replays" }
  var inputs: String { "\(schema).apnsift_inputs" }
  var changes: String { "\(schema).apnsift_changes" }

  /// Whether a replay was ever recorded.
  func isPresent() throws -> Bool {
    try connection.run("SELECT to_regclass($1) IS NOT NULL", .text(replays)).flag(0, 0)
  }

  /// Makes what is missing of the tables.
  ///
  /// Two programs may try it at once: the lock lets the second one see what the first made.
  func makeTables() throws {
    if try isPresent() { return }
    try DeviceTable.lockMaking(on: connection)
    for definition in definitions { try connection.run(definition) }
  }

  /// Changes are packed (docs/decisions/0021); `part` numbers the rows of a replay from 0. Tokens do not compress, so
  /// the server is not to try.
  private var definitions: [String] {
    [
      """
      CREATE TABLE IF NOT EXISTS \(replays) (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL,
        version text NOT NULL,
        app text NOT NULL,
        environment text NOT NULL,
        options text NOT NULL,
        tuples bigint NOT NULL,
        invalidated bigint NOT NULL DEFAULT 0, updated bigint NOT NULL DEFAULT 0,
        inserted bigint NOT NULL DEFAULT 0, unchanged bigint NOT NULL DEFAULT 0,
        kept bigint NOT NULL DEFAULT 0, unknown bigint NOT NULL DEFAULT 0, rejected bigint NOT NULL,
        mapping text,
        undoes bigint UNIQUE REFERENCES \(replays) (id)
      )
      """,
      """
      CREATE TABLE IF NOT EXISTS \(inputs) (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        replay bigint NOT NULL REFERENCES \(replays) (id),
        source text NOT NULL,
        sha256 text NOT NULL,
        bytes bigint NOT NULL
      )
      """,
      "CREATE INDEX IF NOT EXISTS apnsift_inputs_by_digest ON \(inputs) (sha256)",
      """
      CREATE TABLE IF NOT EXISTS \(changes) (
        replay bigint NOT NULL,
        part bigint NOT NULL,
        packed bytea NOT NULL,
        PRIMARY KEY (replay, part)
      )
      """,
      "ALTER TABLE \(changes) ALTER COLUMN packed SET STORAGE EXTERNAL",
    ]
  }

  /// Checks that a replay can be recorded.
  ///
  /// - Throws: `StoreFault.server(.notPermitted)`.
  func checkPrivileges() throws {
    let missing = try connection.run(
      """
      SELECT privilege || ' on ' || name FROM unnest(ARRAY[$1, $2, $3]) AS name,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
      WHERE to_regclass(name) IS NOT NULL AND (privilege <> 'UPDATE' OR name = $1)
        AND NOT has_table_privilege(to_regclass(name), privilege)
      UNION ALL SELECT 'CREATE on schema ' || $4
      WHERE to_regclass($1) IS NULL AND NOT has_schema_privilege(to_regnamespace($4), 'CREATE')
      """, .text(replays), .text(inputs), .text(changes), .text(schema))
    if let privilege = missing.count > 0 ? missing.text(0, 0) : nil {
      throw StoreFault.server(.notPermitted(detail: Self.refusal(privilege)))
    }
  }

  static func refusal(_ privilege: String) -> String {
    "it lacks \(privilege), and the replay is to be recorded; --journal sqlite:PATH keeps the journal in a file, "
      + "--no-journal goes without"
  }
}

// MARK: - Recording

extension Journal {
  /// Inputs that are sent at once: a statement takes 65,535 values.
  private static let batch = 1000

  /// Gives a number to a replay or undo whose entry is not known yet: a replay's is when its input has been read.
  func reserve(for owner: AppEnvironment, undoes: Int? = nil) throws -> Int {
    let made = try connection.run(
      """
      INSERT INTO \(replays) (at, version, app, environment, options, tuples, rejected, undoes)
      VALUES (now(), '', $1, $2, '', 0, 0, nullif($3, 0)) RETURNING id
      """, .text(owner.app), .text(owner.environment.rawValue), .integer(undoes ?? 0))
    guard let id = made.count > 0 ? made.integer(0, 0) : nil else { throw Self.ignoredRow }
    return Int(id)
  }

  private static let ignoredRow = StoreFault.refused(detail: "a trigger on apnsift_replays ignored it")

  /// Records what `reserve` gave the number to.
  func describe(_ id: Int, _ entry: JournalEntry) throws {
    let written = try connection.run(
      """
      UPDATE \(replays) SET at = to_timestamp($2), version = $3, options = $4, tuples = $5, rejected = $6, mapping = $7
      WHERE id = $1
      """, .integer(id), .integer(Int(entry.at)), .text(entry.version), .text(entry.options),
      .integer(entry.tuples), .integer(entry.rejected), entry.mapping.map(Parameter.text) ?? .null
    ).affected
    if written != 1 { throw Self.ignoredRow }
    var rest = entry.inputs[...]
    while !rest.isEmpty {
      try add(rest.prefix(Self.batch), to: id)
      rest = rest.dropFirst(Self.batch)
    }
  }

  /// Records a replay or undo that is about to be done; returns its number. It stands once `finish` has its counts and
  /// the transaction is committed.
  func begin(_ entry: JournalEntry, of owner: AppEnvironment, undoes: Int? = nil) throws -> Int {
    let id = try reserve(for: owner, undoes: undoes)
    try describe(id, entry)
    return id
  }

  private func add(_ some: ArraySlice<ReplayedInput>, to id: Int) throws {
    let rows = (0..<some.count).map { row in "($1, $\(3 * row + 2), $\(3 * row + 3), $\(3 * row + 4))" }
    let values = some.flatMap { [Parameter.text($0.source), .text($0.sha256), .integer($0.bytes)] }
    try connection.run(
      "INSERT INTO \(inputs) (replay, source, sha256, bytes) VALUES \(rows.joined(separator: ", "))",
      with: [.integer(id)] + values)
  }

  /// Records what came of it.
  func finish(_ id: Int, _ counts: ReplayCounts) throws {
    try connection.run(
      """
      UPDATE \(replays) SET invalidated = $2, updated = $3, inserted = $4, unchanged = $5, kept = $6, unknown = $7
      WHERE id = $1
      """, .integer(id), .integer(counts.invalidated), .integer(counts.updated), .integer(counts.inserted),
      .integer(counts.unchanged), .integer(counts.kept), .integer(counts.unknown))
  }
}
