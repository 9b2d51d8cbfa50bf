/// A MariaDB server that these tests start for themselves, by scripts/private-mariadb.
package struct PrivateMariaDB: Sendable {
  /// One for all tests of a process; an error if it cannot be started, which fails every test that asks.
  package static let shared = Result { try PrivateMariaDB() }

  private let script: ServerScript

  /// - Parameter options: of mariadbd, as `--name=value`.
  package init(_ options: [String] = []) throws { script = try ServerScript("private-mariadb", options) }

  package var socket: String { script.directory + "/socket" }

  /// Makes a database of a test's own, and returns its name.
  package func makeDatabase(_ options: String = "") throws -> String {
    let name = script.newDatabase()
    try MariaDBSession(self, database: "mysql").run("CREATE DATABASE \(name) \(options)")
    return name
  }

  /// - Parameter user: followed by a colon and a password, if any.
  package func uri(_ database: String, user: String = "root") -> String {
    "mysql://\(user)@/\(database)?socket=\(socket)"
  }
}
