import MySQLStore
import PostgreSQLStore
import SQLiteStore
import TokenStores

/// The store named by `--store` or APNSIFT_STORE (docs/spec/interface.md#stores, replay and store).
package enum StoreURL: Equatable, Sendable {
  /// A file, by a path that is relative to the working directory or absolute, never empty. It is used literally:
  /// nothing is decoded, and a `?` begins no parameters.
  case sqlite(path: String)
  /// A database of a PostgreSQL server.
  case postgreSQL(PostgreSQLURI)
  /// A database of a MariaDB or MySQL server.
  case mySQL(MySQLURI)

  /// Reads `sqlite:PATH`, `postgresql://…`, `postgres://…`, `mysql://…` and `mariadb://…`.
  ///
  /// - Throws: `StoreURLError` for an empty path, a path without `sqlite:`, and stores of other kinds.
  package init(_ text: String) throws(StoreURLError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw .notAURL(text)
    }
    let path = String(text[text.index(after: colon)...])
    switch text[..<colon].lowercased() {
    case "sqlite": self = .sqlite(path: try Self.sqlitePath(path))
    case "postgres", "postgresql": self = .postgreSQL(try PostgreSQLURI(afterScheme: path))
    case "mysql", "mariadb": self = .mySQL(try MySQLURI(afterScheme: path))
    case let scheme where path.hasPrefix("//"): throw .unknownScheme(scheme)
    default: throw .notAURL(text)
    }
  }

  /// `sqlite:///PATH` is an absolute path, as in some other tools. With two slashes they mean a relative path or a
  /// host, so that form is refused.
  private static func sqlitePath(_ path: String) throws(StoreURLError) -> String {
    if path.isEmpty { throw .emptyPath }
    if path.hasPrefix("//"), !path.hasPrefix("///") { throw .twoSlashes(String(path.dropFirst(2))) }
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

  /// The named database; nothing is opened yet.
  package func database(lockTimeout: Duration) throws(StoreURLError) -> any StoreDatabase {
    switch self {
    case .sqlite(let path): SQLiteDatabase(path: path, lockTimeout: lockTimeout)
    case .postgreSQL(let uri): try PostgreSQLDatabase(uri: uri, lockTimeout: lockTimeout)
    case .mySQL(let uri): MySQLDatabase(uri: uri, lockTimeout: lockTimeout)
    }
  }
}

extension StoreURLError {
  package static let emptyPath = StoreURLError(
    "token store 'sqlite:': expected a path after the colon, as in sqlite:tokens.sqlite")

  package static func notAURL(_ text: String) -> StoreURLError {
    StoreURLError(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }

  package static func twoSlashes(_ rest: String) -> StoreURLError {
    StoreURLError(
      "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
        + "for a relative path, sqlite:/\(rest) for an absolute one")
  }

  /// - Parameter scheme: only the scheme, because the rest may have a password.
  package static func unknownScheme(_ scheme: String) -> StoreURLError {
    StoreURLError(
      "token store: expected sqlite:PATH, or a postgresql:// or mysql:// URI, found a URL that begins with \(scheme)://"
    )
  }
}
