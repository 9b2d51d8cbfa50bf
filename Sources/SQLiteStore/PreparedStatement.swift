import GRDB
import GRDBSQLite
import TokenStores

/// A statement that is run once for each row.
///
/// GRDB compiles, owns and finalizes it. Binding and stepping use SQLite's C interface: GRDB's array, string and
/// dictionary for each row would take several times as long as SQLite itself.
struct PreparedStatement {
  private let statement: Statement
  private let database: Database
  private let handle: OpaquePointer

  init(_ database: Database, _ sql: String) throws {
    self.database = database
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  /// Runs it; returns how many rows it inserted, updated or deleted, without those of triggers.
  @discardableResult
  func run() throws -> Int {
    defer { sqlite3_reset(handle) }
    while try step() {}
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  /// Visits its rows. `fields` is a buffer for them.
  func visit(_ fields: UnsafeMutableBufferPointer<SQLField>, _ body: (SQLFields) throws -> Void) throws {
    defer { sqlite3_reset(handle) }
    while try step() {
      for column in fields.indices { fields[column] = field(Int32(column)) }
      try body(SQLFields(fields))
    }
  }

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// Advances to the next row; false after the last one.
  private func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
  }

  // MARK: - Values

  /// `SQLITE_STATIC`, a macro that Swift does not import: the bytes stay valid until the statement is run.
  private static var lent: sqlite3_destructor_type? { nil }

  /// Binds a parameter, numbered from 1, until the statement is run. Parameters that the statement lacks are ignored.
  func bind(_ field: SQLField, at number: Int) {
    let number = Int32(number)
    switch field {
    case .null: sqlite3_bind_null(handle, number)
    case .integer(let value): sqlite3_bind_int64(handle, number, value)
    case .real(let value): sqlite3_bind_double(handle, number, value)
    case .bytes(let bytes):
      // An empty blob has no address and would be bound as NULL.
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        sqlite3_bind_zeroblob(handle, number, 0)
        return
      }
      sqlite3_bind_blob64(handle, number, base, sqlite3_uint64(bytes.count), Self.lent)
    case .text(let bytes):
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        sqlite3_bind_text(handle, number, "", 0, Self.copied)
        return
      }
      sqlite3_bind_text64(
        handle, number, base.assumingMemoryBound(to: CChar.self), sqlite3_uint64(bytes.count), Self.lent,
        UInt8(SQLITE_UTF8))
    }
  }

  /// `SQLITE_TRANSIENT`, a macro, too: SQLite copies the bytes at once.
  private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  func bind(_ row: SQLFields) {
    for index in row.indices { bind(row[index], at: index + 1) }
  }

  /// By the type of the value, not of the column.
  private func field(_ column: Int32) -> SQLField {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_NULL: return .null
    case SQLITE_TEXT:
      // The text first: reading it may convert the value and change its length.
      let text = sqlite3_column_text(handle, column)
      return .text(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))))
    default:
      let base = sqlite3_column_blob(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      return .bytes(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count))
    }
  }
}
