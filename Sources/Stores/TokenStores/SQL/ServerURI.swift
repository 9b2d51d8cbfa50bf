import Basics

/// The parts of a database server's URI, `SCHEME://USER:PASSWORD@HOSTS/PATH?NAME=VALUE&…`, with their `%XX` as written.
///
/// A part with a character that has a meaning in a URI is refused: an unencoded `/`, `?` or `@` in a password would turn
/// the rest of it into a host or a database, and messages would show it.
package struct ServerURI {
  private let scheme: String
  /// USER:PASSWORD.
  package let credentials: Substring?
  package let hosts: Substring
  package let path: Substring
  /// What follows the `?`.
  package let query: Substring

  /// - Parameter rest: what follows the scheme's colon; empty means the library's defaults.
  package init(_ scheme: String, _ rest: String) throws(UsageError) {
    self.scheme = scheme
    let rest = rest.isEmpty ? "//" : rest
    guard rest.hasPrefix("//") else { throw .uri(scheme, "expected // after the colon") }
    let body = rest.dropFirst(2)
    let end = body.firstIndex { $0 == "/" || $0 == "?" } ?? body.endIndex
    let authority = body[..<end]
    let at = authority.firstIndex(of: "@")
    credentials = at.map { authority[..<$0] }
    hosts = at.map { authority[$0...].dropFirst() } ?? authority
    let question = body[end...].firstIndex(of: "?") ?? body.endIndex
    path = body[end..<question]
    query = body[question...].dropFirst()
    if hosts.contains("@") { throw .uri(scheme, "a host contains an @") }
    if path.contains("@") { throw .uri(scheme, "the database's name contains an @") }
  }

  /// The user without the password.
  package var user: Substring? { credentials?.prefix { $0 != ":" } }

  package func parameters() throws(UsageError) -> [(name: Substring, value: Substring)] {
    try query.split(separator: "&").map { parameter throws(UsageError) in
      let parts = parameter.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .uri(scheme, "a parameter after the ? is not NAME=VALUE") }
      return (parts[0], parts[1])
    }
  }

  /// The host without brackets, and the digits of the port.
  /// - Parameter text: `HOST:PORT`, or an address of IPv6 in brackets and a port.
  package func split(_ text: Substring) throws(UsageError) -> (host: Substring, port: Substring) {
    let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : nil
    let end = bracket.map(text.index(after:)) ?? text.firstIndex(of: ":") ?? text.endIndex
    let port = text[end...].dropFirst()
    guard end == text.endIndex || text[end] == ":", port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw .uri(scheme, "a port is not a number") }
    return (bracket.map { text[..<$0].dropFirst() } ?? text[..<end], port)
  }

  /// For messages and the journal, without the password.
  package func shown(_ query: String) -> String {
    "\(scheme)://\(user.map { $0 + "@" } ?? "")\(hosts)\(path)\(query.isEmpty ? "" : "?\(query)")"
  }
}

extension UsageError {
  package static func uri(_ scheme: String, _ message: Message) -> UsageError {
    UsageError(
      "token store: a \(scheme):// URI cannot be read: \(message); expected "
        + "\(scheme)://USER@HOST:PORT/DATABASE, each part optional, with %XX for special characters, as "
        + "%40 for @")
  }
}
