import Basics

/// Rows of another program that could not be read, while the others are.
struct UnreadableRows {
  private var count = 0
  private var first: Message?

  /// Adds a row.
  /// - Parameters:
  ///   - row: nil if several rows have the value.
  ///   - table: nil if the error names the row.
  /// - Throws: an error of another kind.
  mutating func add(
    _ error: StoreError, in row: Message? = nil, of table: String? = nil
  ) throws(StoreError) {
    guard case .unreadableRows(let more, let description) = error else { throw error }
    first = first ?? table.map { .inRow(row, of: $0, description) } ?? description
    count += more
  }

  var error: StoreError? { first.map { .unreadableRows(count, first: $0) } }
}
