import Foundation
import TestSupport
import Testing

/// A row of `device_tokens` as the sqlite3 tool shows it.
package struct StoredToken: Hashable, CustomStringConvertible {
  package var token: [UInt8]
  package var registeredAt: Int64?
  package var invalidatedAt: Int64?

  package init(token: [UInt8], registeredAt: Int64? = nil, invalidatedAt: Int64? = nil) {
    (self.token, self.registeredAt, self.invalidatedAt) = (token, registeredAt, invalidatedAt)
  }

  package var description: String {
    "\(hex(token).prefix(8)): \(registeredAt.map(String.init) ?? "-") \(invalidatedAt.map(String.init) ?? "-")"
  }
}

/// Stores as SQLite's own tool sees and makes them.
extension TestDirectory {
  /// What `sql` prints in the tool's list mode.
  @discardableResult
  package func sqlite(_ store: String, _ sql: String) throws -> String {
    let bytes = try tool("sqlite3", ["-batch", "-bail", store], input: .bytes(Array(sql.utf8)))
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Makes a store with a table of the shape that docs/stores.md asks for, but not the one apnsift makes.
  package func makeStore(
    _ rows: [StoredToken] = [], in store: String = "tokens.sqlite", app: String = "",
    environment: String = "production"
  ) throws {
    let values = rows.map { row in
      "('\(app)', '\(environment)', x'\(hex(row.token))', \(row.registeredAt.map(String.init) ?? "NULL"), "
        + "\(row.invalidatedAt.map(String.init) ?? "NULL"))"
    }
    try sqlite(
      store,
      """
      CREATE TABLE IF NOT EXISTS device_tokens (
        environment VARCHAR(10) NOT NULL, app VARCHAR(200) NOT NULL, token BLOB NOT NULL,
        invalidated_at BIGINT, registered_at BIGINT, note TEXT, PRIMARY KEY (environment, app, token));
      BEGIN;
      \(values.map { "INSERT INTO device_tokens (app, environment, token, registered_at, invalidated_at) VALUES \($0);" }.joined(separator: "\n"))
      COMMIT;
      """)
  }

  /// The rows of one owner, in the order of their tokens.
  package func storedTokens(
    _ store: String = "tokens.sqlite", app: String = "", environment: String = "production"
  ) throws -> [StoredToken] {
    let text = try sqlite(
      store,
      """
      .separator ,
      SELECT hex(token), registered_at, invalidated_at FROM device_tokens
      WHERE app = '\(app)' AND environment = '\(environment)' ORDER BY token;
      """)
    return text.split(separator: "\n").map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return StoredToken(
        token: TestHex.bytes(fields[0]), registeredAt: Int64(fields[1]), invalidatedAt: Int64(fields[2]))
    }
  }
}
