import Basics

/// The store named by `--store` or APNSIFT_STORE (docs/spec/interface.md#stores, replay and store).
package enum StoreURL: Equatable, Sendable {
  /// A file, by a path that is relative to the working directory or absolute, never empty. It is used literally:
  /// nothing is decoded, and a `?` begins no parameters.
  case sqlite(path: String)
  case postgreSQL(PostgreSQLURI), mySQL(MySQLURI)

  /// Reads `sqlite:PATH`, `postgresql://…`, `postgres://…`, `mysql://…` and `mariadb://…`.
  ///
  /// - Throws: `UsageError` for an empty path, a path without `sqlite:`, and stores of other kinds.
  package init(_ text: String) throws(UsageError) {
    guard let colon = text.firstIndex(of: ":") else { throw Self.unknown(text) }
    let path = String(text[text.index(after: colon)...])
    switch text[..<colon].lowercased() {
    case "sqlite": self = .sqlite(path: try Self.sqlitePath(path))
    case "postgres", "postgresql": self = .postgreSQL(try PostgreSQLURI(afterScheme: path))
    case "mysql", "mariadb": self = .mySQL(try MySQLURI(afterScheme: path))
    // Only the scheme: the rest may have a password.
    case let scheme where path.hasPrefix("//"):
      throw UsageError(
        "token store: expected sqlite:PATH, or a postgresql:// or mysql:// URI, found a URL that begins "
          + "with \(scheme)://")
    default: throw Self.unknown(text)
    }
  }

  private static func unknown(_ text: String) -> UsageError {
    UsageError(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }

  /// `sqlite:///PATH` is an absolute path, as in some other tools. With two slashes they mean a relative path or a
  /// host, so that form is refused.
  private static func sqlitePath(_ path: String) throws(UsageError) -> String {
    if path.isEmpty {
      throw UsageError("token store 'sqlite:': expected a path after the colon, as in sqlite:tokens.sqlite")
    }
    if path.hasPrefix("//"), !path.hasPrefix("///") {
      let rest = path.dropFirst(2)
      throw UsageError(
        "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
          + "for a relative path, sqlite:/\(rest) for an absolute one")
    }
    return path
  }

  /// The URL without a password.
  package var text: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgreSQL(let uri): uri.shown
    case .mySQL(let uri): uri.shown
    }
  }
}
