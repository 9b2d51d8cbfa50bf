import Basics

/// Takes the fields of a row, which are valid during the call only.
package typealias RowVisitor = (SQLFields) throws -> Void

/// Adds rows one by one.
package typealias RowSource = (_ add: RowVisitor) throws -> Void

package struct SQLQuery {
  var sql: String
  var parameters: [SQLValue]
  let kinds: [SQLKind]

  init(_ sql: String, _ parameters: [SQLValue], _ kinds: [SQLKind]) {
    (self.sql, self.parameters, self.kinds) = (sql, parameters, kinds)
  }

  /// - Parameter columns: what it reads; `rest` follows.
  init(distinct: Bool = false, _ columns: [SQLExpression], _ rest: String, _ parameters: [SQLValue] = []) {
    let read = (distinct ? "DISTINCT " : "") + columns.map(\.expression).joined(separator: ", ")
    self.init("SELECT \(read) \(rest)", parameters, columns.map(\.kind))
  }
}

package typealias SQLExpression = (expression: String, kind: SQLKind)

/// Runs statements in a transaction. Parameters are numbered from 1; a statement need not use all. Rows of tables are
/// called `t`.
package protocol SQLSession: AnyObject {
  static var dialect: SQLDialect { get }

  /// Returns how many rows the statement wrote.
  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int

  /// Runs one statement as it is: its texts may have any characters.
  func run(literally sql: String) throws -> Int

  /// Visits the rows of a query. The session is busy until the last row.
  func visit(_ query: SQLQuery, _ body: RowVisitor) throws

  /// Like `visit`, for queries that need most rows of a table.
  func scan(_ query: SQLQuery, _ body: RowVisitor) throws

  /// Like `visit`, for rows of `query` whose `column` is one of `values`.
  /// - Parameter query: with a condition at its end.
  func visit(
    _ query: SQLQuery, where column: TableColumn, isOneOf values: [SQLField], _ body: RowVisitor) throws

  /// What reads an expression over the columns of a row `t` as a kind.
  func column(_ expression: String, _ kind: SQLKind) -> TableColumn
  /// An expression that reads a column of a row `t` as its kind.
  func expression(_ column: TableColumn) -> String
  func literal(_ field: SQLField, _ column: TableColumn) -> String
  func scriptHead(isUndo: Bool) throws -> String
  /// A key as text, for reports.
  func keyText(_ key: [SQLField], _ columns: [TableColumn]) -> String
  /// An expression that reads it as text.
  func text(_ column: TableColumn) -> String
  /// A condition that compares a column of a row `t` to a parameter of its kind or a text, byte for byte.
  func isEqual(_ column: TableColumn, _ parameter: String) -> String
  /// An expression that sorts by the bytes of a text.
  func byteOrder(_ expression: String) -> String
  /// A condition for rows `t` whose token may have another spelling than hex of one letter case.
  func hasOtherSpelling(_ column: TableColumn, isUpper: Bool) -> String
  /// Expressions that read a whole row `t` for `restore`.
  func wholeRow(_ table: TableDescription) -> [SQLExpression]

  /// The value that a column would store for a text; nil if it cannot store it.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue?

  /// - Returns: nil if there is no table of that name.
  /// - Throws: `StoreError.misfit` if it is not a table.
  func describe(_ table: TableMapping) throws -> TableDescription?
  /// The columns of a table; empty if it does not exist.
  func columns(of table: String, in schema: String?) throws -> [TableColumn]
  func make(_ definitions: [String]) throws
  /// Notes that this transaction adds a row to a journal's table of replays.
  func record(in replays: String)

  /// Throws if the session may not write rows of the table, create a missing table, or write a journal.
  func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws

  /// What may refuse rows that a replay writes, as its server lists it: triggers, policies, constraints.
  func guards(of mapping: TableMapping, on table: TableDescription) throws -> [String]

  /// Keeps other programs from changing rows until the transaction ends. Rows that they changed since may be left out.
  /// - Parameter rows: each is a locator.
  func lock(_ table: TableDescription, _ rows: RowSource) throws

  /// Inserts rows in their order; returns how many the database wrote.
  func insert(into table: String, _ columns: [TableColumn], _ rows: RowSource) throws -> Int
  /// Sets columns of rows, or removes the rows if `columns` is empty; returns how many rows the database wrote.
  /// - Parameter rows: each has its locator, then a value for each of `columns`.
  func change(_ table: TableDescription, set columns: [TableColumn], _ rows: RowSource) throws -> Int
  /// A statement that inserts a removed row, as `wholeRow` read it; it may be followed by a condition. Columns that were
  /// added since get their defaults.
  /// - Returns: also the columns of the row that the table has no more.
  func restoring(
    _ whole: [SQLField], to table: TableDescription, of mapping: TableMapping
  ) throws -> (sql: String, dropped: [String])
  /// Runs `body`, which inserts and changes rows; false if a unique index refused one, and nothing was done.
  func attempt(_ body: () throws -> Void) throws -> Bool
}

