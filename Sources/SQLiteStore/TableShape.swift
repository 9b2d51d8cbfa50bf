import GRDB
import TokenStores

/// The table `device_tokens`: how it is made, and whether one that was found will do (docs/stores.md).
enum TableShape {
  /// `APNs` in ASCII: the `application_id` of database files that apnsift made.
  static let applicationID = 0x4150_4E73
  /// The `user_version` of such files, raised whenever an older apnsift could misread a newer store.
  static let version = 1

  private static let definition = """
    CREATE TABLE device_tokens (
      app TEXT NOT NULL,
      environment TEXT NOT NULL CHECK (environment IN ('production', 'sandbox')),
      token BLOB NOT NULL CHECK (typeof(token) = 'blob'),
      registered_at INTEGER CHECK (registered_at IS NULL OR typeof(registered_at) = 'integer'),
      invalidated_at INTEGER CHECK (invalidated_at IS NULL OR typeof(invalidated_at) = 'integer'),
      PRIMARY KEY (app, environment, token)
    ) WITHOUT ROWID
    """

  /// Adds the table. A database that nobody has written to yet becomes apnsift's own; the marks of any other
  /// are left alone. All of it takes part in the transaction.
  static func create(in database: Database) throws {
    let marks = ["schema_version", "application_id", "user_version"]
    let isBlank = try marks.allSatisfy { try integer(ofPragma: $0, in: database) == 0 }
    try database.execute(sql: definition)
    if isBlank {
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      try database.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// Whether the database has the table.
  ///
  /// - Throws: `StoreFault.newerVersion`, and `.wrongShape` for a table that cannot serve.
  static func isPresent(in database: Database) throws -> Bool {
    let found = try integer(ofPragma: "user_version", in: database)
    if try integer(ofPragma: "application_id", in: database) == applicationID, found > version {
      throw StoreFault.newerVersion(found: found, supported: version)
    }
    let kind = try String.fetchOne(
      database,
      sql: """
        SELECT type FROM sqlite_master
        WHERE name = 'device_tokens' COLLATE NOCASE AND type IN ('table', 'view')
        """)
    guard let kind else { return false }
    guard kind == "table" else {
      throw StoreFault.wrongShape(subject: "the name", expected: "a table", found: "a \(kind)")
    }
    let rows = try Row.fetchAll(database, sql: "SELECT * FROM pragma_table_xinfo('device_tokens')")
    let columns = rows.map(Column.init)
    try checkColumns(columns)
    try checkKey(columns)
    try checkCollations(in: database)
    return true
  }

  private static func integer(ofPragma pragma: String, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
  }
}

/// A column as `PRAGMA table_xinfo` tells of it.
private struct Column {
  var name: String
  var affinity: Affinity
  var isNotNull: Bool
  var hasDefault: Bool
  /// Its place in the primary key, from 1; 0 outside of it.
  var keyPosition: Int
  var isGenerated: Bool

  init(_ row: Row) {
    // Names of columns know no case in SQLite.
    name = (row["name"] as String? ?? "").lowercased()
    affinity = Affinity(declaredType: row["type"] ?? "")
    isNotNull = row["notnull"] ?? false
    hasDefault = (row["dflt_value"] as DatabaseValue?).map { !$0.isNull } ?? false
    keyPosition = row["pk"] ?? 0
    isGenerated = (row["hidden"] as Int? ?? 0) > 0
  }
}

extension TableShape {
  private static let times = ["registered_at", "invalidated_at"]
  private static let expected: [(name: String, affinity: Affinity)] = [
    ("app", .text), ("environment", .text), ("token", .blob),
    ("registered_at", .integer), ("invalidated_at", .integer),
  ]

  private static func checkColumns(_ columns: [Column]) throws {
    var unseen = Dictionary(columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, affinity) in expected {
      try checkExpected(unseen.removeValue(forKey: name), name, affinity)
    }
    for column in unseen.values.sorted(by: { $0.name < $1.name }) {
      try checkExtra(column)
    }
  }

  private static func checkExpected(_ column: Column?, _ name: String, _ affinity: Affinity) throws {
    func fault(_ expected: String, _ found: String) -> StoreFault {
      .wrongShape(subject: "column \(name)", expected: expected, found: found)
    }
    guard let column else { throw fault("a column of type \(affinity.rawValue)", "none") }
    guard column.affinity == affinity else {
      throw fault("type \(affinity.rawValue)", "type \(column.affinity.rawValue)")
    }
    if column.isGenerated { throw fault("an ordinary column", "a generated one") }
    if times.contains(name), column.isNotNull { throw fault("a column that may be null", "NOT NULL") }
  }

  /// Columns of others are fine as long as a row can be written without them.
  private static func checkExtra(_ column: Column) throws {
    if column.isNotNull, !column.hasDefault, !column.isGenerated, column.keyPosition == 0 {
      throw StoreFault.wrongShape(
        subject: "column \(column.name), which apnsift does not know",
        expected: "one that may be null or has a default", found: "NOT NULL without a default")
    }
  }

  /// The key must tell apart exactly what the rule tells apart (interface.md, Rule); the order of its columns
  /// is free.
  private static func checkKey(_ columns: [Column]) throws {
    let key = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
    guard key.sorted() == ["app", "environment", "token"] else {
      throw StoreFault.wrongShape(
        subject: "the primary key", expected: "app, environment, token",
        found: key.isEmpty ? "none" : key.joined(separator: ", "))
    }
  }

  /// Under another collation, apps whose names differ in case could be one.
  private static func checkCollations(in database: Database) throws {
    let folded = try Row.fetchOne(
      database,
      sql: """
        SELECT lower(part.name) AS name, part.coll
        FROM pragma_index_list('device_tokens') AS list, pragma_index_xinfo(list.name) AS part
        WHERE list.origin = 'pk' AND part.key = 1 AND upper(part.coll) <> 'BINARY'
        """)
    guard let folded else { return }
    throw StoreFault.wrongShape(
      subject: "column \(folded["name"] ?? "")", expected: "collation BINARY",
      found: "collation \(folded["coll"] ?? "")")
  }
}

/// What SQLite makes of a column's declared type (its documentation, "Determination Of Column Affinity").
enum Affinity: String {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// The tests are SQLite's, in its order.
  init(declaredType: String) {
    let type = declaredType.uppercased()
    func names(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    if names("INT") {
      self = .integer
    } else if names("CHAR", "CLOB", "TEXT") {
      self = .text
    } else if type.isEmpty || names("BLOB") {
      self = .blob
    } else if names("REAL", "FLOA", "DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }
}
