import WireBytes

/// Runs statements in a transaction. Parameters are numbered from 1, and need not occur. Rows of tables are called `t`.
package protocol SQLSession: AnyObject {
  var dialect: SQLDialect { get }

  /// Runs one statement; returns how many rows it wrote.
  @discardableResult
  func run(_ sql: String, _ parameters: [SQLValue]) throws -> Int

  /// Visits the rows of a query, of which the session is busy until the last one was visited.
  /// - Parameter kinds: those of its columns.
  func visit(_ sql: String, _ parameters: [SQLValue], _ kinds: [SQLKind], _ body: (SQLFields) throws -> Void)
    throws

  /// As `visit`, where most rows of a table are wanted.
  func scan(_ sql: String, _ parameters: [SQLValue], _ kinds: [SQLKind], _ body: (SQLFields) throws -> Void)
    throws

  /// As `visit`, with the rows of `query` whose `column` is one of `values`.
  /// - Parameter query: with a condition at its end.
  func visit(
    _ query: String, _ parameters: [SQLValue], _ kinds: [SQLKind], where column: TableColumn,
    isOneOf values: [SQLField], _ body: (SQLFields) throws -> Void) throws

  /// What reads a column of a row `t` as its kind.
  func expression(_ column: TableColumn) -> String
  /// A key as text: what version 0.1 called a row by, and what people read.
  func keyText(_ key: [SQLField], _ columns: [TableColumn]) -> String
  /// A value of a column, of the text that version 0.1 kept of it.
  func value(ofText text: String, in column: TableColumn) -> SQLValue
  /// What reads it as text.
  func text(_ column: TableColumn) -> String
  /// What compares a column of a row `t` to a parameter of its kind or a text, byte for byte.
  func isEqual(_ column: TableColumn, _ parameter: String) -> String
  /// What sorts as the bytes of a text that `expression` gives.
  func byteOrder(_ expression: String) -> String
  /// What tells rows `t` whose token may be in another spelling than the form's own; nil where there is none.
  func hasOtherSpelling(_ column: TableColumn, _ form: TokenForm) -> String?
  /// What reads a whole row `t`, such that `restore` can write it.
  func wholeRow(_ table: TableDescription) -> [(expression: String, kind: SQLKind)]

  /// What a column would hold of a text; nil where it cannot hold it.
  func stored(_ text: String, in column: TableColumn, of table: TableMapping) throws -> SQLValue?
  /// Why a column cannot hold tokens or times of a form: what is expected, and what was found; nil where it can.
  func misfit(of column: TableColumn, for form: TokenForm) -> (expected: String, found: String)?
  func misfit(of column: TableColumn, for form: TimeForm) -> (expected: String, found: String)?
  /// Whether a column without triggers has a value that was written just as it was written.
  func keeps(_ value: SQLValue, in column: TableColumn) -> Bool
  /// Whether a column of `device_tokens` can be that of apps or environments.
  func holdsTexts(_ column: TableColumn) -> Bool

  /// - Returns: nil where there is no table of that name.
  /// - Throws: `StoreFault.misfit` or `.wrongShape` where it is something else than a table.
  func describe(_ table: TableMapping) throws -> TableDescription?
  /// The columns of a table; none where there is no such table.
  func columnNames(of table: String, in schema: String?) throws -> Set<String>
  /// Adds the table `device_tokens`.
  func makeDeviceTokens() throws
  /// Adds what is missing of a journal's tables.
  /// - Parameter schema: of the table that is changed, as `TableDescription` has it.
  func makeJournal(in schema: String?) throws

  /// Whether the session may write: rows of the table, or the table itself where there is none, and a journal.
  func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws

  /// Inserts rows, in their order; returns how many the database wrote.
  func insert(
    into table: String, _ columns: [TableColumn],
    _ rows: (_ add: (SQLFields) throws -> Void) throws -> Void
  ) throws -> Int
  /// Sets columns of rows, or removes rows where there are none to set; returns how many rows the database wrote.
  /// - Parameter rows: each has its place, then a value for each of `columns`.
  func change(
    _ table: TableDescription, set columns: [TableColumn],
    _ rows: (_ add: (SQLFields) throws -> Void) throws -> Void
  ) throws -> Int
  /// Writes a row that was removed, as `wholeRow` read it.
  func restore(_ whole: [SQLField], to table: TableDescription, of mapping: TableMapping) throws
}

extension SQLSession {
  /// What reads a column of a row `t`, with its kind; null for a column that a table does not have.
  func read(_ column: TableColumn?) -> (expression: String, kind: SQLKind) {
    column.map { (expression($0), $0.kind) } ?? ("NULL", .other)
  }

  /// All columns, whose names come first.
  package func wholeRow(_ table: TableDescription) -> [(expression: String, kind: SQLKind)] {
    let kept = table.columns.filter { !$0.isGenerated }
    let names = names(of: kept).replacing("'", with: "''")
    return [("'\(names)'", .text)] + kept.map { (expression($0), $0.kind) }
  }

  private func names(of columns: some Collection<TableColumn>) -> String {
    columns.map { dialect.quoted($0.name) }.joined(separator: ",")
  }

  /// Writes what `wholeRow` read. Columns that the table got since stand after those that it had, and take their defaults.
  package func restoreFields(_ whole: [SQLField], to table: TableDescription, of mapping: TableMapping) throws
  {
    let kept = table.columns.filter { !$0.isGenerated }.prefix(max(whole.count - 1, 0))
    let found = whole.first.flatMap { $0.text ?? $0.bytes.map { String(decoding: $0, as: UTF8.self) } }
    guard kept.count == whole.count - 1, names(of: kept) == found else {
      throw StoreFault.refused(
        detail: "removed rows had other columns than \(mapping.name) has now, as apnsift_changes tells")
    }
    let written = try insert(into: table.name, Array(kept)) { add in
      try Array(whole.dropFirst()).withUnsafeBufferPointer(add)
    }
    guard written == 1 else {
      throw StoreFault.refused(detail: "a trigger on \(mapping.name) ignored a row that was to come back")
    }
  }

  /// As SQLite's `quote` writes each part.
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

  package func value(ofText text: String, in column: TableColumn) -> SQLValue { .text(text) }

  package func checkPrivileges(of mapping: TableMapping, on table: TableDescription?, isRecorded: Bool) throws
  {}

  package func scan(
    _ sql: String, _ parameters: [SQLValue], _ kinds: [SQLKind], _ body: (SQLFields) throws -> Void
  ) throws {
    try visit(sql, parameters, kinds, body)
  }
}
