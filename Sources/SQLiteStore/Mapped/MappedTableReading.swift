import GRDB
import TokenStores

/// A column of a table of others, as `PRAGMA table_xinfo` tells of it.
struct MappedColumn {
  var name: String
  var affinity: Affinity
  var isNotNull: Bool
  /// Its place in the primary key, from 1; 0 outside of it.
  var keyPosition: Int
  var isGenerated: Bool
}

/// What a database says of a table of others, held against the mapping.
struct MappedTableReading {
  let database: Database
  let mapping: TableMapping
  let columns: [MappedColumn]
  private let name: String

  init(_ database: Database, _ mapping: TableMapping) throws {
    self.database = database
    self.mapping = mapping
    name = SQLWords.quoted(mapping.table)
    if let schema = mapping.schema, schema.lowercased() != "main" {
      throw StoreFault.misfit(
        table: mapping.name, subject: "the schema", expected: "none, or main", found: schema)
    }
    let kind = try String.fetchOne(
      database,
      sql: "SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
      arguments: [mapping.table])
    guard kind == "table" else {
      throw StoreFault.misfit(
        table: mapping.name, subject: "its name", expected: "a table", found: kind.map { "a \($0)" } ?? "none"
      )
    }
    columns = try Row.fetchAll(
      database, sql: "SELECT * FROM pragma_table_xinfo(?) ORDER BY cid", arguments: [mapping.table]
    ).map { row in
      MappedColumn(
        name: row["name"] ?? "", affinity: Affinity(declaredType: row["type"] ?? ""),
        isNotNull: row["notnull"] ?? false, keyPosition: row["pk"] ?? 0,
        isGenerated: (row["hidden"] as Int? ?? 0) > 0)
    }
  }

  private func misfit(_ column: String, _ expected: String, _ found: String) -> StoreFault {
    .misfit(table: mapping.name, subject: "column \(column)", expected: expected, found: found)
  }

