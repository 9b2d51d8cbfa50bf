import Basics

/// Runs statements in a transaction of a PostgreSQL database.
final class PostgreSQLSession: SQLSession {
  let connection: Connection
  /// Tables without COPY: row-level security refuses it, and rules do not apply to it.
  var withoutCopies: Set<String> = []
  private var plan = Plan.usual

  init(_ connection: Connection) { self.connection = connection }

  /// COPY does not support parameters, so they become literals.
  static let dialect = SQLDialect(
    scriptCommand: "psql -v ON_ERROR_STOP=1 -d DATABASE -f", parameter: MarkedSQL.begin,
    types: [
      .text: ["text", "character varying", "character", "citext"], .bytes: ["bytea"],
      .integer: ["bigint", "integer", "smallint"], .moment: ["timestamp with time zone"],
      .clock: ["timestamp without time zone"], .other: ["date"],
    ], fractions: ["numeric", "double precision"],
    // Texts compare as bytes, which is the order of listings, and halves the time of the index.
    deviceTokens: """
      CREATE TABLE IF NOT EXISTS device_tokens (
        app text COLLATE "C" NOT NULL,
        environment text COLLATE "C" NOT NULL CHECK (environment IN ('production', 'sandbox')),
        token bytea NOT NULL,
        registered_at timestamptz,
        invalidated_at timestamptz,
        PRIMARY KEY (app, environment, token)
      )
      """, times: .timestamptz,
    deviceTypes: (["text", "character varying"], "bytea", "timestamp with time zone"),
    journal: JournalTypes(
      id: "bigint GENERATED ALWAYS AS IDENTITY", text: "text", bytes: "bytea",
      time: ("timestamptz", .moment, { "to_timestamp(\($0))" }),
      storage: "ALTER packed SET STORAGE EXTERNAL"))

  // MARK: - Plans

  /// How rows are found. The planner has no statistics of a table that was just filled.
  private enum Plan {
    case usual
    /// A sequential scan in one process: an index scan of all rows takes three times as long, and workers that pass all
    /// rows on half as long again.
    case scan
    case index
    /// By a list of locators, which the planner assumes to be short.
    case locators

    var settings: KeyValuePairs<String, String> {
      switch self {
      case .usual: [:]
      case .scan:
        ["enable_indexscan": "off", "enable_bitmapscan": "off", "max_parallel_workers_per_gather": "0"]
      case .index: ["enable_seqscan": "off"]
      case .locators: ["enable_nestloop": "off"]
      }
    }
  }

  private func plan(_ new: Plan) throws(DatabaseError) {
    if new == plan { return }
    // NULL restores the role's setting.
    let settings = plan.settings.map { ($0.key, "NULL") } + new.settings.map { ($0.key, "'\($0.value)'") }
    plan = new
    let calls = settings.map { "set_config('\($0)', \($1), true)" }
    try connection.run("SELECT \(calls.joined(separator: ", "))")
  }

  // MARK: - Reading

  func visit(_ query: SQLQuery, _ body: RowVisitor) throws {
    try copy(filled(query), query.kinds, .usual, body)
  }

  func scan(_ query: SQLQuery, _ body: RowVisitor) throws {
    try copy(filled(query), query.kinds, .scan, body)
  }

  func visit(
    _ query: SQLQuery, where column: TableColumn, isOneOf values: [SQLField], _ body: RowVisitor
  ) throws {
    let list = values.map { Self.literal($0.value) }.joined(separator: ", ")
    let array = "CAST(ARRAY[\(list)] AS \(column.castType)[])"
    let rows = "\(filled(query)) AND \(dialect.value(column)) = "
    // In a table without statistics, the planner would read all rows with the first columns of the key.
    let sql =
      column.keyIndex > 1
      ? "SELECT found.* FROM unnest(\(array)) AS v (c0) CROSS JOIN LATERAL (\(rows)v.c0 OFFSET 0) AS found"
      : "\(rows)ANY (\(array))"
    try copy(sql, query.kinds, .index, body)
  }

  private func filled(_ query: SQLQuery) -> String {
    MarkedSQL.filled(query.sql, query.parameters, Self.literal)
  }

  private func copy(_ sql: String, _ kinds: [SQLKind], _ plan: Plan, _ body: RowVisitor) throws {
    try self.plan(plan)
    let output = try CopyOutput(sql, kinds, on: connection)
    while let row = try output.next() { try body(row) }
  }

