import GRDB
import Messages
import TokenStores

/// Reads the catalogue, and creates tables.
extension SQLiteSession {
  /// `APNs` in ASCII: the `application_id` of database files that apnsift created.
  private static let applicationID = 0x4150_4E73
  /// The `user_version` of such files, incremented whenever an older apnsift could misread a newer store.
  private static let version = 1

  private func integer(ofPragma pragma: String) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
  }

  /// Adds the table, and marks an empty database as apnsift's own, in the transaction. The marks of other databases are
  /// not changed.
  func makeDeviceTokens() throws {
    let marks = ["schema_version", "application_id", "user_version"]
    let isBlank = try marks.allSatisfy { try integer(ofPragma: $0) == 0 }
    try run(Self.deviceTokens.definition, [])
    if isBlank {
      try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
      try database.execute(sql: "PRAGMA user_version = \(Self.version)")
    }
  }

  func makeJournal(in schema: String?) throws {
    try database.execute(
      sql: """
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
          undoes INTEGER REFERENCES apnsift_replays (id),
          changed_rows INTEGER
        );
        CREATE INDEX IF NOT EXISTS apnsift_undos ON apnsift_replays (undoes) WHERE undoes IS NOT NULL;
        CREATE TABLE IF NOT EXISTS apnsift_inputs (
          replay INTEGER NOT NULL REFERENCES apnsift_replays (id),
          source TEXT NOT NULL,
          sha256 TEXT NOT NULL,
          bytes INTEGER NOT NULL
        );
        CREATE INDEX IF NOT EXISTS apnsift_inputs_by_digest ON apnsift_inputs (sha256);
        CREATE TABLE IF NOT EXISTS apnsift_changes (
          id INTEGER PRIMARY KEY,
          packed BLOB NOT NULL
        )
        """)
    // A journal of version 0.1.
    if try !database.columns(in: "apnsift_replays").contains(where: { $0.name == "changed_rows" }) {
      try run("ALTER TABLE apnsift_replays ADD COLUMN changed_rows INTEGER", [])
    }
  }

  func columns(of table: String, in schema: String?) throws -> [TableColumn] {
    try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
      .map { TableColumn($0, kind: .any) }
  }

  // MARK: - Tables

  func describe(_ mapping: TableMapping) throws -> TableDescription? {
    let found = try integer(ofPragma: "user_version")
    if found > Self.version, try integer(ofPragma: "application_id") == Self.applicationID {
      throw StoreFault.newerVersion(found: found, supported: Self.version)
    }
    if let schema = mapping.schema, schema.lowercased() != "main" {
      throw mapping.misfit(.tableSchema, .noSchemaOrMain, .verbatim(schema))
    }
    let kind = try String.fetchOne(
      database,
      sql: "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
      arguments: [mapping.table])
    guard let kind else { return nil }
    guard kind == "table" else { throw mapping.misfit(.tableName, .aTable, .relation(kind)) }
    let columns = try columns(of: mapping)
    var description = TableDescription(
      name: dialect.quoted(mapping.table), schema: nil, columns: columns,
      locator: try locator(of: mapping, columns), indexed: try indexed(mapping),
      rowsGuessed: try rowsGuessed(),
      dependent: try dependent(of: mapping))
    let triggers =
      "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE)"
    description.hasTriggers = try Bool.fetchOne(database, sql: triggers, arguments: [mapping.table]) ?? true
    return description
  }

  private func columns(of mapping: TableMapping) throws -> [TableColumn] {
    let isStrict = try flag("strict", of: mapping)
    let rows = try Row.fetchAll(
      database, sql: "SELECT * FROM pragma_table_xinfo(?) ORDER BY cid", arguments: [mapping.table])
    let named = [
      mapping.token.name, mapping.app, mapping.environment?.name, mapping.registered?.name,
      mapping.action.column,
    ].compactMap { $0 }
    let collations = try collations(of: mapping)
    return rows.map { row in
      let found: String = row["name"] ?? ""
      let affinity = Affinity(declaredType: row["type"] ?? "")
      return TableColumn(
        // Column names are case-insensitive in SQLite.
        named.first { $0.lowercased() == found.lowercased() } ?? found,
        type: affinity.rawValue + (isStrict ? " of a STRICT table" : ""), baseType: affinity.rawValue,
        kind: .any,
        castType: affinity.rawValue, isNotNull: row["notnull"] ?? false,
        hasDefault: (row["dflt_value"] as DatabaseValue?).map { !$0.isNull } ?? false,
        isGenerated: (row["hidden"] as Int? ?? 0) > 0, keyIndex: row["pk"] ?? 0,
        folding: collations[found.lowercased()].map { (.collation("BINARY"), .collation($0)) })
    }
  }

  /// The collations of the primary key's columns, other than BINARY.
  private func collations(of mapping: TableMapping) throws -> [String: String] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT lower(part.name) AS name, part.coll FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS part
        WHERE list.origin = 'pk' AND part.key = 1 AND upper(part.coll) <> 'BINARY'
        """, arguments: [mapping.table])
    return Dictionary(
      rows.map { ($0["name"] as String? ?? "", $0["coll"] as String? ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  /// A boolean property of the table.
  private func flag(_ name: String, of mapping: TableMapping) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT \(name) FROM pragma_table_list(?) WHERE schema = 'main'",
      arguments: [mapping.table])
      ?? false
  }

  /// The row number, under a name that no column has; a table without row numbers has a primary key.
  private func locator(
    of mapping: TableMapping, _ columns: [TableColumn]
  ) throws -> [(expression: String, kind: SQLKind)] {
    let taken = Set(columns.map { $0.name.lowercased() })
    let hasNumbers = try !flag("wr", of: mapping)
    if hasNumbers, let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) {
      return [("t.\(free)", .integer)]
    }
    let key = columns.filter { $0.keyIndex > 0 }
    guard !key.isEmpty else {
      throw mapping.misfit(.column("rowid"), .keyOrRowNumber, .neither)
    }
    return key.map { (expression($0), .any) }
  }

  private func indexed(_ mapping: TableMapping) throws -> Set<String> {
    try Set(
      String.fetchAll(
        database,
        sql: """
          SELECT part.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS part
          WHERE part.seqno = 0 AND part.name IS NOT NULL AND NOT list.partial
          """, arguments: [mapping.table]))
  }

  /// Assumes 64 bytes for each row, and that most pages belong to the table.
  private func rowsGuessed() throws -> Int {
    try integer(ofPragma: "page_count") * integer(ofPragma: "page_size") / 64
  }

  private func dependent(of mapping: TableMapping) throws -> Message? {
    guard mapping.action == .delete, !mapping.token.name.isEmpty else { return nil }
    let reference = try Row.fetchOne(
      database,
      sql: """
        SELECT other.name AS other, reference."from" AS name, reference.on_delete AS action
        FROM sqlite_master AS other, pragma_foreign_key_list(other.name) AS reference
        WHERE other.type = 'table' AND reference."table" = ? COLLATE NOCASE
          AND reference.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
        """, arguments: [mapping.table])
    return reference.map {
      .dependentColumn($0["name"], of: $0["other"], onDelete: $0["action"])
    }
  }

  // MARK: - Fit

  func holdsTexts(_ column: TableColumn) -> Bool { column.castType == Affinity.text.rawValue }

  func keeps(_ value: SQLValue, in column: TableColumn) -> Bool {
    switch value {
    case .integer: column.castType != Affinity.text.rawValue && column.castType != Affinity.real.rawValue
    case .text: column.castType == Affinity.text.rawValue
    default: false
    }
  }

  /// SQLite has no date and time types.
  func keepsMilliseconds(_ column: TableColumn) -> Bool { false }

  func misfit(of column: TableColumn, for form: TokenForm) -> (expected: Message, found: Message)? {
    switch Affinity(rawValue: column.castType) {
    case .text, .blob: nil
    // SQLite would convert a token of digits to a number.
    default: (.columnType(oneOf: ["TEXT", "BLOB"]), .columnType(column.type))
    }
  }

  func misfit(of column: TableColumn, for form: TimeForm) -> (expected: Message, found: Message)? {
    guard form == .timestamptz else { return nil }
    return (.timeFormsOfSQLite, .verbatim(form.name))
  }

  /// A boolean is a number in SQLite, except in columns of text. A STRICT table accepts only values of a column's type.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue? {
    let affinity = Affinity(rawValue: column.castType) ?? .blob
    if affinity == .text { return .text(text) }
    let number: Int64? =
      switch text.lowercased() {
      case "true": 1
      case "false": 0
      default: Int64(text)
      }
    if try flag("strict", of: table) {
      // ANY is numeric.
      guard affinity != .blob, number != nil || affinity == .numeric else { return nil }
    }
    return number.map(SQLValue.integer) ?? .text(text)
  }
}

/// The affinity of a column's declared type (SQLite's documentation, "Determination Of Column Affinity").
enum Affinity: String {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// The tests are SQLite's, in its order.
  init(declaredType: String) {
    let type = declaredType.uppercased()
    func names(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    if names("INT") {
      self = .integer
    } else if names("CHAR", "CLOB", "TEXT") {
      self = .text
    } else if type.isEmpty || names("BLOB") {
      self = .blob
    } else if names("REAL", "FLOA", "DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }
}
