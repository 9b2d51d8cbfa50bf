import Basics

extension MySQLSession {
  private func literal(_ text: String) -> String { MySQLLiteral.text(.text(text)) }

  private func isTable(_ name: String, in schema: String?) -> String {
    "TABLE_SCHEMA = \(schema.map(literal) ?? "DATABASE()") AND TABLE_NAME = \(literal(name))"
  }

  /// The rows of a query as texts; null is empty.
  private func rows(_ sql: String) throws -> [[String]] {
    var rows: [[String]] = []
    try connection.visit(sql) { rows.append($0.map { $0.integer.map { String($0) } ?? $0.text ?? "" }) }
    return rows
  }

  private func texts(_ sql: String) throws -> [String] { try rows(sql).map { $0[0] } }

  func describe(_ mapping: TableMapping) throws -> TableDescription? {
    let found = try rows(
      """
      SELECT TABLE_TYPE, coalesce(tables.ENGINE, ''), coalesce(TRANSACTIONS, 'NO'), coalesce(TABLE_ROWS, 0), TABLE_SCHEMA
      FROM information_schema.TABLES AS tables LEFT JOIN information_schema.ENGINES AS engines
        ON engines.ENGINE = tables.ENGINE
      WHERE \(isTable(mapping.table, in: mapping.schema))
      """)
    guard let table = found.first else { return nil }
    guard table[0] == "BASE TABLE" else {
      throw mapping.misfit("the name", "a table", "a \(table[0].lowercased())")
    }
    guard table[2] == "YES" else {
      throw mapping.misfit(
        "its engine", "one with transactions, as InnoDB",
        "\(table[1]) (ALTER TABLE … ENGINE = InnoDB changes it)")
    }
    let schema = table[4]
    let columns = try columns(of: mapping.table, in: mapping.schema)
    let key = TableDescription.key(of: columns)
    if key.isEmpty { throw mapping.misfit("the primary key", "one, by which rows are found", "none") }
    let name = "\(dialect.quoted(schema)).\(dialect.quoted(mapping.table))"
    let kept = columns.filter {
      $0.isSetByUpdates
        && ($0.keyIndex > 0 || $0.name == mapping.registered?.name.text
          || mapping.registered?.name.isExpression == true)
    }
    return TableDescription(
      name: name, schema: schema, columns: columns, locator: key.map { (expression($0), $0.kind) },
      indexed: try indexed(mapping), rowsGuessed: Int(table[3]) ?? 0, kept: kept.map(\.name),
      dependent: mapping.action == .delete ? try dependent(of: mapping, in: schema) : nil,
      hasTriggers: try hasTriggers(mapping.table, in: schema))
  }

  /// Also true without the privilege TRIGGER on all tables or those of the schema: the catalogue may show none then.
  private func hasTriggers(_ table: String, in schema: String) throws -> Bool {
    let mayTrigger = isGranted("TRIGGER")
    return try connection.number(
      """
      SELECT EXISTS (SELECT 1 FROM information_schema.TRIGGERS
          WHERE EVENT_OBJECT_SCHEMA = \(literal(schema)) AND EVENT_OBJECT_TABLE = \(literal(table)))
        OR NOT EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE \(mayTrigger)
          UNION ALL SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES
          WHERE \(mayTrigger) AND TABLE_SCHEMA = \(literal(schema)))
      """) != 0
  }

  private func isGranted(_ privilege: String) -> String {
    "GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''') AND PRIVILEGE_TYPE = '\(privilege)'"
  }

  func columns(of table: String, in schema: String?) throws -> [TableColumn] {
    let isOfTable = isTable(table, in: schema)
    let key = try texts(
      """
      SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE \(isOfTable) AND INDEX_NAME = 'PRIMARY'
      ORDER BY SEQ_IN_INDEX
      """)
    return try rows(
      """
      SELECT COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, coalesce(CHARACTER_SET_NAME, ''), coalesce(COLLATION_NAME, ''),
        IS_NULLABLE = 'YES', coalesce(COLUMN_DEFAULT, 'NULL') <> 'NULL' OR EXTRA LIKE '%auto_increment%', EXTRA LIKE '%GENERATED%',
        EXTRA LIKE '%on update%'
      FROM information_schema.COLUMNS WHERE \(isOfTable) ORDER BY ORDINAL_POSITION
      """
    ).map { row in
      let (name, type, collation) = (row[0], row[2], row[4])
      return TableColumn(
        name: name, type: row[1], baseType: type, kind: dialect.kind(of: type), castType: row[3],
        collation: collation, isNotNull: row[5] == "0", hasDefault: row[6] == "1", isGenerated: row[7] == "1",
        isSetByUpdates: row[8] == "1", keyIndex: (key.firstIndex(of: name) ?? -1) + 1,
        folding: collation.isEmpty || collation.hasSuffix("_nopad_bin") || collation.hasSuffix("_0900_bin")
          ? nil : ("a collation that compares bytes, as utf8mb4_nopad_bin", .verbatim(collation)))
    }
  }

  private func indexed(_ mapping: TableMapping) throws -> Set<String> {
    let names = try texts(
      """
      SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE \(isTable(mapping.table, in: mapping.schema))
        AND INDEX_TYPE IN ('BTREE', 'HASH') AND SUB_PART IS NULL AND SEQ_IN_INDEX = 1
      """)
    return Set(names)
  }

