import TokenStores

/// Where a MariaDB or MySQL database is: `mysql://USER:PASSWORD@HOST:PORT/DATABASE?socket=/path`, each part optional, with
/// `%XX` for special characters. What is missing is left to libmariadb: the group `[client]` of my.cnf, then its defaults.
///
/// A part with a character that means something in a URI is refused: with a password that holds `/`, `?` or `@` as it
/// stands, a part of it would be a host or a database, and messages would show it.
package struct MySQLURI: Equatable, Sendable {
  package let user: String?
  package let password: String?
  package let host: String?
  package let port: UInt16?
  package let database: String?
  /// The path of a Unix socket.
  package let socket: String?
  /// For people, without the password.
  package let shown: String

  /// - Parameter rest: what stands after `mysql:` or `mariadb:`; nothing means the library's defaults.
  package init(afterScheme rest: String) throws(StoreURLError) {
    let rest = rest.isEmpty ? "//" : rest
    guard rest.hasPrefix("//") else { throw .mySQL("expected // after the colon") }
    let body = rest.dropFirst(2)
    let end = body.firstIndex { $0 == "/" || $0 == "?" } ?? body.endIndex
    let (credentials, place) = Self.divided(body[..<end])
    (user, password) = try Self.read(credentials)
    (host, port) = try Self.read(place: place)
    let question = body[end...].firstIndex(of: "?") ?? body.endIndex
    database = try Self.read(path: body[end..<question])
    let parameters = question == body.endIndex ? "" : body[question...].dropFirst()
    socket = try Self.read(parameters: parameters)
    if socket != nil, host != nil { throw .mySQL("it has both a host and a socket") }
    let shownUser = credentials.map { $0.prefix { $0 != ":" } + "@" } ?? ""
    shown =
      "mysql://\(shownUser)\(place)\(body[end..<question])" + (parameters.isEmpty ? "" : "?\(parameters)")
  }

  /// What stands before the first `@`, and after it.
  private static func divided(_ text: Substring) -> (credentials: Substring?, place: Substring) {
    guard let at = text.firstIndex(of: "@") else { return (nil, text) }
    return (text[..<at], text[text.index(after: at)...])
  }

  private static func read(
    _ credentials: Substring?
  ) throws(StoreURLError) -> (user: String?, password: String?) {
    guard let credentials else { return (nil, nil) }
    let user = try decoded(credentials.prefix { $0 != ":" }, "the user")
    guard let colon = credentials.firstIndex(of: ":") else { return (user, nil) }
    // An empty password is a password: without it, the client would take the one in an option file.
    let password = try decoded(credentials[credentials.index(after: colon)...], "the password")
    return (user, password ?? "")
  }

  /// A host, or an address of IPv6 in brackets, and a port.
  private static func read(place: Substring) throws(StoreURLError) -> (host: String?, port: UInt16?) {
    if place.contains("@") { throw .mySQL("a host holds an @") }
    var name = place
    var rest: Substring = ""
    if place.hasPrefix("["), let bracket = place.firstIndex(of: "]") {
      name = place[..<bracket].dropFirst()
      rest = place[bracket...].dropFirst()
    } else if let colon = place.firstIndex(of: ":") {
      name = place[..<colon]
      rest = place[colon...]
    }
    let host = try decoded(name, "the host")
    if rest.isEmpty { return (host, nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .mySQL("a port is no number")
    }
    if digits.isEmpty { return (host, nil) }
    guard let port = UInt16(digits), port > 0 else { throw .mySQL("a port is not between 1 and 65535") }
    return (host, port)
  }

  private static func read(path: Substring) throws(StoreURLError) -> String? {
    let name = path.dropFirst()
    if name.contains("@") { throw .mySQL("the database's name holds an @") }
    if name.contains("/") { throw .mySQL("the database's name holds a /") }
    return try decoded(name, "the database's name")
  }

  /// The socket, which is the only parameter. No message has what stands there: it may be a password.
  private static func read(parameters: Substring) throws(StoreURLError) -> String? {
    var socket: String?
    for parameter in parameters.split(separator: "&") {
      let parts = parameter.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .mySQL("a parameter after the ? is not NAME=VALUE") }
      guard parts[0] == "socket" else {
        throw .mySQL("after the ? is another parameter than socket (my.cnf can hold other options)")
      }
      if socket != nil { throw .mySQL("it has two sockets") }
      if parts[1].contains("@") { throw .mySQL("the socket's path holds an @") }
      socket = try decoded(parts[1], "the socket's path")
    }
    return socket
  }

  /// `text` without `%XX`; nil where it is empty.
  private static func decoded(_ text: Substring, _ part: String) throws(StoreURLError) -> String? {
    if text.isEmpty { return nil }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
      else {
        throw .mySQL("\(part) holds a % without two hexadecimal digits")
      }
      bytes.append(high << 4 | low)
    }
    // libmariadb takes texts of C, which would end there.
    if bytes.contains(0) { throw .mySQL("\(part) holds a zero byte") }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw .mySQL("\(part) is not in UTF-8")
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.flatMap(UInt8.init(exactly:))
  }
}

extension StoreURLError {
  package static func mySQL(_ problem: String) -> StoreURLError {
    StoreURLError(
      "token store: a mysql:// URI cannot be read: \(problem); expected "
        + "mysql://USER@HOST:PORT/DATABASE, each part optional, with %XX for special characters, as %40 for @"
    )
  }
}
