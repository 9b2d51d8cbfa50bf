/// Which store is meant, as `--store` and APNSIFT_STORE say it (interface.md, replay and store).
package enum StoreURL: Equatable, Sendable {
  /// A file, by a path that is relative to the working directory or absolute, never empty. It is taken as it
  /// stands: nothing in it is decoded, and a `?` begins no parameters.
  case sqlite(path: String)
  /// A database of a PostgreSQL server.
  case postgreSQL(PostgreSQLURI)

  /// Reads `sqlite:PATH`, `postgresql://…` and `postgres://…`.
  ///
  /// - Throws: `StoreURLError` for an empty path, a path without `sqlite:`, and stores of other kinds.
  package init(_ text: String) throws(StoreURLError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw .notAURL(text)
    }
    let path = String(text[text.index(after: colon)...])
    switch text[..<colon].lowercased() {
    case "sqlite": self = .sqlite(path: try Self.sqlitePath(path))
    case "postgres", "postgresql": self = .postgreSQL(try PostgreSQLURI(behindScheme: path))
    case let scheme where path.hasPrefix("//"): throw .unknownScheme(scheme)
    default: throw .notAURL(text)
    }
  }

  /// `sqlite:///PATH` is how some other tools write an absolute path, and means the same here. With two
  /// slashes they mean a relative path or a host: neither would be read as intended.
  private static func sqlitePath(_ path: String) throws(StoreURLError) -> String {
    if path.isEmpty { throw .emptyPath }
    if path.hasPrefix("//"), !path.hasPrefix("///") { throw .twoSlashes(String(path.dropFirst(2))) }
    return path
  }

  /// The URL in the form that it is read in, without a password.
  package var text: String {
    switch self {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgreSQL(let uri): uri.shown
    }
  }
}

/// Why a text names no store: wrong usage.
package enum StoreURLError: Error, Equatable, Sendable, CustomStringConvertible {
  case emptyPath
  case notAURL(String)
  case twoSlashes(String)
  /// What is wrong with a URI of PostgreSQL. The URI itself may hold a password.
  case postgreSQL(String)
  /// The scheme alone: what follows it may hold a password.
  case unknownScheme(String)

  /// One line without a full stop at its end: what was expected and found, and what to do.
  package var message: String {
    switch self {
    case .emptyPath: "token store 'sqlite:': expected a path behind the colon, as in sqlite:tokens.sqlite"
    case .notAURL(let text):
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)")
    case .twoSlashes(let rest):
      "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
        + "for a relative path, sqlite:/\(rest) for an absolute one"
    case .postgreSQL(let problem):
      "token store: a postgresql:// URI cannot be read: \(problem); expected "
        + "postgresql://USER@HOST:PORT/DATABASE, each part optional, with %XX for special characters, as %40 for @"
    case .unknownScheme(let scheme):
      "token store: expected sqlite:PATH or a postgresql:// URI, found a URL that begins with \(scheme)://"
    }
  }

  package var description: String { message }
}
