import TokenStores

/// A column of a table of others, as the server's catalogue tells of it.
struct MappedColumn {
  var name: String
  /// For messages, and with its length or precision.
  var fullType: String
  /// Without a length, and below a domain.
  var type: String
  /// The same as a cast takes it. A cast to a type with a length would cut a value short in silence, where storing it
  /// is an error.
  var castType: String
  var isNotNull: Bool
  var isGenerated: Bool
  /// Its place in the primary key, from 1; 0 outside of it.
  var keyPosition: Int64
}

/// What a database says of a table of others, held against the mapping.
struct MappedTableReading {
  let connection: Connection
  let mapping: TableMapping
  let id: Int64
  /// Quoted.
  let schema: String
  let columns: [MappedColumn]
  private let name: String
  /// Whether its rows are in several tables: partitions, or children.
  private let hasParts: Bool
  private let hasChildren: Bool

  /// The table's number in the server's catalogue.
  static func id(of mapping: TableMapping, on connection: Connection) throws -> Int64 {
    let parts = [mapping.schema, mapping.table].compactMap { $0 }.map(SQLWords.quoted)
    let found = try connection.run("SELECT to_regclass($1)::oid::bigint", .text(parts.joined(separator: ".")))
    guard let id = found.integer(0, 0) else {
      throw StoreFault.misfit(
        table: mapping.name, subject: "its name", expected: "a table",
        found: "none in the schemas that the role's search path names or the mapping does")
    }
    return id
  }

  init(_ connection: Connection, _ mapping: TableMapping) throws {
    self.connection = connection
    self.mapping = mapping
    let id = try Self.id(of: mapping, on: connection)
    let found = try connection.run(
      """
      SELECT quote_ident(schema.nspname), quote_ident(relation.relname), relation.relkind::text,
        relation.relkind = 'p' OR EXISTS (SELECT 1 FROM pg_inherits WHERE inhparent = relation.oid)
      FROM pg_class AS relation JOIN pg_namespace AS schema ON schema.oid = relation.relnamespace
      WHERE relation.oid = $1::text::oid
      """, .text(String(id)))
    let kind = found.text(0, 2) ?? ""
    guard ["r", "p"].contains(kind) else {
      throw StoreFault.misfit(
        table: mapping.name, subject: "its name", expected: "a table",
        found: ["v": "a view", "m": "a materialized view", "f": "a foreign table"][kind]
          ?? "a relation of kind \(kind)")
    }
    self.id = id
    schema = found.text(0, 0) ?? ""
    name = "\(schema).\(found.text(0, 1) ?? "")"
    hasParts = found.flag(0, 3)
    hasChildren = hasParts && kind == "r"
    columns = try Self.columns(of: id, on: connection)
  }

  private static func columns(of table: Int64, on connection: Connection) throws -> [MappedColumn] {
    let rows = try connection.run(
      """
      SELECT part.attname::text, format_type(part.atttypid, part.atttypmod),
        CASE base.name WHEN 'citext' THEN base.name ELSE format_type(base.id, NULL) END, format_type(base.id, -1),
        part.attnotnull, part.attgenerated <> '',
        coalesce(array_position((key.indkey::smallint[])[0:key.indnkeyatts - 1], part.attnum) + 1, 0)::bigint
      FROM pg_attribute AS part LEFT JOIN pg_index AS key ON key.indrelid = part.attrelid AND key.indisprimary
        CROSS JOIN LATERAL (\(baseType)) AS base
      WHERE part.attrelid = $1::text::oid AND part.attnum > 0 AND NOT part.attisdropped
      ORDER BY part.attnum
      """, .text(String(table)))
    return (0..<rows.count).map { row in
      MappedColumn(
        name: rows.text(row, 0) ?? "", fullType: rows.text(row, 1) ?? "", type: rows.text(row, 2) ?? "",
        castType: rows.text(row, 3) ?? "", isNotNull: rows.flag(row, 4), isGenerated: rows.flag(row, 5),
        keyPosition: rows.integer(row, 6) ?? 0)
    }
  }

  /// The type of column `part`, or what its domain is of in the end.
  private static let baseType = """
    WITH RECURSIVE step AS (
      SELECT oid AS id, typname::text AS name, typtype AS kind, typbasetype AS base FROM pg_type WHERE oid = part.atttypid
      UNION ALL
      SELECT below.oid, below.typname::text, below.typtype, below.typbasetype
      FROM step JOIN pg_type AS below ON below.oid = step.base WHERE step.kind = 'd')
    SELECT id, name FROM step WHERE kind <> 'd'
    """

