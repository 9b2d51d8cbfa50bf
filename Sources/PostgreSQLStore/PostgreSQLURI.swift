import TokenStores

/// Where a PostgreSQL database is: a URI as libpq reads it, and the same as messages may show it.
///
/// What stands in it is left to libpq, which fills in what is missing (its documentation, "Connection URIs"). Only what
/// libpq would take apart in another way than was meant is refused: with a password that holds `/`, `?` or `@` as it
/// stands, a part of it would be a host or a port, and libpq's messages would show it.
package struct PostgreSQLURI: Equatable, Sendable {
  /// For libpq, with any password.
  package let text: String
  /// For people, without.
  package let shown: String

  /// - Parameter rest: what stands after `postgresql:` or `postgres:`; nothing means libpq's defaults.
  package init(afterScheme rest: String) throws(StoreURLError) {
    let rest = rest.isEmpty ? "//" : rest
    guard rest.hasPrefix("//") else { throw .postgreSQL("expected // after the colon") }
    if rest.utf8.contains(0) { throw .postgreSQL("it holds a zero byte") }
    let body = rest.dropFirst(2)
    let end = body.firstIndex { $0 == "/" || $0 == "?" } ?? body.endIndex
    let (user, hosts) = Self.authority(body[..<end])
    try Self.check(hosts)
    let question = body[end...].firstIndex(of: "?") ?? body.endIndex
    if body[end..<question].contains("@") { throw .postgreSQL("the database's name holds an @") }
    let parameters = question == body.endIndex ? "" : body[question...].dropFirst()
    let shownParameters = try Self.withoutPasswords(parameters)
    text = "postgresql:\(rest)"
    shown =
      "postgresql://" + (user.map { "\($0)@" } ?? "") + hosts + body[end..<question]
      + (shownParameters.isEmpty ? "" : "?\(shownParameters)")
  }

  /// The user without the password, and the hosts.
  private static func authority(_ text: Substring) -> (user: Substring?, hosts: Substring) {
    guard let at = text.firstIndex(of: "@") else { return (nil, text) }
    let credentials = text[..<at]
    return (credentials.prefix { $0 != ":" }, text[text.index(after: at)...])
  }

  /// Hosts and ports, separated by commas.
  private static func check(_ hosts: Substring) throws(StoreURLError) {
    for host in hosts.split(separator: ",") {
      let afterBrackets = host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host
      let parts = afterBrackets.split(separator: ":", omittingEmptySubsequences: false)
      let port = parts.count > 1 ? parts[1] : ""
      guard parts.count <= 2, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw .postgreSQL("a port is no number")
      }
      if host.contains("@") { throw .postgreSQL("a host holds an @") }
    }
  }

  /// `a=b&c=d` without what is, or may be, a password: names may be written with `%XX`, too.
  private static func withoutPasswords(_ parameters: Substring) throws(StoreURLError) -> String {
    let shown = parameters.split(separator: "&")
    for parameter in shown where parameter.split(separator: "=", omittingEmptySubsequences: false).count != 2
    {
      throw .postgreSQL("a parameter after the ? is not NAME=VALUE")
    }
    return shown.filter { parameter in
      let name = parameter.prefix { $0 != "=" }.lowercased()
      return !name.contains("password") && !name.contains("%")
    }.joined(separator: "&")
  }
}

extension StoreURLError {
  package static func postgreSQL(_ problem: String) -> StoreURLError {
    StoreURLError(
      "token store: a postgresql:// URI cannot be read: \(problem); expected "
        + "postgresql://USER@HOST:PORT/DATABASE, each part optional, with %XX for special characters, as %40 for @"
    )
  }
}
