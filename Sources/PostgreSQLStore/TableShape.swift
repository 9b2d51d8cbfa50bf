import TokenStores

/// Whether a table that was found can serve as `device_tokens` (docs/stores.md, PostgreSQL).
enum TableShape {
  /// A column as the server's catalogue tells of it.
  struct Column {
    var name: String
    var type: String
    var isNotNull: Bool
    var hasDefault: Bool
    var isGenerated: Bool
    /// Its place in the primary key, from 1; 0 outside of it.
    var keyPosition: Int64
    /// Whether texts that are equal are the same bytes.
    var isDeterministic: Bool
  }

  private static let texts = ["text", "character varying"]
  private static let times = ["timestamp with time zone"]
  private static let expected: [(name: String, types: [String])] = [
    ("app", texts), ("environment", texts), ("token", ["bytea"]),
    ("registered_at", times), ("invalidated_at", times),
  ]

  /// A table, also one in partitions. What a view would do with a row is its maker's business alone.
  static func checkKind(_ kind: String) throws {
    if kind == "r" || kind == "p" { return }
    let names = ["v": "a view", "m": "a materialized view", "f": "a foreign table", "S": "a sequence"]
    throw StoreFault.wrongShape(
      subject: "the name", expected: "a table", found: names[kind] ?? "a relation of kind \(kind)")
  }

  static func columns(of table: Int64, on connection: Connection) throws -> [Column] {
    let rows = try connection.run(
      """
      SELECT part.attname::text, format_type(part.atttypid, NULL), part.attnotnull,
        part.atthasdef OR part.attidentity <> '', part.attgenerated <> '',
        coalesce(array_position((key.indkey::smallint[])[0:key.indnkeyatts - 1], part.attnum) + 1, 0)::bigint,
        coalesce(rules.collisdeterministic, true)
      FROM pg_attribute AS part
        LEFT JOIN pg_index AS key ON key.indrelid = part.attrelid AND key.indisprimary
        LEFT JOIN pg_collation AS rules ON rules.oid = part.attcollation
      WHERE part.attrelid = $1::text::oid AND part.attnum > 0 AND NOT part.attisdropped
      ORDER BY part.attnum
      """, .text(String(table)))
    return (0..<rows.count).map { row in
      Column(
        name: rows.text(row, 0) ?? "", type: rows.text(row, 1) ?? "", isNotNull: rows.flag(row, 2),
        hasDefault: rows.flag(row, 3), isGenerated: rows.flag(row, 4),
        keyPosition: rows.integer(row, 5) ?? 0, isDeterministic: rows.flag(row, 6))
    }
  }

  static func check(_ columns: [Column]) throws {
    var unseen = columns
    for (name, types) in expected {
      let place = unseen.firstIndex { $0.name == name }
      try checkExpected(place.map { unseen.remove(at: $0) }, name, types)
    }
    for column in unseen { try checkExtra(column) }
    try checkKey(columns)
  }

  private static func checkExpected(_ column: Column?, _ name: String, _ types: [String]) throws {
    func fault(_ expected: String, _ found: String) -> StoreFault {
      .wrongShape(subject: "column \(name)", expected: expected, found: found)
    }
    guard let column else { throw fault("a column of type \(types[0])", "none") }
    guard types.contains(column.type) else { throw fault("type \(types[0])", "type \(column.type)") }
    if column.isGenerated { throw fault("an ordinary column", "a generated one") }
    // Under another collation, apps whose names differ in case could be one.
    guard column.isDeterministic else { throw fault("a deterministic collation", "one that is not") }
    if times.contains(column.type), column.isNotNull { throw fault("a column that may be null", "NOT NULL") }
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
}
