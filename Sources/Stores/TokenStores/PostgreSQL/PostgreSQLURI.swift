import Basics

/// Where a PostgreSQL database is: a URI as libpq reads it, which fills in missing parts (its documentation, "Connection
/// URIs"), and the same as messages show it.
package struct PostgreSQLURI: Equatable, Sendable {
  static let scheme = "postgresql"

  /// For libpq, with any password.
  package let text: String
  /// For messages, without a password.
  package let shown: String

  /// - Parameter rest: what follows `postgresql:` or `postgres:`; empty means libpq's defaults.
  package init(afterScheme rest: String) throws(UsageError) {
    let uri = try ServerURI(Self.scheme, rest)
    if rest.utf8.contains(0) { throw .uri(Self.scheme, "it contains a zero byte") }
    for host in uri.hosts.split(separator: ",") { _ = try uri.split(host) }
    // Names may be written with %XX: such a parameter may be a password, too.
    let shownParameters = try uri.parameters().filter { name, _ in
      !name.lowercased().contains("password") && !name.contains("%")
    }
    text = "\(Self.scheme):\(rest.isEmpty ? "//" : rest)"
    shown = uri.shown(shownParameters.map { "\($0)=\($1)" }.joined(separator: "&"))
  }
}
