import Basics
import CSQLite

/// Runs statements in a transaction of a SQLite database.
final class SQLiteSession: SQLSession {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
    addSpellingFunctions()
  }

  static let dialect = SQLDialect(
    isShared: false, insertion: "INSERT OR ABORT INTO", scriptCommand: "sqlite3 -bail DATABASE <",
    parameter: "?",
    // A column of numbers would convert a token of digits.
    types: [.text: ["TEXT", "BLOB"], .bytes: ["TEXT", "BLOB"]],
    deviceTokens: """
      CREATE TABLE IF NOT EXISTS device_tokens (
        app TEXT NOT NULL,
        environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
        token BLOB NOT NULL CHECK (typeof(token) = 'blob'),
        registered_at INTEGER CHECK (registered_at IS NULL OR typeof(registered_at) = 'integer'),
        invalidated_at INTEGER CHECK (invalidated_at IS NULL OR typeof(invalidated_at) = 'integer'),
        PRIMARY KEY (app, environment, token)
      ) WITHOUT ROWID
      """, deviceTypes: (["TEXT"], "BLOB", "INTEGER"),
    journal: JournalTypes(id: "INTEGER", text: "TEXT", bytes: "BLOB", numbersChanges: true))

  // MARK: - Statements

  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
    let statement = try PreparedStatement(connection, sql)
    return try SQLField.withRow(of: parameters) { row in
      statement.bind(row)
      return try statement.run()
    }
  }

  func run(literally sql: String) throws -> Int { try run(sql, []) }

  func visit(_ query: SQLQuery, _ body: RowVisitor) throws {
    let statement = try PreparedStatement(connection, query.sql)
    // The expression of a mapping may end its query, and leave columns out.
    guard query.kinds.isEmpty || query.kinds.count == statement.columnCount else {
      throw DatabaseError(.failed, "the query has \(statement.columnCount) columns for \(query.kinds.count)")
    }
    try SQLField.withRow(of: query.parameters) { row in
      statement.bind(row)
      try statement.visit(body)
    }
  }

  func visit(
    _ query: SQLQuery, where column: TableColumn, isOneOf values: [SQLField], _ body: RowVisitor
  ) throws {
    let number = query.parameters.count + 1
    let statement = try PreparedStatement(
      connection, "\(query.sql) AND \(dialect.value(column)) = \(dialect.parameter(number))")
    try SQLField.withRow(of: query.parameters) { row in
      statement.bind(row)
      for value in values {
        statement.bind(value, at: number)
        try statement.visit(body)
      }
    }
  }

  // OR ABORT overrides the clause of an index such as ON CONFLICT REPLACE, which would delete other rows.

  /// Rows that one statement inserts, and bytes of them: neighbours take a third of the time of single rows.
  private static let mostRows = 100
  private static let mostBytes = 1 << 20

  func insert(into table: String, _ columns: [TableColumn], _ rows: RowSource) throws -> Int {
    let names = dialect.list(columns)
    let row = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
    let group = RowBuffer(count: Self.mostRows * columns.count)
    var (count, written) = (0, 0)
    var statement: (PreparedStatement, count: Int)?
    func send() throws {
      if count == 0 { return }
      if statement?.count != count {
        let values = Array(repeating: row, count: count).joined(separator: ", ")
        let sql = "\(dialect.insertion) \(table) (\(names)) VALUES \(values)"
        statement = (try PreparedStatement(connection, sql), count)
      }
      try group.lend(first: count * columns.count) { fields in
        statement?.0.bind(fields)
        written += try statement?.0.run() ?? 0
      }
      count = 0
    }
    try rows { row in
      for (index, field) in row.enumerated() { group.set(count * columns.count + index, copying: field) }
      count += 1
      if count == Self.mostRows || group.copiedLength >= Self.mostBytes { try send() }
    }
    try send()
    return written
  }

  func change(_ table: TableDescription, set columns: [TableColumn], _ rows: RowSource) throws -> Int {
    let found = table.locator.enumerated().map { "\($1.expression) = \(dialect.parameter($0 + 1))" }
      .joined(separator: " AND ")
    let settings = columns.enumerated().map {
      "\(dialect.quoted($1.name)) = \(dialect.parameter(table.locator.count + 1 + $0))"
    }.joined(separator: ", ")
    let name = "\(table.name) AS t"
    let change = columns.isEmpty ? "DELETE FROM \(name)" : "UPDATE OR ABORT \(name) SET \(settings)"
    let statement = try PreparedStatement(connection, "\(change) WHERE \(found)")
    var written = 0
    try rows { row in
      statement.bind(row)
      written += try statement.run()
    }
    return written
  }

  // MARK: - Expressions

  func column(_ expression: String, _ kind: SQLKind) -> TableColumn {
    TableColumn(name: expression, expression: "(\(expression))", kind: .any, castType: Affinity.blob.rawValue)
  }

  func expression(_ column: TableColumn) -> String { dialect.value(column) }
  func scriptHead(isUndo: Bool) -> String { "PRAGMA foreign_keys = ON;\n" }

  /// A literal ends at a zero byte.
  func literal(_ field: SQLField, _ column: TableColumn) -> String {
    switch field {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): number.isFinite ? "\(number)" : number > 0 ? "9e999" : "-9e999"
    case .bytes(let bytes): "X'\(Hex.string(bytes))'"
    case .text(let bytes):
      if let text = field.text, !bytes.contains(0) {
        dialect.literal(text)
      } else {
        "CAST(X'\(Hex.string(bytes))' AS TEXT)"
      }
    }
  }

  func text(_ column: TableColumn) -> String { "CAST(\(expression(column)) AS TEXT)" }
  func byteOrder(_ expression: String) -> String { "\(expression) COLLATE BINARY" }

  /// A column without a type would not compare a number to a text.
  func isEqual(_ column: TableColumn, _ parameter: String) -> String {
    let value = column.castType == Affinity.blob.rawValue ? text(column) : expression(column)
    return "\(value) = \(parameter) COLLATE BINARY"
  }

  func hasOtherSpelling(_ column: TableColumn, isUpper: Bool) -> String {
    "apnsift_is_not_\(isUpper ? "upper_" : "")hex(\(expression(column)))"
  }

  /// Functions of SQLite: they run for every row of a table, and get the bytes without a copy.
  private func addSpellingFunctions() {
    for (name, isUpper) in [("apnsift_is_not_hex", false), ("apnsift_is_not_upper_hex", true)] {
      _ = sqlite.sqlite3_create_function_v2(
        connection.handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
        // The user data is used as a flag.
        isUpper ? UnsafeMutableRawPointer(bitPattern: 1) : nil,
        { context, _, values in
          let value = values?[0]
          guard sqlite.sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite.sqlite3_value_text(value)
          else { return sqlite.sqlite3_result_int(context, 0) }
          let bytes = UnsafeRawBufferPointer(start: text, count: Int(sqlite.sqlite3_value_bytes(value)))
          let isUpper = sqlite.sqlite3_user_data(context) != nil
          sqlite.sqlite3_result_int(context, TokenForm.isHex(bytes, isUpper: isUpper) ? 0 : 1)
        }, nil, nil, nil)
    }
  }
}
