import TokenStores

/// A column of a table of others, as the server's catalogue tells of it.
struct MappedColumn {
  var name: String
  /// Without and with its length or precision.
  var type: String
  var fullType: String
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
    columns = try Self.columns(of: id, on: connection)
  }

  private static func columns(of table: Int64, on connection: Connection) throws -> [MappedColumn] {
    let rows = try connection.run(
      """
      SELECT part.attname::text, format_type(part.atttypid, NULL), format_type(part.atttypid, part.atttypmod),
        part.attnotnull, part.attgenerated <> '',
        coalesce(array_position((key.indkey::smallint[])[0:key.indnkeyatts - 1], part.attnum) + 1, 0)::bigint
      FROM pg_attribute AS part LEFT JOIN pg_index AS key ON key.indrelid = part.attrelid AND key.indisprimary
      WHERE part.attrelid = $1::text::oid AND part.attnum > 0 AND NOT part.attisdropped
      ORDER BY part.attnum
      """, .text(String(table)))
    return (0..<rows.count).map { row in
      MappedColumn(
        name: rows.text(row, 0) ?? "", type: rows.text(row, 1) ?? "", fullType: rows.text(row, 2) ?? "",
        isNotNull: rows.flag(row, 3), isGenerated: rows.flag(row, 4), keyPosition: rows.integer(row, 5) ?? 0)
    }
  }

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
    case .delete: try checkReferences()
    }
  }

  private func check(_ time: TimeColumn) throws {
    try check(time.name, Self.types(of: time.form))
    if try column(time.name).isGenerated { throw misfit(time.name, "an ordinary column", "a generated one") }
  }

  private func check(_ name: String, _ types: [String]) throws {
    let type = try column(name).type
    if types.contains(type) { return }
    throw misfit(name, "type \(types.joined(separator: ", or "))", "type \(type)")
  }

  /// Whether the column can hold `value`, which the mapping has as text.
  private func checkValue(_ value: String, of name: String) throws {
    let type = try column(name).fullType
    try connection.run("SAVEPOINT apnsift_value")
    do throws(ServerError) {
      try connection.run("SELECT CAST($1 AS \(type)) IS NULL", .text(value))
      try connection.run("RELEASE SAVEPOINT apnsift_value")
    } catch {
      if error.isLost { throw error }
      throw misfit(name, "a column that can hold '\(value)'", "type \(type)")
    }
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
      key: key, token: token(), app: mapping.app.map(owner),
      environment: mapping.environment.map { try owner($0.name) },
      registered: mapping.registered.map(time), death: death())
  }

  private func reference(_ column: MappedColumn) -> String { "t.\(SQLWords.quoted(column.name))" }

  private var key: String? {
    let parts = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
      .map { "\(reference($0))::text" }
    if parts.count < 2 { return parts.first }
    return "json_build_array(\(parts.joined(separator: ", ")))::text"
  }

  private func token() throws -> MappedToken {
    let column = try column(mapping.token.name)
    let value = reference(column)
    return MappedToken(
      column: SQLWords.quoted(column.name), bytes: TokenExpressions.bytes(of: value, mapping.token.form),
      shown: mapping.token.form == .bytes ? "encode(\(value), 'hex')" : "\(value)::text"
    ) { [form = mapping.token.form] in "CAST(\(TokenExpressions.value(of: $0, form)) AS \(column.fullType))" }
  }

  private func owner(_ name: String) throws -> MappedOwner {
    let column = try column(name)
    return MappedOwner(column: SQLWords.quoted(column.name), text: "\(reference(column))::text") {
      "CAST(\($0) AS \(column.fullType))"
    }
  }

  private func time(_ time: TimeColumn) throws -> MappedTime {
    let column = try column(time.name)
    let value = reference(column)
    return MappedTime(
      column: SQLWords.quoted(column.name), value: "\(value)::text",
      seconds: TimeExpressions.seconds(of: value, time.form),
      isForeign: TimeExpressions.isForeign(value, time.form)
    ) { "CAST(\(TimeExpressions.value(of: $0, time.form)) AS \(column.fullType))" }
  }

  private func death() throws -> MappedDeath {
    switch mapping.action {
    case .mark(let name):
      let column = try column(name.name)
      return .time(try time(name)) { "CAST(\($0) AS \(column.fullType))" }
    case .flag(let name, let dead, let alive):
      let column = try column(name)
      func literal(_ value: String) -> String { "CAST(\(SQLWords.literal(value)) AS \(column.fullType))" }
      return .flag(
        column: SQLWords.quoted(column.name), value: "\(reference(column))::text",
        isDead: "\(reference(column)) = \(literal(dead))", dead: literal(dead), alive: alive.map(literal)
      ) { "CAST(\($0) AS \(column.fullType))" }
    case .delete: return .removal(whole: "row_to_json(t)::text")
    }
  }
}
