/// The affinity of a column's declared type (SQLite's documentation, "Determination Of Column Affinity").
enum Affinity: String {
  case integer = "INTEGER"
  case text = "TEXT"
  case blob = "BLOB"
  case real = "REAL"
  case numeric = "NUMERIC"

  /// In SQLite's order.
  private static let names: [(part: String, affinity: Affinity)] = [
    ("INT", .integer), ("CHAR", .text), ("CLOB", .text), ("TEXT", .text), ("BLOB", .blob), ("REAL", .real),
    ("FLOA", .real), ("DOUB", .real),
  ]

  init(declaredType: String) {
    let type = declaredType.uppercased()
    self = type.isEmpty ? .blob : Self.names.first { type.contains($0.part) }?.affinity ?? .numeric
  }
}
