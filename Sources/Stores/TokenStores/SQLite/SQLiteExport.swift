import Basics
import CSQLite
import Reports

/// Exported records as a new database, with a table of each kind (docs/formats.md#sqlite). All is one transaction of a
/// file that has no name yet, so that it needs no journal.
package final class SQLiteExport: RowDatabase {
  /// The final name, for messages.
  private let name: String
  private let connection: SQLiteConnection
  private let manifest: PreparedStatement
  private var indexes: [String] = []

  /// - Parameters:
  ///   - path: an empty file.
  ///   - name: for messages.
  package init(at path: String, named name: String) throws {
    self.name = name
    (connection, manifest) = try Self.reporting(name) {
      let connection = try SQLiteConnection(
        path: StorePath.literal(path), readOnly: false, lockTimeout: .zero)
      try connection.run(
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
        CREATE TABLE manifest (name TEXT PRIMARY KEY, value)
        """)
      return (connection, try PreparedStatement(connection, "INSERT INTO manifest VALUES (?1, ?2)"))
    }
  }

  /// Refuses to replace a store or its journal, and to make a file that SQLite would change as soon as it is opened.
  /// - Throws: `CommandError`, also if the library is missing.
  package static func check(_ path: String) throws {
    try reporting(path) { try sqliteLibrary.check(package: "libsqlite3-0", elsewhere: "sqlite") }
    let target = DirectoryEntry.resolved(path) ?? path
    for other in ["\(target)-wal", "\(target)-journal"] where access(other, F_OK) == 0 {
      throw CommandError(
        "\(other) is of another database, and would change the new one: remove it, or name another file")
    }
    guard DirectoryEntry.kind(of: Array(path.utf8CString), followingLinks: true) == S_IFREG else { return }
    do {
      let connection = try SQLiteConnection(
        path: StorePath.literal(path), readOnly: true, lockTimeout: .seconds(1))
      let tables = ["device_tokens"] + [JournalTable.replays, .outcomes].map(\.rawValue)
      let sql = "SELECT 1 FROM sqlite_master WHERE name IN ('\(tables.joined(separator: "', '"))')"
      try PreparedStatement(connection, sql).visit { _ in
        throw CommandError(
          "\(path) is a store of apnsift or its journal, which export does not replace: name another file")
      }
    } catch let error as DatabaseError {
      // --force replaces other files.
      if error.kind == .other(.notADatabase) { return }
      throw CommandError(
        "\(path) may be a store, which export does not replace: \(error.message); name another file")
    }
  }

  package func makeTable(_ kind: ExportedKind, _ columns: [ColumnEntry]) throws -> any RowTable {
    let table = kind.rawValue
    let definitions = columns.map { "\"\($0.name)\" \($0.isNumber ? "INTEGER" : "TEXT")" }
    let parameters = columns.indices.map { "?\($0 + 1)" }
    indexes += columns.filter(\.isLookedUp).map {
      "CREATE INDEX \(table)_\($0.name) ON \(table) (\($0.name))"
    }
    return try Self.reporting(name) {
      try connection.run("CREATE TABLE \(table) (\(definitions.joined(separator: ", ")))")
      let sql = "INSERT INTO \(table) VALUES (\(parameters.joined(separator: ", ")))"
      return SQLiteRows(try PreparedStatement(connection, sql), name)
    }
  }

  /// Texts and numbers as they are, and all else as JSON.
  package func note(_ facts: [(String, JSONValue)]) throws {
    try Self.reporting(name) {
      for (fact, value) in facts {
        let stored: SQLValue =
          switch value {
          case .null: .null
          case .number(let digits): Int64(digits).map { .integer($0) } ?? .text(digits)
          case .string(let text): .text(text)
          case .bool, .verbatim, .array, .object: .text(value.text)
          }
        try SQLField.withRow(of: [.text(fact), stored]) { row in
          manifest.bind(row)
          _ = try manifest.run()
        }
      }
    }
  }

  package func finish() throws {
    try Self.reporting(name) { try connection.run((indexes + ["COMMIT"]).joined(separator: ";")) }
  }

  fileprivate static func reporting<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw CommandError(.outputNotWritten(name, error.message.text))
    } catch let error as StoreError {
      throw CommandError("\(name) cannot be written: \(error.message); \(error.remedy)")
    }
  }
}

/// The rows of a kind. SQLite makes integers of the digits.
private final class SQLiteRows: RowTable {
  private let statement: PreparedStatement
  private let name: String

  init(_ statement: PreparedStatement, _ name: String) { (self.statement, self.name) = (statement, name) }

  func append(_ row: [RowValue]) throws {
    for (index, value) in row.enumerated() {
      statement.bind(value.isNothing ? .null : .text(value.bytes), at: index + 1)
    }
    try SQLiteExport.reporting(name) { _ = try statement.run() }
  }
}
