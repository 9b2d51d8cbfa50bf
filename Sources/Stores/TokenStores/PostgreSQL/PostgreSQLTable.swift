import Basics

extension PostgreSQLSession {
  static let makingLock = "hashtextextended('apnsift: making device_tokens', 0)"

  /// The table's OID; nil if the search path or the mapping's schema has no table of that name.
  func id(of table: String, in schema: String?) throws -> Int64? {
    let name = [schema, table].compactMap { $0 }.map(dialect.quoted).joined(separator: ".")
    return try connection.run("SELECT to_regclass($1)::oid::bigint", .text(name)).integer(0, 0)
  }

  // MARK: - Making

  /// If two programs do it at once, the lock lets the second one see the first's tables.
  func make(_ definitions: [String]) throws {
    try connection.run("SELECT pg_advisory_xact_lock(\(Self.makingLock))")
    for definition in definitions { try connection.run(definition) }
  }

  func columns(of table: String, in schema: String?) throws -> [TableColumn] {
    try id(of: table, in: schema).map(columns) ?? []
  }

  // MARK: - Tables

  func describe(_ mapping: TableMapping) throws -> TableDescription? {
    guard let id = try id(of: mapping.table, in: mapping.schema) else { return nil }
    let found = try connection.run(
      """
      SELECT schema.nspname::text, relation.relname::text, relation.relkind::text,
        relation.relkind = 'p' OR EXISTS (SELECT 1 FROM pg_inherits WHERE inhparent = relation.oid),
        NOT relation.relhasrules AND NOT row_security_active(relation.oid),
        relation.relhasrules OR EXISTS (
          SELECT 1 FROM pg_trigger WHERE tgrelid = relation.oid AND NOT tgisinternal),
        row_security_active(relation.oid)
      FROM pg_class AS relation JOIN pg_namespace AS schema ON schema.oid = relation.relnamespace
      WHERE relation.oid = $1::text::oid
      """, .text(String(id)))
    let kind = found.text(0, 2) ?? ""
    // A table or a partitioned one. The effect of a change on a view is unknown.
    guard kind == "r" || kind == "p" else {
      let names = ["v": "view", "m": "materialized view", "f": "foreign table", "S": "sequence"]
      throw mapping.misfit(
        "the name", "a table", names[kind].map { "a \($0)" } ?? "a relation of kind \(kind)")
    }
    let schema = found.text(0, 0) ?? ""
    let name = "\(dialect.quoted(schema)).\(dialect.quoted(found.text(0, 1) ?? ""))"
    if !found.flag(0, 4) { withoutCopies.insert(name) }
    let hasParts = found.flag(0, 3)
    return TableDescription(
      name: name, schema: schema, columns: try columns(of: id),
      // A ctid is unique in one table only.
      locator: (hasParts ? [("t.tableoid::bigint", SQLKind.integer)] : []) + [("t.ctid", .bytes)],
      indexed: try indexed(id), rowsGuessed: try rowsGuessed(id),
      dependent: mapping.action == .delete ? try dependent(of: id) : nil,
      // Partitions may have their own triggers.
      hasTriggers: hasParts || found.flag(0, 5), hasChildren: hasParts && kind == "r",
      hidesRows: found.flag(0, 6))
  }

  private func columns(of table: Int64) throws -> [TableColumn] {
    let rows = try connection.run(
      """
      SELECT part.attname::text, format_type(part.atttypid, part.atttypmod),
        CASE base.name WHEN 'citext' THEN base.name ELSE format_type(base.id, NULL) END, format_type(base.id, -1),
        part.attnotnull, part.atthasdef OR part.attidentity <> '', part.attgenerated <> '',
        coalesce(array_position((key.indkey::smallint[])[0:key.indnkeyatts - 1], part.attnum) + 1, 0)::bigint,
        coalesce(rules.collisdeterministic, true) AND base.name <> 'citext'
      FROM pg_attribute AS part LEFT JOIN pg_index AS key ON key.indrelid = part.attrelid AND key.indisprimary
        LEFT JOIN pg_collation AS rules ON rules.oid = part.attcollation
        CROSS JOIN LATERAL (\(Self.baseType)) AS base
      WHERE part.attrelid = $1::text::oid AND part.attnum > 0 AND NOT part.attisdropped
      ORDER BY part.attnum
      """, .text(String(table)))
    return (0..<rows.count).map { row in
      let type = rows.text(row, 2) ?? ""
      return TableColumn(
        name: rows.text(row, 0) ?? "", type: rows.text(row, 1) ?? "", baseType: type,
        kind: dialect.kind(of: type),
        castType: rows.text(row, 3) ?? "", isNotNull: rows.flag(row, 4), hasDefault: rows.flag(row, 5),
        isGenerated: rows.flag(row, 6), keyIndex: Int(rows.integer(row, 7) ?? 0),
        folding: rows.flag(row, 8) ? nil : ("a deterministic collation", "one that is not"))
    }
  }

