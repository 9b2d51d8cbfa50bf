import Basics

/// Reads a row of a journal's table, into which another program may have written any value: a value has the type and the
/// range of its column, or the fault names the table, the row and the column.
struct JournalRow {
  /// Larger numbers are damage: sums of them would overflow.
  static let most: Int64 = 1 << 48

  let table: String
  /// The columns of the query, in its order; the first one identifies the row.
  let columns: [String]
  let fields: SQLFields

  /// A count, or a number of a row.
  func number(_ column: Int) throws(StoreFault) -> Int {
    guard let number = fields[column].integer, (0...Self.most).contains(number) else {
      throw fault(column, "an integer from 0 to \(Self.most)")
    }
    return Int(number)
  }

  func numberOrNull(_ column: Int) throws(StoreFault) -> Int? {
    fields[column].isNull ? nil : try number(column)
  }

  func text(_ column: Int) throws(StoreFault) -> String {
    guard let text = fields[column].text else { throw fault(column, "text in UTF-8") }
    return text
  }

  func hex(_ column: Int) throws(StoreFault) -> String {
    guard let text = fields[column].text, text.utf8.allSatisfy({ Self.hexDigits.contains($0) }) else {
      throw fault(column, "a SHA-256 in lowercase hex")
    }
    return text
  }

  private static let hexDigits = Set("0123456789abcdef".utf8)

  func environment(_ column: Int) throws(StoreFault) -> Environment {
    guard let environment = fields[column].text.flatMap(Environment.init(rawValue:)) else {
      throw fault(column, .journalEnvironment(Environment.allCases.map(\.rawValue)))
    }
    return environment
  }

  /// Printed as it is by reports.
  func json(_ column: Int) throws(StoreFault) -> String {
    guard case .text(let bytes) = fields[column], JSONText.fault(of: bytes) == nil,
      let text = fields[column].text
    else { throw fault(column, "JSON") }
    return text
  }

  func jsonOrNull(_ column: Int) throws(StoreFault) -> String? {
    fields[column].isNull ? nil : try json(column)
  }

  /// UNIX seconds.
  func time(_ column: Int, _ kind: SQLKind) throws(StoreFault) -> Int64 {
    let seconds = fields[column].integer.map { kind == .moment ? $0.floored(by: 1_000_000) : $0 }
    guard let seconds, DateAndTime.range.contains(seconds) else {
      throw fault(column, "a time in the years 1 to 9999", kind)
    }
    return seconds
  }

  func bytes(_ column: Int) throws(StoreFault) -> [UInt8] {
    guard let bytes = fields[column].bytes else { throw fault(column, "packed changes as bytes") }
    return Array(bytes)
  }

  /// The row in messages: `id 3`.
  var name: Message { .rowKey(columns[0], fields[0].literal()) }

  private func fault(_ column: Int, _ expected: Message, _ kind: SQLKind = .any) -> StoreFault {
    .unreadableRows(
      1,
      first: .inRow(
        name, of: table, "\(columns[column]) is \(fields[column].literal(kind)), expected \(expected)"))
  }
}

/// The columns of a journal's tables.
enum JournalColumns {
  private static let replays: [(String, SQLKind)] =
    [
      ("id", .integer), ("version", .text), ("app", .text), ("environment", .text), ("options", .text),
      ("tuples", .integer), ("invalidated", .integer), ("updated", .integer), ("inserted", .integer),
      ("unchanged", .integer), ("kept", .integer), ("unknown", .integer), ("rejected", .integer),
      ("mapping", .text), ("undoes", .integer), ("changed_rows", .integer),
    ]

  /// The columns of `table` that have a type of their own in a database with types.
  private static func kinds(of table: String, time: SQLKind) -> [(name: String, kind: SQLKind)] {
    switch table {
    case "apnsift_replays": replays + [("at", time)]
    case "apnsift_inputs":
      [("replay", .integer), ("source", .text), ("sha256", .text), ("bytes", .integer)]
    case "apnsift_changes": [("replay", .integer), ("part", .integer), ("packed", .bytes)]
    default: []
    }
  }

  /// - Throws: `StoreFault.journalMisfit` if a column has another type than apnsift gave it.
  static func check(_ found: [TableColumn], of table: String, time: SQLKind) throws(StoreFault) {
    for (name, kind) in kinds(of: table, time: time) {
      guard let column = found.first(where: { $0.name == name }), column.kind != .any, column.kind != kind
      else { continue }
      throw .journalMisfit(
        table, name, expected: "a type of \(kind.described.rawValue)",
        found: .columnType(column.type))
    }
  }
}

extension SQLKind {
  fileprivate var described: Message.JournalType {
    switch self {
    case .integer: .integers
    case .bytes: .bytes
    case .moment: .times
    default: .texts
    }
  }
}
