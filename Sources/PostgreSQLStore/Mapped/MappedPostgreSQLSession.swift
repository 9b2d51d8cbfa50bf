import TokenStores

/// A transaction on a table of others.
package final class MappedPostgreSQLSession: MappedSession {
  package let table: MappedTable
  let connection: Connection
  private let found: MappedTableReading
  private let mapping: TableMapping
  private var cursors = 0

  /// Rows that are fetched, or sent, at once.
  private static let batch = 1000

  /// - Throws: `StoreFault.misfit` where the mapping does not fit the table.
  init(_ connection: Connection, _ mapping: TableMapping) throws {
    // Values are read and kept as text: so their form must not depend on settings of the role.
    try connection.run(
      """
      SELECT set_config('datestyle', 'ISO, MDY', true), set_config('standard_conforming_strings', 'on', true),
        set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true),
        set_config('intervalstyle', 'postgres', true)
      """)
    found = try MappedTableReading(connection, mapping)
    try found.check()
    table = try found.table()
    self.connection = connection
    self.mapping = mapping
    try MappedRows(self, mapping, of: nil).checkValues(mapping)
  }

  package var words: SQLWords { Self.words }

  private static let words = SQLWords(
    bytes: "bytea", integer: "bigint", text: "text", value: "text", temporary: "pg_temp.",
    temporaryEnd: "ON COMMIT DROP", isSame: "IS NOT DISTINCT FROM", parameter: "$")

  @discardableResult
  package func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
    try connection.run(sql, with: parameters.map(Parameter.init)).affected
  }

  package func visit(
    _ sql: String, _ parameters: [SQLValue], _ body: ([SQLValue]) throws -> Void
  ) throws {
    cursors += 1
    let name = "apnsift_\(cursors)"
    try run("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", parameters)
    while true {
      let rows = try connection.run("FETCH \(Self.batch) FROM \(name)")
      for row in 0..<rows.count { try body(rows.values(row)) }
      if rows.count < Self.batch { break }
    }
    try connection.run("CLOSE \(name)")
  }

  package func fill(
    _ table: String, _ columns: [String], _ rows: (_ add: ([SQLValue]) throws -> Void) throws -> Void
  ) throws {
    var batch: [[SQLValue]] = []
    func send() throws {
      if batch.isEmpty { return }
      let places = batch.indices.map { row in
        "(" + (1...columns.count).map { "$\(row * columns.count + $0)" }.joined(separator: ", ") + ")"
      }
      try run(
        "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(places.joined(separator: ", "))",
        Array(batch.joined()))
      batch.removeAll(keepingCapacity: true)
    }
    try rows { row in
      batch.append(row)
      if batch.count == Self.batch { try send() }
    }
    try send()
  }

  package func stage(_ tokens: TimedTokens, areDistinct: Bool) throws -> Int {
    let count = try Staging.fill(connection, with: tokens)
    let seconds = "floor(extract(epoch FROM time))::bigint"
    try run(
      """
      CREATE TEMPORARY TABLE apnsift_staged (token bytea PRIMARY KEY, time bigint NOT NULL) ON COMMIT DROP
      """, [])
    try run(
      """
      INSERT INTO pg_temp.apnsift_staged
      SELECT token, \(areDistinct ? seconds : "max(\(seconds))") FROM \(Staging.tokens)
      \(areDistinct ? "" : "GROUP BY token")
      """, [])
    try run("DROP TABLE \(Staging.tokens)", [])
    try run("ANALYZE pg_temp.apnsift_staged", [])
    return count
  }

  package func restore(wholes: String) throws -> Int {
    let columns = try keptColumns(of: wholes)
    let names = columns.map { SQLWords.quoted($0.name) }
    let values = zip(names, columns).map { "CAST(r.\($0) AS \($1.fullType))" }
    return try run(
      """
      INSERT INTO \(table.name) (\(names.joined(separator: ", "))) OVERRIDING SYSTEM VALUE
      SELECT \(values.joined(separator: ", ")) FROM (\(wholes)) AS w
        CROSS JOIN LATERAL json_to_record(w.whole_row::json) AS r (\(names.map { "\($0) text" }.joined(separator: ", ")))
      """, [])
  }

  /// The columns that the rows had; those that the table got since take their defaults.
  ///
  /// - Throws: `StoreFault.refused` where the table has lost one.
  private func keptColumns(of wholes: String) throws -> [MappedColumn] {
    let names = try connection.run(
      "SELECT name FROM (\(wholes) LIMIT 1) AS w CROSS JOIN LATERAL json_object_keys(w.whole_row::json) AS name"
    )
    return try (0..<names.count).map { row in
      let name = names.text(row, 0) ?? ""
      guard let column = found.columns.first(where: { $0.name == name && !$0.isGenerated }) else {
        throw StoreFault.refused(
          detail: "removed rows had a column \(name), and \(mapping.name) has none of that name to write now")
      }
      return column
    }
  }

  package func journal(makes: Bool) throws -> (any MappedJournal)? {
    let journal = Journal(connection, schema: found.schema)
    guard try makes || journal.isPresent() else { return nil }
    return try MappedPostgreSQLJournal(self, journal, makes: makes)
  }
}

