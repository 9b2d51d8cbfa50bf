import GRDB
import GRDBSQLite

/// A statement that is run once a token.
///
/// GRDB compiles it, owns it and finalizes it; binding and stepping go through SQLite's C interface, because
/// a row's array, string and dictionary would cost several times what SQLite itself does.
struct PreparedStatement {
  private let statement: Statement
  private let database: Database
  let handle: OpaquePointer

  init(_ database: Database, _ sql: String) throws {
    self.database = database
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  /// Advances to the next row; false behind the last one.
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage)
      reset()
      throw error
    }
  }

  /// Runs a statement that returns no rows, and makes it ready to be bound and run again.
  ///
  /// - Returns: how many rows it inserted or updated, without those that triggers did.
  @discardableResult
  func run() throws -> Int {
    _ = try step()
    let changes = Int(sqlite3_changes(database.sqliteConnection))
    reset()
    return changes
  }

  /// Makes it ready to be bound and run again; what is bound stays.
  func reset() {
    sqlite3_reset(handle)
  }
}

/// Parameters, numbered from 1.
extension PreparedStatement {
  /// Tells SQLite to copy the bytes at once: `SQLITE_TRANSIENT`, which is a macro that Swift does not import.
  private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

  func bind(_ token: RawSpan, at index: Int32) {
    token.withUnsafeBytes { bytes in
      // A blob without an address would be NULL, and a token may be empty.
      guard let base = bytes.baseAddress, !bytes.isEmpty else {
        sqlite3_bind_zeroblob(handle, index, 0)
        return
      }
      sqlite3_bind_blob64(handle, index, base, sqlite3_uint64(bytes.count), Self.copied)
    }
  }

  func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // The address of an empty string may be nil, which would be NULL.
        guard let base = characters.baseAddress, !characters.isEmpty else {
          sqlite3_bind_text(handle, index, "", 0, Self.copied)
          return
        }
        sqlite3_bind_text64(
          handle, index, base, sqlite3_uint64(characters.count), Self.copied, UInt8(SQLITE_UTF8))
      }
    }
  }

  func bind(_ number: Int64?, at index: Int32) {
    if let number {
      sqlite3_bind_int64(handle, index, number)
    } else {
      sqlite3_bind_null(handle, index)
    }
  }
}

/// Columns of the row that `step` reached, numbered from 0.
extension PreparedStatement {
  /// SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL: the value's own type, whatever
  /// the column declares.
  func type(ofColumn column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  func integer(ofColumn column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// Lends the bytes of a blob or a text until the next step or reset.
  func withBytes<Result>(ofColumn column: Int32, _ body: (RawSpan) throws -> Result) rethrows -> Result {
    // The address first: asking for it may convert the value and so change its length.
    let base = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : count).bytes)
  }

  /// The value as text, whatever encoding the database has; nil where that is no UTF-8, since SQLite takes any
  /// bytes for text. A repaired text would be another key than the row's.
  func text(ofColumn column: Int32) -> String? {
    // The text first: asking for it may convert the value and so change its length.
    let base = sqlite3_column_text(handle, column)
    let count = base == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return String(validating: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }
}
