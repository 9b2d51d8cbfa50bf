import Basics

/// A database with a table of each kind.
package protocol RowDatabase: AnyObject {
  func makeTable(_ kind: ExportedKind, _ columns: [ColumnEntry]) throws -> any RowTable
  /// Adds facts about all of it.
  func note(_ facts: [(String, JSONValue)]) throws
  func finish() throws
}

/// The values of the current row, in memory that is reused.
final class RowScratch {
  private let texts = OutputBuffer(nil)
  private var values: [RowValue] = []

  /// Gives `table` a row.
  /// - Parameters:
  ///   - bound: upper bound of all values, in bytes.
  ///   - put: writes the value of a column.
  @inline(__always)
  func append<Column>(
    _ columns: [Column], bound: Int, to table: any RowTable, _ cursor: (UnsafeMutableRawPointer) -> RowCursor,
    _ put: (Column, inout RowCursor) -> Void
  ) throws {
    texts.removeAll()
    values.removeAll(keepingCapacity: true)
    try texts.extend(bound) { start in
      var end = start
      for column in columns {
        var row = cursor(end)
        put(column, &row)
        let bytes = UnsafeRawBufferPointer(start: end, count: row.end - end)
        values.append(RowValue(bytes: bytes, isNothing: row.isNothing, time: row.time))
        end = row.end
      }
      return end - start
    }
    try table.append(values)
  }
}
