import Basics

/// Buffers rows for a table: as lines for LOAD DATA LOCAL INFILE, which takes about half the time, or as an INSERT
/// statement of many rows if the server forbids that.
package final class MySQLInsert {
  /// About how many bytes of rows are sent at once.
  private static let length = 1 << 20

  private let connection: MySQLConnection
  private let statement: [UInt8]
  private let loads: Bool
  private let limit: Int
  private var rows: [UInt8] = []
  private var added = 0
  private var written = 0

  /// Runs `body`, which adds rows. Returns how many the server wrote: fewer than were added if a trigger ignored some.
  /// If it throws, rows may have been written: the transaction must be rolled back.
  ///
  /// - Parameters:
  ///   - columns: quoted, in the order of the fields. LOAD DATA does not support type BIT.
  ///   - loads: whether LOAD DATA may be used.
  @discardableResult
  package static func run(
    into table: String, _ columns: [String], on connection: MySQLConnection, loads: Bool = true,
    _ body: (MySQLInsert) throws -> Void
  ) throws -> Int {
    let insert = MySQLInsert(table, columns.joined(separator: ","), connection, loads && connection.loads)
    try body(insert)
    try insert.flush()
    return insert.written
  }

  private init(_ table: String, _ columns: String, _ connection: MySQLConnection, _ loads: Bool) {
    self.connection = connection
    self.loads = loads
    // Tabs, lines and backslashes are the defaults. Bytes that are not valid utf8mb4 are stored unaltered.
    statement = Array(
      (loads
        ? "LOAD DATA LOCAL INFILE '' INTO TABLE \(table) CHARACTER SET utf8mb4 (\(columns))"
        : "INSERT INTO \(table) (\(columns)) VALUES ").utf8)
    limit = loads ? Self.length : min(Self.length, connection.longestStatement - statement.count)
    // One more row may be added before the limit is checked.
    rows.reserveCapacity(Self.length + Self.length / 8)
  }

  package func add(_ row: SQLFields) throws {
    let end = rows.count
    append(row)
    if !loads, end > 0, statement.count + rows.count > connection.longestStatement {
      // The rows before, and this one without the comma before it.
      let last = Array(rows[(end + 1)...])
      rows.removeLast(rows.count - end)
      try flush()
      rows += last
    }
    added += 1
    if rows.count >= limit { try flush() }
  }

  /// As a line, or as a tuple.
  private func append(_ row: SQLFields) {
    if !loads { rows += (rows.isEmpty ? "(" : ",(").utf8 }
    for (index, field) in row.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: loads ? "\t" : ",")) }
      switch field {
      case .null where loads: rows += "\\N".utf8
      case .text(let bytes) where loads, .bytes(let bytes) where loads:
        MySQLLiteral.append(escaped: bytes, to: &rows)
      default: MySQLLiteral.append(field, to: &rows)
      }
    }
    rows.append(UInt8(ascii: loads ? "\n" : ")"))
  }

  private func flush() throws {
    if rows.isEmpty { return }
    defer {
      rows.removeAll(keepingCapacity: true)
      added = 0
    }
    let length = statement.count + rows.count
    guard loads || length <= connection.longestStatement else {
      throw DatabaseError(
        .failed,
        "a row takes \(length) bytes, more than the server's limit of \(connection.longestStatement) "
          + "(max_allowed_packet)")
    }
    written += try loads ? connection.load(statement, rows, count: added) : connection.visit(statement + rows)
  }
}
