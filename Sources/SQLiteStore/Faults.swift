import GRDB
import Platform
import TokenStores

extension StoreFault {
  /// What an error of SQLite means to the user of a store.
  ///
  /// - Parameter waited: how long SQLite waits for the locks of others.
  package init(_ error: DatabaseError, waited: Duration) {
    let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(waited: waited)
    case .SQLITE_NOTADB: self = .notADatabase
    case .SQLITE_CORRUPT: self = .damaged(detail: detail)
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(detail: detail)
    case .SQLITE_FULL: self = .full(detail: detail)
    case .SQLITE_CANTOPEN, .SQLITE_AUTH: self = .cannotOpen(reason: detail)
    case .SQLITE_CONSTRAINT: self = .refused(detail: detail)
    default: self = .failed(detail: "\(detail), SQLite error \(error.extendedResultCode.rawValue)")
    }
  }
}

/// A path as the operating system sees it, asked before SQLite is: SQLite answers "unable to open database
/// file" to most of what can be wrong with one.
enum StorePath {
  /// Whether a database file is there (possibly empty).
  ///
  /// - Throws: `StoreFault.cannotOpen` for what can be no store: a directory, a device, a file that cannot
  ///   be read or looked at.
  static func isPresent(_ path: String) throws -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT { return false }
      throw StoreFault.cannotOpen(reason: String(cString: strerror(code)))
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw StoreFault.cannotOpen(reason: "it is a directory, not a database file")
    default: throw StoreFault.cannotOpen(reason: "it is not a regular file")
    }
    guard access(path, R_OK) == 0 else {
      throw StoreFault.cannotOpen(reason: String(cString: strerror(errno)))
    }
    return true
  }

  /// Checks that a file can be made at `path`, where none is.
  ///
  /// - Throws: `StoreFault.cannotOpen`.
  static func checkDirectory(of path: String) throws {
    let directory = directory(of: path)
    guard access(directory, W_OK | X_OK) == 0 else {
      throw StoreFault.cannotOpen(reason: "directory \(directory): \(String(cString: strerror(errno)))")
    }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` in a form that SQLite takes for a path whatever it begins with: `:memory:` and `file:` would
  /// otherwise name something else.
  static func literal(_ path: String) -> String {
    path.hasPrefix("/") ? path : "./\(path)"
  }
}
