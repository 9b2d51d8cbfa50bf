/// A PostgreSQL server that these tests start for themselves, by scripts/private-postgres.
package struct PrivatePostgreSQL: Sendable {
  /// One for all tests of a process; an error if it cannot be started, which fails every test that asks.
  package static let shared = Result { try PrivatePostgreSQL() }

  private let script: ServerScript

  private init() throws {
    // Commits wait for no standby, unless a test asks for it: then for one that does not exist.
    script = try ServerScript(
      "private-postgres",
      ["synchronous_commit=local", "synchronous_standby_names=none_such", "shared_buffers=64MB"])
  }

  /// The directory of its socket.
  package var directory: String { script.directory }

  /// Makes a database of a test's own, and returns its name.
  package func makeDatabase(_ options: String = "") throws -> String {
    let name = script.newDatabase()
    try PostgreSQLSession(self, database: "postgres").run("CREATE DATABASE \(name) \(options)")
    return name
  }

  /// - Parameter user: followed by a colon and a password, if any.
  package func uri(_ database: String, user: String = "postgres", options: String = "") -> String {
    "postgresql://\(user)@/\(database)?host=\(directory)" + (options.isEmpty ? "" : "&\(options)")
  }
}
