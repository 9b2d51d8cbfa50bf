import CSQLite

/// A statement that is run once for each row.
final class PreparedStatement {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer?
  private let row: RowBuffer
  var columnCount: Int { row.row.count }

  init(_ connection: SQLiteConnection, _ sql: String) throws {
    var handle: OpaquePointer?
    let code = sqlite.sqlite3_prepare_v2(connection.handle, sql, -1, &handle, nil)
    (self.connection, self.handle) = (connection, handle)
    row = RowBuffer(count: Int(sqlite.sqlite3_column_count(handle)))
    try connection.check(code)
  }

  deinit { _ = sqlite.sqlite3_finalize(handle) }

  /// Runs it; returns how many rows it inserted, updated or deleted, without those of triggers.
  @discardableResult
  func run() throws -> Int {
    defer { _ = sqlite.sqlite3_reset(handle) }
    while try step() {}
    return Int(sqlite.sqlite3_changes(connection.handle))
  }

  func visit(_ body: RowVisitor) throws {
    defer { _ = sqlite.sqlite3_reset(handle) }
    while try step() {
      for column in row.row.indices { row.set(column, field(Int32(column))) }
      try body(row.row)
    }
  }

  /// Advances to the next row; false after the last one.
  private func step() throws -> Bool {
    let code = sqlite.sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw connection.error(code)
  }

  /// Binds a parameter, numbered from 1: texts and bytes must stay valid until the statement is run. Parameters that
  /// the statement lacks are ignored.
  func bind(_ field: SQLField, at number: Int) {
    let number = Int32(number)
    switch field {
    case .null: _ = sqlite.sqlite3_bind_null(handle, number)
    case .integer(let value): _ = sqlite.sqlite3_bind_int64(handle, number, value)
    case .real(let value): _ = sqlite.sqlite3_bind_double(handle, number, value)
    case .bytes(let bytes):
      _ = sqlite.sqlite3_bind_blob64(
        handle, number, bytes.baseAddress ?? Self.empty, sqlite3_uint64(bytes.count), nil)
    case .text(let bytes):
      _ = sqlite.sqlite3_bind_text64(
        handle, number, (bytes.baseAddress ?? Self.empty).assumingMemoryBound(to: CChar.self),
        sqlite3_uint64(bytes.count), nil, UInt8(SQLITE_UTF8))
    }
  }

  /// A value without an address would be bound as NULL.
  private static var empty: UnsafeRawPointer { UnsafeRawPointer(("" as StaticString).utf8Start) }

  func bind(_ row: SQLFields) { for index in row.indices { bind(row[index], at: index + 1) } }

  /// By the type of the value, not of the column.
  private func field(_ column: Int32) -> SQLField {
    switch sqlite.sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(sqlite.sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: .real(sqlite.sqlite3_column_double(handle, column))
    case SQLITE_NULL: .null
    // The text first: reading it may convert the value and change its length.
    case SQLITE_TEXT: .text(bytes(at: sqlite.sqlite3_column_text(handle, column), column))
    default: .bytes(bytes(at: sqlite.sqlite3_column_blob(handle, column), column))
    }
  }

  private func bytes(at base: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
    let count = Int(sqlite.sqlite3_column_bytes(handle, column))
    return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count)
  }
}