  /// The catalogue shows no constraints of tables on which the user has no privilege.
  private func dependent(of mapping: TableMapping, in schema: String) throws -> Message? {
    let found = try rows(
      """
      SELECT CONSTRAINT_NAME, TABLE_NAME, DELETE_RULE FROM information_schema.REFERENTIAL_CONSTRAINTS
      WHERE UNIQUE_CONSTRAINT_SCHEMA = \(literal(schema)) AND REFERENCED_TABLE_NAME = \(literal(mapping.table))
        AND DELETE_RULE IN ('CASCADE', 'SET NULL', 'SET DEFAULT') LIMIT 1
      """)
    if let found = found.first { return "constraint \(found[0]) of \(found[1]) with ON DELETE \(found[2])" }
    let seesAll = "SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES WHERE \(isGranted("SELECT"))"
    return try connection.number(seesAll) == 0
      ? "tables that cannot be seen (GRANT SELECT ON *.* shows them)" : nil
  }

  // MARK: - Fit

  /// A text that its column would truncate does not fit.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue? {
    switch column.kind {
    case .integer: return .number(text)
    case .text where column.baseType == "enum":
      let values = column.type.dropFirst("enum(".count).dropLast().split(separator: ",")
      return values.contains { $0 == literal(text) } ? .text(text) : nil
    case .text:
      let length = Int(column.type.drop { $0 != "(" }.dropFirst().prefix { $0.isNumber })
      return length.map { text.unicodeScalars.count <= $0 } ?? true ? .text(text) : nil
    case _ where column.baseType == "decimal":
      // As the column shows it: 0 is 0.0 in decimal(3,1).
      let type = column.type.prefix { $0 != " " }
      return Double(text) == nil
        ? nil : try texts("SELECT CAST(\(literal(text)) AS \(type))").first.map { .text($0) }
    default: return .text(text)
    }
  }

  // MARK: - Refusals

  func guards(of mapping: TableMapping, on table: TableDescription) throws -> [String] {
    let (schema, name) = (literal(table.schema ?? ""), literal(mapping.table))
    let events = mapping.events.map(literal).joined(separator: ", ")
    let columns = (["NULL"] + mapping.written.map(literal)).joined(separator: ", ")
    let isNamed =
      ["1 = 0"] + mapping.written.map { "INSTR(CHECK_CLAUSE, \(literal(dialect.quoted($0)))) > 0" }
    return try texts(
      """
      SELECT CONCAT('trigger ', TRIGGER_NAME) AS found FROM information_schema.TRIGGERS
      WHERE EVENT_OBJECT_SCHEMA = \(schema) AND EVENT_OBJECT_TABLE = \(name) AND EVENT_MANIPULATION IN (\(events))
      UNION SELECT CONCAT('constraint ', CONSTRAINT_NAME) FROM information_schema.KEY_COLUMN_USAGE
      WHERE TABLE_SCHEMA = \(schema) AND TABLE_NAME = \(name) AND COLUMN_NAME IN (\(columns))
        AND REFERENCED_TABLE_NAME IS NOT NULL
      UNION SELECT CONCAT('constraint ', CONSTRAINT_NAME) FROM information_schema.CHECK_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = \(schema) AND TABLE_NAME = \(name)
        AND (\(isNamed.joined(separator: " OR ")))
      UNION SELECT CONCAT('constraint ', CONSTRAINT_NAME, ' of ', TABLE_NAME)
      FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE UNIQUE_CONSTRAINT_SCHEMA = \(schema)
        AND REFERENCED_TABLE_NAME = \(name) AND 'DELETE' IN (\(events))
      ORDER BY found
      """)
  }

  // MARK: - Privileges

  /// Runs statements that match no row: the server checks privileges and read-only modes first.
  func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws {
    guard let table else { return }
    if mapping.inserts {
      try connection.run("INSERT INTO \(table.name) SELECT * FROM \(table.name) WHERE 1 = 0")
    }
    let settings = mapping.written.map(dialect.quoted).map { "\($0) = \($0)" }
    if !settings.isEmpty {
      try connection.run("UPDATE \(table.name) SET \(settings.joined(separator: ", ")) WHERE 1 = 0")
    } else {
      try connection.run("DELETE FROM \(table.name) WHERE 1 = 0")
      // The catalogue shows no columns without a privilege, and the journal keeps whole rows.
      try connection.run("SELECT * FROM \(table.name) WHERE 1 = 0")
    }
    try connection.run("CREATE TEMPORARY TABLE apnsift_rows (c INT)")
    try connection.run("DROP TEMPORARY TABLE apnsift_rows")
    if isRecorded { try checkJournal(in: table.schema ?? "") }
  }

  /// Without any privilege on them, the catalogue shows no tables.
  private func checkJournal(in schema: String) throws {
    let tables = JournalTable.ofDatabase
    let present = try tables.filter { try !columns(of: $0.rawValue, in: schema).isEmpty }
    for table in present {
      let name = "\(dialect.quoted(schema)).\(table.rawValue)"
      try connection.run("INSERT INTO \(name) SELECT * FROM \(name) WHERE 1 = 0")
      if table == .replays { try connection.run("UPDATE \(name) SET version = '' WHERE 1 = 0") }
    }
    if present.count == tables.count { return }
    // Those of PUBLIC are an error before MariaDB 10.11.
    let grants = try texts("SHOW GRANTS") + ((try? texts("SHOW GRANTS FOR PUBLIC")) ?? [])
    let creating = ["GRANT ALL", " CREATE,", " CREATE ON"]
    if grants.contains(where: { grant in creating.contains { grant.contains($0) } }) { return }
    throw StoreError.journalLacks("CREATE on database \(schema)")
  }
}
