import Basics

/// Runs statements in a transaction of a MariaDB or MySQL database.
final class MySQLSession: SQLSession {
  let connection: MySQLConnection
  /// The journal of this transaction, if any.
  private var journal: String?

  init(_ connection: MySQLConnection) { self.connection = connection }

  static let dialect = SQLDialect(
    quote: "`", backslash: "\\\\", noTable: " FROM DUAL", deletedTable: " t",
    scriptCommand: "mariadb --binary-mode DATABASE <", parameter: MarkedSQL.begin,
    types: [
      .text: ["varchar", "char", "text", "tinytext", "mediumtext", "longtext", "enum", "set"],
      .bytes: ["varbinary", "binary", "blob", "tinyblob", "mediumblob", "longblob"],
      .integer: ["bigint", "int", "mediumint", "smallint", "tinyint", "bit"],
      .moment: ["timestamp"], .clock: ["datetime"], .other: ["date"],
    ], fractions: ["decimal", "double"],
    // Texts compare as bytes, also where they end in spaces. A key has at most 3072 bytes.
    deviceTokens: """
      CREATE TABLE IF NOT EXISTS device_tokens (
        app VARCHAR(252) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
        environment VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL
          CHECK (environment IN ('production', 'sandbox')),
        token VARBINARY(2048) NOT NULL,
        registered_at BIGINT,
        invalidated_at BIGINT,
        PRIMARY KEY (app, environment, token)
      ) ENGINE = InnoDB
      """, deviceTypes: (["varchar"], "varbinary", "bigint"),
    journal: JournalTypes(
      id: "BIGINT AUTO_INCREMENT", text: "LONGTEXT", bytes: "LONGBLOB", hasReferences: false,
      rest: "ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"))

  /// Each statement sees what other programs committed before it; `OwnedRows.findToChange` locks rows before they change.
  func begin() throws {
    try connection.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
    try connection.run("START TRANSACTION")
  }

  /// A query for the number of rows of this transaction's replay; nil if it has none.
  func lastReplay() throws -> String? {
    guard let journal, let id = try connection.number("SELECT max(id) FROM \(journal)") else { return nil }
    return "SELECT count(*) FROM \(journal) WHERE id = \(id)"
  }

  // MARK: - Making

  /// Creating a table commits, so it comes first.
  func make(_ definitions: [String]) throws {
    for definition in definitions { try connection.run(definition) }
    try begin()
  }

  func record(in replays: String) { journal = replays }

  // MARK: - Statements