  /// The type of column `part`, or the base type of its domain.
  private static let baseType = """
    WITH RECURSIVE step AS (
      SELECT oid AS id, typname::text AS name, typtype AS kind, typbasetype AS base FROM pg_type WHERE oid = part.atttypid
      UNION ALL
      SELECT below.oid, below.typname::text, below.typtype, below.typbasetype
      FROM step JOIN pg_type AS below ON below.oid = step.base WHERE step.kind = 'd')
    SELECT id, name FROM step WHERE kind <> 'd'
    """

  private func indexed(_ table: Int64) throws -> Set<String> {
    let names = try connection.run(
      """
      SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE indrelid = $1::text::oid AND indisvalid AND indpred IS NULL
      """, .text(String(table)))
    return Set(names.texts)
  }

  /// The number of rows, estimated as the planner does: the table's pages now, times the rows per page at the last
  /// ANALYZE. Without an ANALYZE, the smallest size of a row gives the rows per page.
  private func rowsGuessed(_ table: Int64) throws -> Int {
    let guess = try connection.run(
      """
      SELECT coalesce(sum(pg_relation_size(part.oid) / current_setting('block_size')::bigint
        * CASE WHEN part.relpages > 0 THEN part.reltuples / part.relpages
          ELSE current_setting('block_size')::bigint / 80 END), 0)::bigint
      FROM pg_class AS part
      WHERE part.relkind = 'r' AND (part.oid = $1::text::oid
        OR part.oid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))
      """, .text(String(table)))
    return Int(guess.integer(0, 0) ?? 0)
  }

  private func dependent(of table: Int64) throws -> Message? {
    let found = try connection.run(
      """
      SELECT conrelid::regclass::text, conname::text,
        CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END
      FROM pg_constraint WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd') AND (confrelid = $1::text::oid
        OR confrelid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass))) LIMIT 1
      """, .text(String(table)))
    guard found.count > 0 else { return nil }
    let (name, child, action) = (found.text(0, 1) ?? "", found.text(0, 0) ?? "", found.text(0, 2) ?? "")
    return "constraint \(name) of \(child) with ON DELETE \(action)"
  }

  // MARK: - Fit