  func misfit(_ column: String, _ expected: String, _ found: String) -> StoreFault {
    .misfit(table: mapping.name, subject: "column \(column)", expected: expected, found: found)
  }

  func column(_ name: String) throws -> MappedColumn {
    guard let column = columns.first(where: { $0.name == name }) else {
      throw misfit(name, "a column of that name", "only \(columns.map(\.name).joined(separator: ", "))")
    }
    return column
  }

  // MARK: - Fit

  private static let texts = ["text", "character varying", "character", "citext"]

  private static func types(of form: TimeForm) -> [String] {
    switch form {
    case .seconds, .milliseconds: ["bigint", "integer", "numeric", "double precision"]
    case .iso: texts
    case .timestamptz: ["timestamp with time zone"]
    case .timestamp: ["timestamp without time zone"]
    }
  }

  /// - Throws: `StoreFault.misfit`.
  func check() throws {
    try check(mapping.token.name, mapping.token.form == .bytes ? ["bytea"] : Self.texts)
    if let app = mapping.app { _ = try column(app) }
    if let environment = mapping.environment {
      for value in [environment.production, environment.sandbox] {
        try checkValue(value, of: environment.name)
      }
    }
    if let registered = mapping.registered { try check(registered) }
    switch mapping.action {
    case .mark(let time):
      try check(time)
      if try column(time.name).isNotNull { throw misfit(time.name, "a column that may be null", "NOT NULL") }
    case .flag(let name, let dead, let alive):
      if try column(name).isGenerated { throw misfit(name, "an ordinary column", "a generated one") }
      for value in [dead, alive].compactMap({ $0 }) { try checkValue(value, of: name) }
    case .delete:
      try checkReferences()
      try checkChildren("action delete")
    }
  }

  /// Rows of child tables have columns that this table knows nothing of, and no primary key that holds for all.
  func checkChildren(_ subject: String) throws {
    guard hasChildren else { return }
    throw StoreFault.misfit(
      table: mapping.name, subject: subject, expected: "rows of this table alone",
      found: "tables that inherit from it")
  }

  private func check(_ time: TimeColumn) throws {
    try check(time.name, Self.types(of: time.form))
    if time.form == .iso { try checkValue("2009-06-17T00:00:00Z", of: time.name) }
    if try column(time.name).isGenerated { throw misfit(time.name, "an ordinary column", "a generated one") }
  }

  private func check(_ name: String, _ types: [String]) throws {
    let column = try column(name)
    if types.contains(column.type) { return }
    throw misfit(name, "type \(types.joined(separator: ", or "))", "type \(column.fullType)")
  }

  /// Whether the column can hold `value`, which the mapping has as text. A text that its type would cut short differs
  /// from what it was.
  private func checkValue(_ value: String, of name: String) throws {
    let column = try column(name)
    var fits = false
    try connection.run("SAVEPOINT apnsift_value")
    do throws(ServerError) {
      let kept = Self.texts.contains(column.type) ? "rtrim(value::text) = rtrim($1)" : "true"
      fits = try connection.run(
        "SELECT \(kept) FROM CAST($1 AS \(column.fullType)) AS value", .text(value)
      ).flag(0, 0)
      try connection.run("RELEASE SAVEPOINT apnsift_value")
    } catch {
      if error.isLost { throw error }
    }
    if !fits { throw misfit(name, "a column that can hold '\(value)'", "type \(column.fullType)") }
  }

  /// Rows of other tables must not go, or change, with a row that is removed.
  private func checkReferences() throws {
    let found = try connection.run(
      """
      SELECT conrelid::regclass::text, conname::text,
        CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END
      FROM pg_constraint WHERE contype = 'f' AND confrelid = $1::text::oid AND confdeltype IN ('c', 'n', 'd') LIMIT 1
      """, .text(String(id)))
    guard found.count > 0 else { return }
    throw StoreFault.misfit(
      table: mapping.name, subject: "action delete",
      expected: "no rows of other tables that go or change with a row",
      found:
        "constraint \(found.text(0, 1) ?? "") of \(found.text(0, 0) ?? "") with ON DELETE \(found.text(0, 2) ?? "")"
    )
  }

  // MARK: - Expressions

  func table() throws -> MappedTable {
    try MappedTable(
      name: name,
      // Places are of one table each.
      place: hasParts ? "t.tableoid::text || t.ctid::text" : "t.ctid", placeType: hasParts ? "text" : "tid",
      // A row that is written goes elsewhere.
      placeLasts: false, key: key, token: token(), app: mapping.app.map(owner),
      environment: mapping.environment.map { try owner($0.name) },
      registered: mapping.registered.map(time), death: death())
  }

