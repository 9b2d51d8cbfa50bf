import Basics

extension SQLiteSession {
  /// `APNs` in ASCII: the `application_id` of database files that apnsift created.
  private static let applicationID = 0x4150_4E73
  /// The `user_version` of such files, incremented whenever an older apnsift could misread a newer store.
  private static let version = 1

  /// The rows of a query of the catalogue, which may have a parameter.
  private func rows<Row>(
    _ query: String, _ parameter: String = "", _ row: (SQLFields) -> Row
  ) throws -> [Row] {
    var rows: [Row] = []
    try visit(SQLQuery(query, [.text(parameter)], [])) { rows.append(row($0)) }
    return rows
  }

  private func texts(_ query: String, _ parameter: String) throws -> [String] {
    try rows(query, parameter) { $0[0].text ?? "" }
  }

  private func integer(_ query: String, _ parameter: String = "") throws -> Int {
    Int(try number(query, [.text(parameter)]) ?? 0)
  }

  /// Marks an empty database as apnsift's own, in the transaction. The marks of other databases are not changed.
  func make(_ definitions: [String]) throws {
    let marks = ["schema_version", "application_id", "user_version"]
    let isBlank = try marks.allSatisfy { try integer("PRAGMA \($0)") == 0 }
    for definition in definitions { try run(definition, []) }
    guard isBlank else { return }
    try connection.run("PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.version)")
  }

  func columns(of table: String, in schema: String?) throws -> [TableColumn] {
    try texts("SELECT name FROM pragma_table_info(?)", table).map { TableColumn(name: $0, kind: .any) }
  }

  // MARK: - Tables

  func describe(_ mapping: TableMapping) throws -> TableDescription? {
    let found = try integer("PRAGMA user_version")
    if found > Self.version, try integer("PRAGMA application_id") == Self.applicationID {
      throw StoreError.newerVersion(found, supported: Self.version)
    }
    if let schema = mapping.schema, schema.lowercased() != "main" {
      throw mapping.misfit("the schema", "none, or main", .verbatim(schema))
    }
    let kinds = "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"
    guard let kind = try texts(kinds, mapping.table).first else { return nil }
    guard kind == "table" else { throw mapping.misfit("the name", "a table", "a \(kind)") }
    let columns = try columns(of: mapping)
    let triggers =
      "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE)"
    return TableDescription(
      name: dialect.quoted(mapping.table), columns: columns, locator: try locator(of: mapping, columns),
      indexed: try indexed(mapping), rowsGuessed: try rowsGuessed(), dependent: try dependent(of: mapping),
      hasTriggers: try integer(triggers, mapping.table) != 0)
  }

  private func columns(of mapping: TableMapping) throws -> [TableColumn] {
    let isStrict = try flag("strict", of: mapping)
    let named = mapping.read.map(\.text) + mapping.written
    let collations = try collations(of: mapping)
    let query = """
      SELECT name, type, "notnull", dflt_value IS NOT NULL, hidden, pk FROM pragma_table_xinfo(?) ORDER BY cid
      """
    return try rows(query, mapping.table) { row in
      let found = row[0].text ?? ""
      let type = row[1].text ?? ""
      // In a STRICT table, ANY converts nothing.
      let keepsAll = isStrict && type.uppercased() == "ANY"
      let affinity = Affinity(declaredType: keepsAll ? "" : type).rawValue
      return TableColumn(
        // Column names are case-insensitive in SQLite.
        name: named.first { $0.lowercased() == found.lowercased() } ?? found,
        type: affinity + (isStrict ? " of a STRICT table" : ""), baseType: affinity, kind: .any,
        castType: affinity, isNotNull: row[2].integer != 0, hasDefault: row[3].integer != 0,
        isGenerated: row[4].integer != 0, keyIndex: Int(row[5].integer ?? 0),
        folding: collations[found.lowercased()].map { ("collation BINARY", "collation \($0)") })
    }
  }

