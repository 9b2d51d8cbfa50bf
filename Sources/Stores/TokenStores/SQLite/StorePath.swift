import Basics

/// Checks a path before SQLite opens it, because SQLite reports most problems as "unable to open database file".
enum StorePath {
  /// Whether a database file exists (possibly empty).
  ///
  /// - Throws: `StoreError.cannotOpen` for a directory, a device, or a file that cannot be read.
  static func isPresent(_ path: String) throws -> Bool {
    guard let kind = DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: true) else {
      if errno == ENOENT { return false }
      throw lastError
    }
    switch kind {
    case S_IFREG: break
    case S_IFDIR: throw StoreError.cannotOpen("it is a directory, not a database file")
    default: throw StoreError.cannotOpen("it is not a regular file")
    }
    guard access(path, R_OK) == 0 else { throw lastError }
    return true
  }

  private static var lastError: StoreError { .cannotOpen(.verbatim(SystemError.text())) }

  /// Checks that a file can be created at `path`.
  /// - Throws: `StoreError.cannotOpen`.
  static func checkDirectory(of path: String) throws {
    let directory = directory(of: path)
    guard access(directory, W_OK | X_OK) == 0 else {
      throw StoreError.cannotOpen("directory \(directory): \(SystemError.text())")
    }
  }

  /// Creates an empty file, which is an empty database. Only the user may read it, because tokens are personal data,
  /// and SQLite gives its journals the same permissions.
  ///
  /// - Throws: `StoreError.cannotOpen`.
  static func create(_ path: String) throws {
    try checkDirectory(of: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw lastError }
    _ = close(descriptor)
  }

  /// Removes a new file into which nothing was committed.
  static func removeIfEmpty(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0 { _ = unlink(path) }
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// `path` from the root, also of a file that does not exist yet.
  static func absolute(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return DirectoryEntry.resolved(path)
      ?? DirectoryEntry.resolved(directory(of: path)).map { "\($0 == "/" ? "" : $0)/\(name)" } ?? path
  }

  /// `path` in a form that SQLite does not take for `:memory:` or a `file:` URI.
  static func literal(_ path: String) -> String { path.hasPrefix("/") ? path : "./\(path)" }
}