  private func filled(_ sql: String, _ parameters: [SQLValue]) -> String {
    MarkedSQL.filled(sql, parameters, MySQLLiteral.text)
  }

  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
    try connection.run(filled(sql, parameters))
  }

  func run(literally sql: String) throws -> Int { try connection.run(sql) }

  func visit(_ query: SQLQuery, _ body: RowVisitor) throws {
    try connection.visit(filled(query.sql, query.parameters), body)
  }

  func visit(
    _ query: SQLQuery, where column: TableColumn, isOneOf values: [SQLField], _ body: RowVisitor
  ) throws {
    var sql = Array("\(filled(query.sql, query.parameters)) AND \(dialect.value(column)) IN (".utf8)
    let parts = column.kind == .text ? converted("|", column).split(separator: "|") : []
    for (index, value) in values.enumerated() {
      if index > 0 { sql.append(UInt8(ascii: ",")) }
      if let begin = parts.first { sql.append(contentsOf: begin.utf8) }
      MySQLLiteral.append(value, to: &sql)
      if let end = parts.last { sql.append(contentsOf: end.utf8) }
    }
    sql.append(UInt8(ascii: ")"))
    try connection.visit(sql, body)
  }

  func insert(into table: String, _ columns: [TableColumn], _ rows: RowSource) throws -> Int {
    try MySQLInsert.run(
      into: table, columns.map { dialect.quoted($0.name) }, on: connection,
      // LOAD DATA would store the bytes of the digits.
      loads: columns.allSatisfy { $0.baseType != "bit" }
    ) { insert in
      try rows { try Self.withTexts($0, columns.map(\.kind), insert.add) }
    }
  }

  /// Lends a row with its times as text.
  private static func withTexts(_ row: SQLFields, _ kinds: [SQLKind], _ body: RowVisitor) throws {
    guard kinds.contains(where: \.isTime) else { return try body(row) }
    let buffer = RowBuffer(count: row.count)
    for (index, field) in row.enumerated() {
      if kinds[index].isTime, let number = field.integer {
        buffer.set(index, copying: .text(DateAndTime.text(ofMicroseconds: number)))
      } else {
        buffer.set(index, field)
      }
    }
    try buffer.lend(body)
  }

  func change(_ table: TableDescription, set columns: [TableColumn], _ rows: RowSource) throws -> Int {
    try withJoin(table, columns, rows) { join in
      let settings =
        columns.enumerated().map { "t.\(dialect.quoted($1.name)) = c.c\($0)" }
        + table.kept.filter { name in !columns.contains { $0.name == name } }
        .map { "t.\(dialect.quoted($0)) = t.\(dialect.quoted($0))" }
      return try connection.run(
        columns.isEmpty ? "DELETE t FROM \(join)" : "UPDATE \(join) SET \(settings.joined(separator: ", "))")
    }
  }

  func lock(_ table: TableDescription, _ rows: RowSource) throws {
    try withJoin(table, [], rows) { _ = try connection.number("SELECT count(*) FROM \($0) FOR UPDATE") }
  }

  /// Joins a table to a temporary one of keys and values: single statements would take several times as long.
  private func withJoin<Result>(
    _ table: TableDescription, _ columns: [TableColumn],
    _ rows: RowSource, _ body: (_ join: String) throws -> Result
  ) throws -> Result {
    let key = table.key
    let (keys, values) = (key.indices.map { "k\($0)" }, columns.indices.map { "c\($0)" })
    let made =
      zip(key, keys).map { "\(dialect.quoted($0.name)) AS \($1)" }
      // NULLIF drops a column's default, which may be an invalid date.
      + zip(columns, values).map { "NULLIF(\(dialect.quoted($0.name)), NULL) AS \($1)" }
    try connection.run(
      // An attempt that failed leaves the table.
      "CREATE OR REPLACE TEMPORARY TABLE apnsift_rows (PRIMARY KEY (\(keys.joined(separator: ", ")))) AS SELECT "
        + "\(made.joined(separator: ", ")) FROM \(table.name) LIMIT 0")
    let added = zip(key + columns, keys + values).map { column, name in
      TableColumn(name: name, baseType: column.baseType, kind: column.kind)
    }
    _ = try insert(into: "apnsift_rows", added, rows)
    let isFound = zip(key, keys).map { "t.\(dialect.quoted($0.name)) = c.\($1)" }.joined(separator: " AND ")
    let result = try body("apnsift_rows AS c STRAIGHT_JOIN \(table.name) AS t ON \(isFound)")
    try connection.run("DROP TEMPORARY TABLE apnsift_rows")
    return result
  }

  // MARK: - Expressions

  /// Texts, also of times and numbers: a cast of the server would take what it cannot read for another value.
  func column(_ expression: String, _ kind: SQLKind) -> TableColumn {
    let isBytes = kind == .bytes
    return TableColumn(
      name: expression, expression: "CAST((\(expression)) AS \(isBytes ? "BINARY" : "CHAR"))",
      kind: isBytes ? .bytes : .text, castType: "utf8mb4")
  }

  func expression(_ column: TableColumn) -> String {
    let value = dialect.value(column)
    switch (column.kind, column.baseType) {
    case (.moment, _), (.clock, _):
      let number = "coalesce(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', \(value)), \(DateAndTime.zeroDate))"
      return "CASE WHEN \(value) IS NOT NULL THEN \(number) END"
    case (_, "bit"): return "\(value) + 0"
    // Its text would have only six digits.
    case (_, "float"): return "CAST(\(value) AS DOUBLE)"
    default: return value
    }
  }

  func literal(_ field: SQLField, _ column: TableColumn) -> String {
    guard column.kind.isTime, let number = field.integer else { return MySQLLiteral.text(field) }
    return MySQLLiteral.text(.text(DateAndTime.text(ofMicroseconds: number)))
  }

  func text(_ column: TableColumn) -> String {
    "CAST(\(dialect.value(column))\(column.baseType == "bit" ? " + 0" : "") AS CHAR)"
  }

  func scriptHead(isUndo: Bool) -> String {
    "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin, time_zone = '+00:00', sql_mode = "
      + "'NO_AUTO_VALUE_ON_ZERO,\(isUndo ? "ALLOW_INVALID_DATES" : "STRICT_ALL_TABLES")';\n"
  }

  func byteOrder(_ expression: String) -> String { "CAST(\(expression) AS BINARY)" }

  /// The index finds texts that compare as equal; the bytes decide.
  func isEqual(_ column: TableColumn, _ parameter: String) -> String {
    let value = dialect.value(column)
    guard column.kind == .text else { return "\(value) = \(parameter)" }
    return "\(value) = \(converted(parameter, column)) "
      + "AND CAST(CONVERT(\(value) USING utf8mb4) AS BINARY) = CAST(\(parameter) AS BINARY)"
  }

  /// A text in the character set and collation of a column: with others, the server uses no index, or refuses to compare.
  private func converted(_ text: String, _ column: TableColumn) -> String {
    "CONVERT(\(text) USING \(column.castType))"
      + (column.collation.isEmpty ? "" : " COLLATE \(column.collation)")
  }

  func hasOtherSpelling(_ column: TableColumn, isUpper: Bool) -> String {
    "CAST(\(dialect.value(column)) AS BINARY) RLIKE '[^0-9\(isUpper ? "A-F" : "a-f")]'"
  }

  /// Restores invalid dates, too, if the row had them.
  func attempt(_ body: () throws -> Void) throws -> Bool {
    try connection.run(
      "SET @apnsift_modes = @@SESSION.sql_mode, SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'"
    )
    defer { _ = try? connection.run("SET SESSION sql_mode = @apnsift_modes") }
    return try savepoint(body)
  }
}
