import Basics
import CSQLite

let sqliteLibrary = SharedLibrary(
  Libsqlite(), libsqlite_find, linux: ["libsqlite3.so.0"], macOS: ["libsqlite3.dylib"])

/// The functions of SQLite, which is loaded when a SQLite store is used. All are nil if it is missing.
/// Unsafe, as Swift knows nothing of functions with `...`: all are constants.
nonisolated(unsafe) let sqlite = sqliteLibrary.functions ?? Libsqlite()

/// A connection to a database file. Its last owner closes it.
final class SQLiteConnection {
  /// SQLite's page cache in bytes. A replay touches each page once, because tokens are sorted; the cache keeps a large
  /// transaction from writing its journal in many small, synchronised parts.
  private static let pageCacheBytes = 32 << 20

  let handle: OpaquePointer?

  /// Opens an existing file, and reads it: SQLite opens any file, and finds out later that it is no database.
  init(path: String, readOnly: Bool, lockTimeout: Duration) throws {
    var handle: OpaquePointer?
    let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite.sqlite3_open_v2(
      path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    self.handle = handle
    try check(code)
    _ = sqlite.sqlite3_busy_timeout(handle, Int32(min(lockTimeout / .milliseconds(1), Double(Int32.max))))
    libsqlite_refuse_quoted_texts(sqlite, handle)
    try run(
      """
      PRAGMA foreign_keys = ON; PRAGMA cache_size = -\(Self.pageCacheBytes >> 10);
      SELECT 1 FROM sqlite_master LIMIT 1
      """)
  }

  deinit { _ = sqlite.sqlite3_close_v2(handle) }

  func check(_ code: Int32) throws { if code != SQLITE_OK { throw error(code) } }
  func error(_ code: Int32) -> DatabaseError {
    let text = sqlite.sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
    // SQLite has one text for all failures of the file system, and no number of the system where there is no space.
    let number = sqlite.sqlite3_system_errno(handle)
    let message =
      switch code & 0xff {
      case SQLITE_FULL: SystemError.text(ENOSPC)
      case SQLITE_IOERR where number != 0: "\(text): \(SystemError.text(number))"
      default: text
      }
    return DatabaseError(sqlite: code, .verbatim(message))
  }

  /// Runs statements, and ignores their rows.
  func run(_ script: String) throws { try check(sqlite.sqlite3_exec(handle, script, nil, nil, nil)) }

  /// Commits what `body` did, or nothing of it if it throws.
  func transaction<Result>(immediate: Bool, _ body: () throws -> Result) throws -> Result {
    try run(immediate ? "BEGIN IMMEDIATE" : "BEGIN")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Fails after errors that have rolled back already.
      try? run("ROLLBACK")
      throw error
    }
  }
}
