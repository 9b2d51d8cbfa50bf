import Basics

/// Reads a row of a journal's table, into which another program may have written any value: a value has the type and the
/// range of its column, or the error names the table, the row and the column.
struct JournalRow {
  /// Larger numbers are damage: sums of them would overflow.
  static let most: Int64 = 1 << 48

  let table: JournalTable
  /// The columns of the query, in its order; the first one identifies the row.
  let columns: [String]
  let fields: SQLFields

  private func field(_ column: String) -> SQLField {
    columns.firstIndex(of: column).map { fields[$0] } ?? .null
  }

  /// Reads a column that may be null.
  func optional<Value>(
    _ column: String, _ read: (String) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    field(column).isNull ? nil : try read(column)
  }

  /// Reads a column.
  /// - Parameter value: nil if the field has none.
  private func read<Value>(
    _ column: String, _ expected: Message, _ kind: SQLKind = .any, _ value: (SQLField) -> Value?
  ) throws(StoreError) -> Value {
    let field = field(column)
    if let value = value(field) { return value }
    let message: Message = "\(column) is \(field.literal(kind)), expected \(expected)"
    throw .unreadableRows(1, first: .inRow(name, of: table.rawValue, message))
  }

  /// A count, or a number of a row.
  func number(_ column: String) throws(StoreError) -> Int {
    try read(column, "an integer from 0 to \(Self.most)") {
      $0.integer.flatMap { (0...Self.most).contains($0) ? Int($0) : nil }
    }
  }

  func text(_ column: String) throws(StoreError) -> String { try read(column, "text in UTF-8") { $0.text } }

  func hex(_ column: String) throws(StoreError) -> String {
    try read(column, "a SHA-256 in lowercase hex") { field in
      field.text.flatMap { $0.utf8.allSatisfy(Self.hexDigits.contains) ? $0 : nil }
    }
  }

  private static let hexDigits = Set("0123456789abcdef".utf8)

  func environment(_ column: String) throws(StoreError) -> Environment {
    try read(column, "\(Environment.allCases.map(\.rawValue).joined(separator: " or "))") { field in
      field.text.flatMap(Environment.init(rawValue:))
    }
  }

  /// Printed as it is by reports.
  func json(_ column: String) throws(StoreError) -> String {
    try read(column, "JSON") { field in
      if case .text(let bytes) = field, JSONText.error(of: bytes) == nil { field.text } else { nil }
    }
  }

  /// UNIX seconds.
  func time(_ column: String, _ kind: SQLKind) throws(StoreError) -> Int64 {
    try read(column, "a time in the years 1 to 9999", kind) { field in
      let seconds = field.integer.map { kind == .moment ? $0.floored(by: 1_000_000) : $0 }
      return seconds.flatMap { DateAndTime.range.contains($0) ? $0 : nil }
    }
  }

  func bytes(_ column: String) throws(StoreError) -> [UInt8] {
    try read(column, "packed changes as bytes") { field in field.bytes.map { Array($0) } }
  }

  /// The row in messages: `id 3`.
  var name: Message { "\(columns[0]) \(fields[0].literal())" }
}