  /// The collations of the primary key's columns, other than BINARY.
  private func collations(of mapping: TableMapping) throws -> [String: String] {
    let query = """
      SELECT lower(part.name), part.coll FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS part
      WHERE list.origin = 'pk' AND part.key = 1 AND upper(part.coll) <> 'BINARY'
      """
    let found = try rows(query, mapping.table) { ($0[0].text ?? "", $0[1].text ?? "") }
    return Dictionary(found, uniquingKeysWith: { first, _ in first })
  }

  private func flag(_ name: String, of mapping: TableMapping) throws -> Bool {
    try integer("SELECT \(name) FROM pragma_table_list(?) WHERE schema = 'main'", mapping.table) != 0
  }

  /// The row number, under a name that no column has; a table without row numbers has a primary key.
  private func locator(of mapping: TableMapping, _ columns: [TableColumn]) throws -> [SQLExpression] {
    let taken = Set(columns.map { $0.name.lowercased() })
    let hasNumbers = try !flag("wr", of: mapping)
    if hasNumbers, let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) {
      return [("t.\(free)", .integer)]
    }
    let key = columns.filter { $0.keyIndex > 0 }
    guard !key.isEmpty else {
      throw mapping.misfit("column rowid", "a primary key, or a row number under some name", "neither")
    }
    return key.map { (expression($0), .any) }
  }

  private func indexed(_ mapping: TableMapping) throws -> Set<String> {
    let query = """
      SELECT part.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS part
      WHERE part.seqno = 0 AND part.name IS NOT NULL AND NOT list.partial
      """
    return Set(try texts(query, mapping.table))
  }

  /// Assumes 64 bytes for each row, and that most pages belong to the table.
  private func rowsGuessed() throws -> Int {
    try integer("PRAGMA page_count") * integer("PRAGMA page_size") / 64
  }

  private func dependent(of mapping: TableMapping) throws -> Message? {
    guard mapping.action == .delete, !mapping.token.name.text.isEmpty else { return nil }
    let query = """
      SELECT other.name, reference."from", reference.on_delete
      FROM sqlite_master AS other, pragma_foreign_key_list(other.name) AS reference
      WHERE other.type = 'table' AND reference."table" = ? COLLATE NOCASE
        AND reference.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
      """
    return try rows(query, mapping.table) {
      Message("column \($0[1].text ?? "") of \($0[0].text ?? "") with ON DELETE \($0[2].text ?? "")")
    }.first
  }

  /// The text of a trigger names its event.
  func guards(of mapping: TableMapping, on table: TableDescription) throws -> [String] {
    let isFired = mapping.events.map { "sql LIKE '%\($0)%'" }.joined(separator: " OR ")
    let columns = mapping.written.map(dialect.literal).joined(separator: ", ")
    return try texts(
      """
      SELECT 'trigger ' || name FROM sqlite_master
      WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE AND (\(isFired))
      UNION SELECT 'foreign key of ' || "from" FROM pragma_foreign_key_list(?1)
      WHERE "from" COLLATE NOCASE IN (\(columns))
      UNION SELECT 'foreign key of ' || other.name
      FROM sqlite_master AS other, pragma_foreign_key_list(other.name) AS reference
      WHERE other.type = 'table' AND reference."table" = ?1 COLLATE NOCASE AND \(mapping.action == .delete)
      ORDER BY 1
      """, mapping.table)
  }

  // MARK: - Fit

  /// A boolean is a number in SQLite, except in columns of text. A STRICT table accepts only values of a column's type.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue? {
    let affinity = Affinity(rawValue: column.castType) ?? .blob
    if affinity == .text { return .text(text) }
    let number = SQLValue.number(text)
    if try flag("strict", of: table) {
      // ANY is numeric.
      guard affinity != .blob, number != nil || affinity == .numeric else { return nil }
    }
    if affinity == .real, case .integer(let number) = number { return .real(Double(number)) }
    return number ?? .text(text)
  }
}
