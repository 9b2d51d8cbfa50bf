import Basics

/// Reads a row of a journal's table, into which another program may have written any value: a value has the type and the
/// range of its column, or the fault names the table, the row and the column.
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
    _ column: String, _ read: (String) throws(StoreFault) -> Value
  ) throws(StoreFault) -> Value? {
    field(column).isNull ? nil : try read(column)
  }

  /// A count, or a number of a row.
  func number(_ column: String) throws(StoreFault) -> Int {
    guard let number = field(column).integer, (0...Self.most).contains(number) else {
      throw fault(column, "an integer from 0 to \(Self.most)")
    }
    return Int(number)
  }

  func text(_ column: String) throws(StoreFault) -> String {
    guard let text = field(column).text else { throw fault(column, "text in UTF-8") }
    return text
  }

  func hex(_ column: String) throws(StoreFault) -> String {
    guard let text = field(column).text, text.utf8.allSatisfy({ Self.hexDigits.contains($0) }) else {
      throw fault(column, "a SHA-256 in lowercase hex")
    }
    return text
  }

  private static let hexDigits = Set("0123456789abcdef".utf8)

  func environment(_ column: String) throws(StoreFault) -> Environment {
    guard let environment = field(column).text.flatMap(Environment.init(rawValue:)) else {
      throw fault(column, "\(Environment.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    return environment
  }

  /// Printed as it is by reports.
  func json(_ column: String) throws(StoreFault) -> String {
    guard case .text(let bytes) = field(column), JSONText.fault(of: bytes) == nil,
      let text = field(column).text
    else { throw fault(column, "JSON") }
    return text
  }

  /// UNIX seconds.
  func time(_ column: String, _ kind: SQLKind) throws(StoreFault) -> Int64 {
    let seconds = field(column).integer.map { kind == .moment ? $0.floored(by: 1_000_000) : $0 }
    guard let seconds, DateAndTime.range.contains(seconds) else {
      throw fault(column, "a time in the years 1 to 9999", kind)
    }
    return seconds
  }

  func bytes(_ column: String) throws(StoreFault) -> [UInt8] {
    guard let bytes = field(column).bytes else { throw fault(column, "packed changes as bytes") }
    return Array(bytes)
  }

  /// The row in messages: `id 3`.
  var name: Message { "\(columns[0]) \(fields[0].literal())" }

  private func fault(_ column: String, _ expected: Message, _ kind: SQLKind = .any) -> StoreFault {
    .unreadableRows(
      1,
      first: .inRow(
        name, of: table.rawValue, "\(column) is \(field(column).literal(kind)), expected \(expected)"))
  }
}