  /// A literal. Backslashes have no special meaning (standard_conforming_strings).
  static func literal(_ value: SQLValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "(\(number))"
    case .real(let number): "'\(number)'"
    // No row has a zero byte in a text.
    case .text(let text): "'\(text.replacing("\0", with: "\u{fffd}").replacing("'", with: "''"))'"
    case .bytes(let bytes): "'\\x\(Hex.string(bytes))'::bytea"
    }
  }

  // MARK: - Writing

  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
    let sql = MarkedSQL.replaced(sql) { "$\($0)" }
    return try connection.run(sql, with: parameters.map(Parameter.init)).affected
  }

  func run(literally sql: String) throws -> Int { try connection.run(sql).affected }

  /// The most rows of one statement, and bytes of one of their columns.
  private static let batch = 10_000
  private static let batchBytes = 1 << 22
  /// The types with the binary format of their kinds.
  private static let sentAsTheyAre: Set = [
    "", "text", "character varying", "citext", "bytea", "bigint", "timestamp with time zone",
    "timestamp without time zone",
  ]

  func insert(into table: String, _ columns: [TableColumn], _ rows: RowSource) throws -> Int {
    let types = columns.map { ServerType($0.kind) }
    let names = dialect.list(columns)
    if !withoutCopies.contains(table), columns.allSatisfy({ Self.sentAsTheyAre.contains($0.baseType) }) {
      return try BinaryCopy.run(into: "\(table) (\(names))", on: connection) { copy in
        try rows { try copy.add($0, types) }
      }
    }
    let values = columns.indices.map { "CAST(v.c\($0) AS \(columns[$0].castType))" }.joined(separator: ", ")
    return try runBatches(types, rows) { "INSERT INTO \(table) (\(names)) SELECT \(values) FROM \($0)" }
  }

  /// As the UPDATE will lock them: rows of other tables may still refer to them.
  func lock(_ table: TableDescription, _ rows: RowSource) throws {
    let (locators, isFound) = try isFound(table)
    _ = try runBatches(locators, rows) {
      "SELECT FROM \(table.name) AS t, \($0) WHERE \(isFound) FOR NO KEY UPDATE OF t"
    }
  }

  /// A condition for the rows `t` of the locators in `v`, with the types of these.
  private func isFound(_ table: TableDescription) throws -> (types: [ServerType], condition: String) {
    try plan(.locators)
    let locators = table.locator.map { $0.kind == .bytes ? ServerType.tid : ServerType($0.kind) }
    // The list of locators avoids a join, which would scan the table.
    let conditions = table.locator.enumerated().map { index, locator in
      let isListed = locators[index] == .tid ? "t.ctid = ANY ($\(index + 1)) AND " : ""
      return "\(isListed)\(locator.expression) = v.c\(index)"
    }
    return (locators, conditions.joined(separator: " AND "))
  }

  func change(_ table: TableDescription, set columns: [TableColumn], _ rows: RowSource) throws -> Int {
    let (locators, isFound) = try isFound(table)
    let settings = columns.enumerated().map { index, column in
      "\(dialect.quoted(column.name)) = CAST(v.c\(locators.count + index) AS \(column.castType))"
    }
    return try runBatches(locators + columns.map { ServerType($0.kind) }, rows) { values in
      columns.isEmpty
        ? "DELETE FROM \(table.name) AS t USING \(values) WHERE \(isFound)"
        : "UPDATE \(table.name) AS t SET \(settings.joined(separator: ", ")) FROM \(values) WHERE \(isFound)"
    }
  }

  /// Runs a statement for each batch of rows; returns how many it wrote.
  /// - Parameter statement: receives the rows as a table `v` with the columns `c0`, `c1` and so on.
  private func runBatches(
    _ types: [ServerType], _ rows: RowSource,
    _ statement: (String) -> String
  ) throws -> Int {
    var arrays = types.map(ArrayParameter.init)
    let parameters = types.enumerated().map { "$\($0 + 1)::\($1.name)[]" }.joined(separator: ", ")
    let names = types.indices.map { "c\($0)" }.joined(separator: ", ")
    let sql = statement("unnest(\(parameters)) AS v (\(names))")
    var written = 0
    func send() throws {
      if arrays[0].count == 0 { return }
      written += try connection.run(sql, with: arrays.map(Parameter.init)).affected
      for index in arrays.indices { arrays[index].removeAll() }
    }
    try rows { row in
      for index in arrays.indices { arrays[index].append(row[index]) }
      if arrays[0].count >= Self.batch || arrays.contains(where: { $0.length > Self.batchBytes }) {
        try send()
      }
    }
    try send()
    return written
  }

  // MARK: - Expressions

  func column(_ expression: String, _ kind: SQLKind) -> TableColumn {
    let type = ServerType(kind).name
    return TableColumn(
      name: expression, expression: "(\(expression))::\(type)", type: type, kind: kind, castType: type)
  }

  func expression(_ column: TableColumn) -> String {
    "\(dialect.value(column))::\(ServerType(column.kind).name)"
  }

  /// Without a cast: the server infers the type from the column.
  func literal(_ field: SQLField, _ column: TableColumn) -> String {
    guard column.kind.isTime, let number = field.integer else { return Self.literal(field.value) }
    let isFinite = number != .max && number != .min
    let text = isFinite ? DateAndTime.text(ofMicroseconds: number) : field.literal(column.kind)
    return "'\(text)\(isFinite && column.kind == .moment ? "+00" : "")'"
  }

  /// In a format that does not depend on the role's settings.
  func text(_ column: TableColumn) -> String {
    column.kind == .moment
      ? "(\(dialect.value(column)) AT TIME ZONE 'UTC')::text" : "\(dialect.value(column))::text COLLATE \"C\""
  }

  func byteOrder(_ expression: String) -> String { "\(expression) COLLATE \"C\"" }

  func isEqual(_ column: TableColumn, _ parameter: String) -> String {
    let value = dialect.value(column)
    if Self.withoutEquality.contains(column.baseType) { return "\(value)::text = \(parameter)" }
    let isSame = "\(value) = CAST(\(parameter) AS \(column.castType))"
    return column.folding == nil ? isSame : "\(isSame) AND \(value)::text COLLATE \"C\" = \(parameter)"
  }

  /// Types without an operator =, or with one that compares areas.
  private static let withoutEquality = [
    "json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle",
  ]

  func scriptHead(isUndo: Bool) throws -> String {
    let path = try connection.run(
      "SELECT string_agg(quote_ident(name), ', ') FROM unnest(current_schemas(false)) AS name"
    ).text(0, 0)
    return
      "SET standard_conforming_strings = on; SET datestyle = 'ISO, MDY'; SET intervalstyle = 'postgres';\n"
      + "SET timezone = 'UTC';\(path.map { " SET search_path = \($0);" } ?? "")\n"
  }

  func hasOtherSpelling(_ column: TableColumn, isUpper: Bool) -> String {
    "\(dialect.value(column))::text COLLATE \"C\" ~ '[^0-9\(isUpper ? "A-F" : "a-f")]'"
  }

  // MARK: - Keys

  func keyText(_ key: [SQLField], _ columns: [TableColumn]) -> String {
    let parts = zip(key, columns).map { field, column in
      switch field {
      case .integer(let number) where column.kind.isTime && number != .max && number != .min:
        DateAndTime.text(ofMicroseconds: number)
      case .integer: field.literal(column.kind)
      case .bytes(let bytes): "\\x\(Hex.string(bytes))"
      default: field.text ?? ""
      }
    }
    if parts.count < 2 { return parts.first ?? "" }
    // As json_build_array writes it.
    return "[\(parts.map(JSONValue.quoted).joined(separator: ", "))]"
  }

  // MARK: - Removed rows

  /// The row as a JSON object of names and texts, which each type reads back without loss. JSON's own types would lose
  /// the bounds of arrays and the difference of JSON null and NULL.
  func wholeRow(_ table: TableDescription) -> [SQLExpression] {
    let kept = table.columns.filter { !$0.isGenerated }
    let names = kept.map { Self.literal(.text($0.name)) }.joined(separator: ", ")
    let values = kept.map { column in
      let value = dialect.value(column)
      // A cast of char(n) removes trailing blanks.
      if column.baseType == "character" {
        return "CASE WHEN \(value) IS NOT NULL THEN format('%s', \(value)) END"
      }
      // The text of a point in time must not depend on the role's time zone.
      return column.kind == .moment ? "(\(value) AT TIME ZONE 'UTC')::text || '+00'" : "\(value)::text"
    }.joined(separator: ", ")
    return [("json_object(ARRAY[\(names)]::text[], ARRAY[\(values)]::text[])::text", .text)]
  }

  func restoring(
    _ whole: [SQLField], to table: TableDescription, of mapping: TableMapping
  ) throws -> (sql: String, dropped: [String]) {
    let row = whole.first?.value ?? .null
    let keys = try connection.run("SELECT json_object_keys($1::json)", row).texts
    let columns = try table.columns(of: keys, mapping)
    let kept = columns.compactMap { $0 }
    let values = kept.map { "CAST(r.\(dialect.quoted($0.name)) AS \($0.type))" }
    let sql = """
      INSERT INTO \(table.name) (\(dialect.list(kept))) OVERRIDING SYSTEM VALUE \
      SELECT \(values.joined(separator: ", ")) FROM json_to_record(\(Self.literal(row))::json) \
      AS r (\(kept.map { "\(dialect.quoted($0.name)) text" }.joined(separator: ", ")))
      """
    return (sql, zip(keys, columns).filter { $0.1 == nil }.map(\.0))
  }

  /// The plan is that of changes before the savepoint, which a rollback restores. Deferred constraints are checked now:
  /// they would refuse the commit.
  func attempt(_ body: () throws -> Void) throws -> Bool {
    try plan(.locators)
    return try savepoint {
      try body()
      try connection.run("SET CONSTRAINTS ALL IMMEDIATE")
    }
  }
}