// MARK: - Privileges

extension MappedPostgreSQLSession {
  /// - Throws: `StoreFault.server(.notPermitted)`.
  func checkPrivileges() throws {
    let written = mapping.action == .delete ? "DELETE" : "UPDATE"
    let missing = try connection.run(
      """
      SELECT privilege FROM unnest(ARRAY['SELECT', $2]) AS privilege
      WHERE NOT CASE privilege WHEN 'DELETE' THEN has_table_privilege($1::text::oid, privilege)
        ELSE has_any_column_privilege($1::text::oid, privilege) END
      """, .text(String(found.id)), .text(written))
    if let privilege = missing.count > 0 ? missing.text(0, 0) : nil {
      throw StoreFault.server(.notPermitted(detail: "it lacks \(privilege) on \(table.name)"))
    }
    try checkColumns()
    try DeviceTable.checkTemporary(on: connection)
  }

  /// A privilege may be granted for some columns alone. The server looks at those for reading before it looks for rows.
  private func checkColumns() throws {
    let rows = MappedRows(self, mapping, of: nil).rows
    try connection.run("SELECT 1 FROM (\(rows)) AS r LIMIT 0")
    guard let column = table.death.column else {
      try connection.run("SELECT * FROM \(table.name) LIMIT 0")
      return
    }
    let isGranted = try connection.run(
      "SELECT bool_or(has_column_privilege(attrelid, attnum, 'UPDATE')) FROM pg_attribute "
        + "WHERE attrelid = $1::text::oid AND quote_ident(attname) = quote_ident($2)",
      .text(String(found.id)), .text(writtenName))
    guard isGranted.flag(0, 0) else {
      throw StoreFault.server(.notPermitted(detail: "it lacks UPDATE on column \(column) of \(table.name)"))
    }
  }

  /// The column that a death writes, as the catalogue names it.
  private var writtenName: String {
    switch mapping.action {
    case .mark(let time): time.name
    case .flag(let name, _, _): name
    case .delete: ""
    }
  }

  /// - Throws: `StoreFault.misfit` where an undo would not find the rows again.
  func checkKey() throws {
    try table.checkKey(of: mapping)
    try found.checkChildren("the primary key")
  }

  /// - Throws: `StoreFault.server(.notPermitted)`.
  func checkJournal() throws {
    let journal = Journal(connection, schema: found.schema)
    try journal.checkPrivileges()
    let missing = try connection.run(
      """
      SELECT CASE WHEN to_regclass($1) IS NULL THEN 'CREATE on schema ' || $2 ELSE 'SELECT and INSERT on ' || $1 END
      WHERE NOT CASE WHEN to_regclass($1) IS NULL THEN has_schema_privilege(to_regnamespace($2), 'CREATE')
        ELSE has_table_privilege(to_regclass($1), 'SELECT') AND has_table_privilege(to_regclass($1), 'INSERT') END
      """, .text("\(found.schema).apnsift_row_changes"), .text(found.schema))
    guard let privilege = missing.count > 0 ? missing.text(0, 0) : nil else { return }
    throw StoreFault.server(.notPermitted(detail: Journal.refusal(privilege)))
  }
}

/// The journal of a database, for replays of mapped tables.
final class MappedPostgreSQLJournal: MappedJournal {
  let session: any SQLSession
  let rowChanges: String
  private let journal: Journal

  init(_ session: MappedPostgreSQLSession, _ journal: Journal, makes: Bool) throws {
    self.session = session
    self.journal = journal
    rowChanges = "\(journal.schema).apnsift_row_changes"
    guard makes else { return }
    try journal.makeTables()
    guard try session.connection.run("SELECT to_regclass($1) IS NULL", .text(rowChanges)).flag(0, 0) else {
      return
    }
    try DeviceTable.lockMaking(on: session.connection)
    try session.run(session.words.rowChangesDefinition(rowChanges), [])
    try session.run(
      "CREATE INDEX IF NOT EXISTS apnsift_row_changes_by_replay ON \(rowChanges) USING brin (replay)", [])
  }

  func record(
    _ entry: JournalEntry, of owner: AppEnvironment, counts: ReplayCounts, undoes: Int?
  ) throws -> Int {
    let id = try journal.begin(entry, of: owner, undoes: undoes)
    try journal.finish(id, counts)
    return id
  }

  func records() throws -> [JournalRecord] { try journal.records() }

  func replay(ofInput sha256: String, for owner: AppEnvironment, mapping: String?) throws -> Int? {
    try journal.replay(ofInput: sha256, for: owner, mapping: mapping)
  }
}