extension SQLSession {
  var dialect: SQLDialect { Self.dialect }

  /// The integer in a query's only row; nil for another value.
  func number(_ sql: String, _ parameters: [SQLValue] = []) throws -> Int64? {
    var number: Int64?
    try visit(SQLQuery(sql, parameters, [.integer])) { number = $0[0].integer }
    return number
  }

  /// An expression that reads a column of a row `t`, with its kind; NULL for a missing column.
  func read(_ column: TableColumn?) -> SQLExpression {
    column.map { (expression($0), $0.kind) } ?? ("NULL", .other)
  }

  /// The names of all columns, then their values.
  package func wholeRow(_ table: TableDescription) -> [SQLExpression] {
    let kept = table.columns.filter { !$0.isGenerated }
    let names = kept.map { dialect.quoted($0.name) }.joined(separator: ",")
    // The text of a time has zeros of its date, too.
    let values = kept.map { $0.kind.isTime ? (text($0), .text) : (expression($0), $0.kind) }
    return [(dialect.literal(names), .text)] + values
  }

  /// Inserts a removed row; returns the columns that the table has no more.
  func restore(_ whole: [SQLField], to table: TableDescription, of mapping: TableMapping) throws -> [String] {
    let (sql, dropped) = try restoring(whole, to: table, of: mapping)
    guard try run(literally: sql) == 1 else {
      throw StoreError.refused("a trigger or policy of \(mapping.name) ignored a restored row")
    }
    return dropped
  }

  package func restoring(
    _ whole: [SQLField], to table: TableDescription, of mapping: TableMapping
  ) throws -> (sql: String, dropped: [String]) {
    let text = whole.first.flatMap { $0.text ?? $0.bytes.map { String(decoding: $0, as: UTF8.self) } }
    let names = dialect.unquoted(text ?? "")
    guard names.count == whole.count - 1 else { throw StoreError.refused(.columnsDiffer(from: mapping.name)) }
    let columns = try table.columns(of: names, mapping)
    let kept = zip(columns, whole.dropFirst()).compactMap { column, field in column.map { ($0, field) } }
    let list = dialect.list(kept.map(\.0))
    let values = kept.map { literal($0.1, $0.0) }.joined(separator: ", ")
    let sql = "\(dialect.insertion) \(table.name) (\(list)) SELECT \(values)\(dialect.noTable)"
    return (sql, zip(names, columns).filter { $0.1 == nil }.map(\.0))
  }

  package func attempt(_ body: () throws -> Void) throws -> Bool { try savepoint(body) }

  /// `attempt` in any database.
  func savepoint(_ body: () throws -> Void) throws -> Bool {
    try run("SAVEPOINT apnsift", [])
    var isDone = true
    do { try body() } catch let error as DatabaseError where error.kind == .duplicate {
      try run("ROLLBACK TO SAVEPOINT apnsift", [])
      isDone = false
    }
    try run("RELEASE SAVEPOINT apnsift", [])
    return isDone
  }

  /// In the format of SQLite's `quote`.
  package func keyText(_ key: [SQLField], _ columns: [TableColumn]) -> String {
    key.map { field in
      switch field {
      case .null: "NULL"
      case .integer(let number): String(number)
      case .real(let number): String(number)
      case .text: "'\((field.text ?? "").replacing("'", with: "''"))'"
      case .bytes(let bytes): "X'\(Hex.string(bytes, letterCase: .upper))'"
      }
    }.joined(separator: ",")
  }

  func record(in replays: String) {}
  package func lock(_ table: TableDescription, _ rows: RowSource) throws {}

  package func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws
  {}

  package func scan(_ query: SQLQuery, _ body: RowVisitor) throws { try visit(query, body) }
}