  /// Casts the text; a truncated one differs.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue? {
    let kept = column.kind == .text ? "rtrim(value::text) = rtrim($1)" : "true"
    do throws(DatabaseError) {
      let found = try connection.run(
        "SELECT value::text, \(kept) FROM CAST($1 AS \(column.type)) AS value", .text(text))
      guard found.flag(0, 1), let value = found.text(0, 0) else { return nil }
      return column.kind == .integer ? Int64(value).map(SQLValue.integer) : .text(value)
    } catch {
      if error.isLost { throw error }
      return nil
    }
  }

  // MARK: - Refusals

  func guards(of mapping: TableMapping, on table: TableDescription) throws -> [String] {
    // The bits of pg_trigger.h.
    let events = mapping.events.reduce(0) { $0 | ($1 == "INSERT" ? 4 : $1 == "DELETE" ? 8 : 16) }
    let columns = mapping.written.map { Self.literal(.text($0)) }.joined(separator: ", ")
    return try connection.run(
      """
      WITH parts AS (SELECT to_regclass($1)::oid AS id UNION SELECT relid FROM pg_partition_tree(to_regclass($1))),
        written AS (SELECT attrelid, attnum FROM pg_attribute JOIN parts ON attrelid = id WHERE attname = ANY (ARRAY[\(columns)]::text[]))
      SELECT 'trigger ' || tgname FROM pg_trigger JOIN parts ON tgrelid = id
        LEFT JOIN written ON attrelid = tgrelid
      WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgtype & \(events) > 0
        AND (tgtype & 16 = 0 OR tgattr::text = '' OR attnum = ANY (tgattr))
      UNION SELECT 'rule ' || rulename FROM pg_rewrite JOIN parts ON ev_class = id
      UNION SELECT 'row-level security' FROM parts WHERE row_security_active(id)
      UNION SELECT 'constraint ' || conname FROM pg_constraint JOIN written ON conrelid = attrelid
      WHERE attnum = ANY (conkey) AND contype IN ('c', 'f', 'u', 'x')
      UNION SELECT 'constraint ' || conname || ' of ' || conrelid::regclass FROM pg_constraint JOIN parts ON confrelid = id
      WHERE contype = 'f' AND \(events) & 8 > 0 AND conparentid = 0
      ORDER BY 1
      """, .text(table.name)
    ).texts
  }

  // MARK: - Privileges

  /// - Throws: `StoreError.readOnlyServer` or `.notPermitted`.
  func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws {
    try checkWritable()
    guard let table else { return try checkCreation() }
    try checkPrivileges(of: mapping, on: table)
    if isRecorded { try checkJournal(in: table.schema) }
  }

  private func checkWritable() throws {
    if try connection.run("SELECT current_setting('transaction_read_only')").text(0, 0) != "on" { return }
    let isStandby = try connection.run("SELECT pg_is_in_recovery()").flag(0, 0)
    throw StoreError.readOnlyServer(isStandby ? "it is a standby" : "default_transaction_read_only is on")
  }

  private func checkCreation() throws {
    let found = try connection.run(
      "SELECT current_schema()::text, has_schema_privilege(current_schema()::text, 'CREATE')")
    guard let schema = found.text(0, 0) else {
      throw StoreError.notPermitted("no schema of its search path is usable")
    }
    guard found.flag(0, 1) else { throw StoreError.notPermitted("it lacks CREATE on schema \(schema)") }
  }

  /// A privilege may be granted for single columns.
  private func checkPrivileges(of mapping: TableMapping, on table: TableDescription) throws {
    // Rows that are deleted are locked first.
    let events = ["SELECT"] + mapping.events + (mapping.action == .delete ? ["UPDATE"] : [])
    let columns = mapping.written.map { Self.literal(.text($0)) }.joined(separator: ", ")
    let missing = try connection.run(
      """
      SELECT privilege || ' on ' FROM unnest(string_to_array($2, ' ')) AS privilege
      WHERE NOT CASE privilege WHEN 'DELETE' THEN has_table_privilege(to_regclass($1)::oid, privilege)
        ELSE has_any_column_privilege(to_regclass($1)::oid, privilege) END
      UNION ALL SELECT 'UPDATE on column "' || attname || '" of ' FROM pg_attribute
      WHERE attrelid = to_regclass($1)::oid AND attname = ANY (ARRAY[\(columns)]::text[])
        AND NOT has_column_privilege(attrelid, attnum, 'UPDATE')
      """, .text(table.name), .text(events.joined(separator: " ")))
    guard let privilege = missing.texts.first else { return }
    throw StoreError.notPermitted("it lacks \(privilege)\(table.name.replacing("\"", with: ""))")
  }

  private func checkJournal(in schema: String?) throws {
    let prefix = schema.map { dialect.quoted($0) + "." } ?? ""
    let tables = JournalTable.ofDatabase.map { prefix + $0.rawValue }
    let missing = try connection.run(
      """
      SELECT privilege || ' on ' || replace(name, '"', '') FROM unnest(ARRAY[$1, $2, $3]) AS name,
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
      WHERE to_regclass(name) IS NOT NULL AND (privilege <> 'UPDATE' OR name = $1)
        AND NOT has_table_privilege(to_regclass(name), privilege)
      UNION ALL SELECT 'CREATE on schema ' || $4
      WHERE to_regclass($1) IS NULL AND NOT has_schema_privilege($4, 'CREATE')
      """, .text(tables[0]), .text(tables[1]), .text(tables[2]), .text(schema ?? "public"))
    if let privilege = missing.texts.first { throw StoreError.journalLacks(privilege) }
  }
}