  private func reference(_ column: MappedColumn) -> String { "t.\(SQLWords.quoted(column.name))" }

  /// The value as text that no setting of the role changes: a point in time in UTC.
  private func text(_ column: MappedColumn) -> String {
    column.isPointInTime ? "(\(reference(column)) AT TIME ZONE 'UTC')::text" : "\(reference(column))::text"
  }

  /// A value of the column of such a text.
  private static func restored(_ text: String, _ column: MappedColumn) -> String {
    column.isPointInTime
      ? "CAST(\(text) AS timestamp) AT TIME ZONE 'UTC'" : "CAST(\(text) AS \(column.fullType))"
  }

  private var key: String? {
    let parts = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
      .map(text)
    if parts.count < 2 { return parts.first }
    return "json_build_array(\(parts.joined(separator: ", ")))::text"
  }

  private func token() throws -> MappedToken {
    let column = try column(mapping.token.name)
    let value = reference(column)
    let write: @Sendable (String) -> String = { [form = mapping.token.form] in
      "CAST(\(TokenExpressions.value(of: $0, form)) AS \(column.castType))"
    }
    let hasLookup = try isIndexed(column) && TokenExpressions.hasOneSpelling(mapping.token.form)
    return MappedToken(
      column: SQLWords.quoted(column.name), bytes: TokenExpressions.bytes(of: value, mapping.token.form),
      shown: mapping.token.form == .bytes ? "encode(\(value), 'hex')" : "\(value)::text",
      lookup: hasLookup
        ? TokenLookup(
          value: value, isOther: TokenExpressions.isOther(value, mapping.token.form), spelling: write) : nil,
      write: write)
  }

  /// Whether there is a whole index that begins with the column.
  private func isIndexed(_ column: MappedColumn) throws -> Bool {
    try connection.run(
      """
      SELECT EXISTS (SELECT 1 FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid = $1::text::oid AND indisvalid AND indpred IS NULL AND attname = $2)
      """, .text(String(id)), .text(column.name)
    ).flag(0, 0)
  }

  private func owner(_ name: String) throws -> MappedOwner {
    let column = try column(name)
    return MappedOwner(column: SQLWords.quoted(column.name), text: "\(reference(column))::text") {
      "CAST(\($0) AS \(column.castType))"
    }
  }

  private func time(_ time: TimeColumn) throws -> MappedTime {
    let column = try column(time.name)
    let value = reference(column)
    return MappedTime(
      column: SQLWords.quoted(column.name), value: text(column),
      seconds: TimeExpressions.seconds(of: value, time.form),
      isForeign: TimeExpressions.isForeign(value, time.form)
    ) { "CAST(\(TimeExpressions.value(of: $0, time.form)) AS \(column.castType))" }
  }

  private func death() throws -> MappedDeath {
    switch mapping.action {
    case .mark(let name):
      let column = try column(name.name)
      return .time(try time(name)) { Self.restored($0, column) }
    case .flag(let name, let dead, let alive):
      let column = try column(name)
      func literal(_ value: String) -> String { "CAST(\(SQLWords.literal(value)) AS \(column.castType))" }
      return .flag(
        column: SQLWords.quoted(column.name), value: "\(reference(column))::text",
        isDead: "\(reference(column)) = \(literal(dead))", dead: literal(dead), alive: alive.map(literal)
      ) { "CAST(\($0) AS \(column.fullType))" }
    case .delete: return .removal(whole: whole)
    }
  }

  /// The row as an object of names and texts, from which each type makes the same value again: what JSON knows itself
  /// would lose the bounds of arrays, and tell no JSON null from NULL.
  private var whole: String {
    let kept = columns.filter { !$0.isGenerated }
    let names = kept.map { SQLWords.literal($0.name) }.joined(separator: ", ")
    let values = kept.map { column in
      // A cast of char(n) takes trailing blanks away.
      column.type == "character"
        ? "CASE WHEN \(reference(column)) IS NOT NULL THEN format('%s', \(reference(column))) END"
        : "\(reference(column))::text"
    }.joined(separator: ", ")
    return "json_object(ARRAY[\(names)]::text[], ARRAY[\(values)]::text[])::text"
  }
}

extension MappedColumn {
  fileprivate var isPointInTime: Bool { type == "timestamp with time zone" }
}
