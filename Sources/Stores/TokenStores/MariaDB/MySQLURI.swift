import Basics

/// The location of a MariaDB or MySQL database: `mysql://USER:PASSWORD@HOST:PORT/DATABASE?socket=/path`, each part
/// optional, with `%XX` for special characters. Missing parts come from an option file, then libmariadb's defaults.
package struct MySQLURI: Equatable, Sendable {
  package let user: String?, password: String?, host: String?, port: UInt16?, database: String?
  /// The path of a Unix socket.
  package let socket: String?
  /// Nil leaves TLS to the option file.
  package let tls: TLSMode?
  /// The option file and its group, instead of my.cnf and `client`.
  package let defaultsFile: String?
  package let defaultsGroup: String?

  /// As the option `ssl-mode` of MySQL's programs names them. libmariadb has no others.
  package enum TLSMode: String, Sendable {
    case disabled = "DISABLED"
    case required = "REQUIRED"
    case verified = "VERIFY_IDENTITY"
  }
  /// For messages, without the password.
  package let shown: String

  private static let scheme = "mysql"

  /// - Parameter rest: what follows `mysql:` or `mariadb:`; empty means the library's defaults.
  package init(afterScheme rest: String) throws(UsageError) {
    let uri = try ServerURI(Self.scheme, rest)
    user = try Self.decoded(uri.user ?? "", "the user")
    // An empty password is a password: without it, the client would take the one in an option file.
    let secret = uri.credentials.flatMap { text in text.firstIndex(of: ":").map { text[$0...].dropFirst() } }
    password = try secret.map { text throws(UsageError) in try Self.decoded(text, "the password") ?? "" }
    let (name, digits) = try uri.split(uri.hosts)
    host = try Self.decoded(name, "the host")
    port = UInt16(digits)
    guard digits.isEmpty || port ?? 0 > 0 else {
      throw .uri(Self.scheme, "a port is not between 1 and 65535")
    }
    let table = uri.path.dropFirst()
    if table.contains("/") { throw .uri(Self.scheme, "the database's name contains a /") }
    database = try Self.decoded(table, "the database's name")
    let values = try Self.values(of: uri.parameters())
    (socket, defaultsFile, defaultsGroup) = (
      values["socket"], values["defaults-file"], values["defaults-group"]
    )
    tls = values["ssl-mode"].flatMap { TLSMode(rawValue: $0.uppercased()) }
    if tls == nil, values["ssl-mode"] != nil {
      throw .uri(Self.scheme, "its ssl-mode is not DISABLED, REQUIRED or VERIFY_IDENTITY")
    }
    if socket != nil, host != nil { throw .uri(Self.scheme, "it has both a host and a socket") }
    shown = uri.shown(String(uri.query))
  }

  private static let names = ["socket", "ssl-mode", "defaults-file", "defaults-group"]

  /// The values by their names. No message quotes an unknown name or a value: one may be a password.
  private static func values(
    of parameters: [(name: Substring, value: Substring)]
  ) throws(UsageError) -> [String: String] {
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard let name = names.first(where: { $0 == name }) else {
        throw .uri(
          scheme,
          "a parameter after the ? is none of \(names.joined(separator: ", ")) (my.cnf can have others)")
      }
      if values[name] != nil { throw .uri(scheme, "it has two values of \(name)") }
      if value.contains("@") { throw .uri(scheme, "the value of \(name) contains an @") }
      values[name] = try decoded(value, "the value of \(name)")
    }
    return values
  }

  /// `text` without `%XX`; nil if it is empty.
  private static func decoded(_ text: Substring, _ name: String) throws(UsageError) -> String? {
    if text.isEmpty { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for part in parts.dropFirst() {
      guard let byte = Hex.bytes(Substring(part.prefix(2))), byte.count == 1 else {
        throw .uri(scheme, "\(name) contains a % without two hexadecimal digits")
      }
      bytes += byte + part.dropFirst(2)
    }
    // libmariadb takes C strings, which would end there.
    if bytes.contains(0) { throw .uri(scheme, "\(name) contains a zero byte") }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw .uri(scheme, "\(name) is not in UTF-8")
    }
    return decoded
  }
}