  /// Names of columns know no case in SQLite.
  private func column(_ name: String) throws -> MappedColumn {
    guard let column = columns.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw misfit(name, "a column of that name", "only \(columns.map(\.name).joined(separator: ", "))")
    }
    return column
  }

  // MARK: - Fit

  /// - Throws: `StoreFault.misfit`.
  func check() throws {
    let token = try column(mapping.token.name)
    if [.integer, .real, .numeric].contains(token.affinity) {
      // SQLite would make a number of a token of digits.
      throw misfit(token.name, "type TEXT or BLOB", "type \(token.affinity.rawValue)")
    }
    if let app = mapping.app { _ = try column(app) }
    if let environment = mapping.environment { _ = try column(environment.name) }
    if let registered = mapping.registered { try check(registered, isWritten: true) }
    switch mapping.action {
    case .mark(let time):
      try check(time, isWritten: true)
      if try column(time.name).isNotNull { throw misfit(time.name, "a column that may be null", "NOT NULL") }
    case .flag(let name, let dead, let alive):
      if try column(name).isGenerated { throw misfit(name, "an ordinary column", "a generated one") }
      for value in [dead, alive].compactMap({ $0 }) { try check(value, of: column(name)) }
    case .delete: try checkReferences()
    }
  }

  private func check(_ time: TimeColumn, isWritten: Bool) throws {
    let column = try column(time.name)
    if time.form == .timestamptz {
      throw misfit(
        time.name, "seconds, milliseconds, iso or timestamp, as SQLite has no timestamptz", "timestamptz")
    }
    if column.isGenerated { throw misfit(time.name, "an ordinary column", "a generated one") }
  }

  /// In a STRICT table a column takes values of its type alone.
  private func check(_ value: String, of column: MappedColumn) throws {
    let isStrict =
      try Bool.fetchOne(
        database, sql: "SELECT strict FROM pragma_table_list(?) WHERE schema = 'main'",
        arguments: [mapping.table])
      ?? false
    guard isStrict else { return }
    let fits =
      switch column.affinity {
      case .integer, .real: Int64(Self.stored(value, column.affinity)) != nil
      case .blob: false
      // ANY is numeric.
      case .text, .numeric: true
      }
    if !fits {
      throw misfit(
        column.name, "a column that can hold '\(value)'", "type \(column.affinity.rawValue) of a STRICT table"
      )
    }
  }

  /// Rows of other tables must not go, or change, with a row that is removed.
  private func checkReferences() throws {
    let reference = try Row.fetchOne(
      database,
      sql: """
        SELECT other.name AS other, reference."from" AS name, reference.on_delete AS action
        FROM sqlite_master AS other, pragma_foreign_key_list(other.name) AS reference
        WHERE other.type = 'table' AND reference."table" = ? COLLATE NOCASE
          AND reference.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT')
        """, arguments: [mapping.table])
    guard let reference else { return }
    throw StoreFault.misfit(
      table: mapping.name, subject: "action delete",
      expected: "no rows of other tables that go or change with a row",
      found: "column \(reference["name"] as String) of \(reference["other"] as String) with ON DELETE "
        + (reference["action"] as String))
  }

  // MARK: - Expressions

  func table() throws -> MappedTable {
    let place = try place()
    return try MappedTable(
      name: name, place: place.expression, placeType: place.type, placeLasts: place.type == "INTEGER",
      key: key, token: token(),
      app: mapping.app.map(owner), environment: mapping.environment.map { try owner($0.name) },
      registered: mapping.registered.map { try time($0, .registered) }, death: death())
  }

  private func reference(_ column: MappedColumn) -> String { "t.\(SQLWords.quoted(column.name))" }

  /// The row's number, under a name that no column takes; a table without numbers has a primary key.
  private func place() throws -> (expression: String, type: String) {
    let hasNumbers =
      try Bool.fetchOne(
        database, sql: "SELECT NOT wr FROM pragma_table_list(?) WHERE schema = 'main'",
        arguments: [mapping.table]) ?? true
    let taken = Set(columns.map { $0.name.lowercased() })
    if hasNumbers, let free = ["rowid", "_rowid_", "oid"].first(where: { !taken.contains($0) }) {
      return ("t.\(free)", "INTEGER")
    }
    guard let key else { throw misfit("rowid", "a primary key, or a row number under some name", "neither") }
    return (key, "TEXT")
  }

  private var key: String? {
    let parts = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
    if parts.isEmpty { return nil }
    let text = parts.map { "quote(\(reference($0)))" }.joined(separator: " || ',' || ")
    // A primary key may be null, but for row numbers and WITHOUT ROWID.
    return
      "CASE WHEN \(parts.map { "\(reference($0)) IS NOT NULL" }.joined(separator: " AND ")) THEN \(text) END"
  }

  private func token() throws -> MappedToken {
    let column = try column(mapping.token.name)
    let value = reference(column)
    let isBytes = mapping.token.form == .bytes
    return MappedToken(
      column: SQLWords.quoted(column.name),
      bytes: isBytes
        ? "CASE WHEN typeof(\(value)) = 'blob' THEN \(value) END" : "\(MappedFunctions.token)(\(value))",
      shown: "CASE WHEN typeof(\(value)) = 'blob' THEN hex(\(value)) ELSE CAST(\(value) AS TEXT) END",
      lookup: try lookup(column)
    ) { isBytes ? $0 : "\(MappedFunctions.tokenText)(\($0))" }
  }

  /// A whole index that begins with the column serves, where SQLite itself can write the usual spelling of a token.
  private func lookup(_ column: MappedColumn) throws -> TokenLookup? {
    let value = reference(column)
    let isOther = "\(MappedFunctions.isOtherSpelling)(\(value))"
    let lookup: TokenLookup? =
      switch mapping.token.form {
      case .bytes: TokenLookup(value: value, isOther: nil) { $0 }
      case .hex: TokenLookup(value: value, isOther: isOther) { "lower(hex(\($0)))" }
      case .upperHex: TokenLookup(value: value, isOther: isOther) { "hex(\($0))" }
      case .spacedHex, .bracketedHex, .base64: nil
      }
    let isIndexed =
      try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS part
            WHERE part.seqno = 0 AND part.name = ? AND NOT list.partial)
          """, arguments: [mapping.table, column.name]) ?? false
    return isIndexed ? lookup : nil
  }

  /// Under another collation, apps whose names differ in case could be one.
  private func text(_ column: MappedColumn) -> String { "CAST(\(reference(column)) AS TEXT) COLLATE BINARY" }

  private func owner(_ name: String) throws -> MappedOwner {
    let column = try column(name)
    return MappedOwner(column: SQLWords.quoted(column.name), text: text(column)) { $0 }
  }

  private func time(_ time: TimeColumn, _ use: MappedFunctions.TimeColumnUse) throws -> MappedTime {
    let column = try column(time.name)
    let value = reference(column)
    let seconds = "\(MappedFunctions.seconds(use))(\(value))"
    return MappedTime(
      column: SQLWords.quoted(column.name), value: value, seconds: seconds,
      isForeign: "\(value) IS NOT NULL AND \(seconds) IS NULL"
    ) { written in
      switch time.form {
      case .seconds: written
      case .milliseconds: "\(written) * 1000"
      case .iso, .timestamptz, .timestamp: "\(MappedFunctions.time(use))(\(written))"
      }
    }
  }

  private func death() throws -> MappedDeath {
    switch mapping.action {
    case .mark(let column): return .time(try time(column, .invalidated)) { $0 }
    case .flag(let name, let dead, let alive):
      let column = try column(name)
      let dead = Self.stored(dead, column.affinity)
      return .flag(
        column: SQLWords.quoted(column.name), value: reference(column),
        isDead: "\(text(column)) = \(SQLWords.literal(dead))", dead: Self.literal(dead, column.affinity),
        alive: alive.map { Self.literal(Self.stored($0, column.affinity), column.affinity) }
      ) { $0 }
    case .delete:
      return .removal(whole: whole)
    }
  }

  /// The names of the columns and, in groups, since a function has at most 127 arguments, whether each value is text,
  /// and the value. Text goes as bytes: those need not be UTF-8, and a NUL among them ends nothing.
  private var whole: String {
    let kept = columns.filter { !$0.isGenerated }
    let groups = stride(from: 0, to: kept.count, by: 60).map { start in
      let values = kept[start..<min(start + 60, kept.count)].map { column in
        let value = reference(column)
        return
          "typeof(\(value)) = 'text', CASE typeof(\(value)) WHEN 'text' THEN CAST(\(value) AS BLOB) ELSE \(value) END"
      }
      return "0, \(MappedFunctions.pack)(\(values.joined(separator: ", ")))"
    }
    let names = SQLWords.literal(Self.names(of: kept))
    return "\(MappedFunctions.pack)(0, \(names), \(groups.joined(separator: ", ")))"
  }

  static func names(of columns: [MappedColumn]) -> String {
    columns.map { SQLWords.quoted($0.name) }.joined(separator: ",")
  }

  /// A truth value is a number in SQLite, but for columns of text.
  private static func stored(_ value: String, _ affinity: Affinity) -> String {
    guard affinity != .text else { return value }
    return switch value.lowercased() {
    case "true": "1"
    case "false": "0"
    default: value
    }
  }

  private static func literal(_ value: String, _ affinity: Affinity) -> String {
    affinity != .text && Int64(value) != nil ? value : SQLWords.literal(value)
  }
}
