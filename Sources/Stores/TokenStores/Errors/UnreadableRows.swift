import Basics

/// Rows of another program that could not be read, while the others are.
struct UnreadableRows {
  private var count = 0
  /// Describes the first one.
  private var first: Message?

  /// Adds the row of a error that names it.
  /// - Throws: a error of another kind.
  mutating func add(_ error: StoreError) throws(StoreError) {
    guard case .unreadableRows(let more, let description) = error else { throw error }
    first = first ?? description
    count += more
  }

  /// Adds a row of a table of tokens.
  /// - Parameters:
  ///   - error: describes the value.
  ///   - row: nil if several rows have the value.
  mutating func add(_ error: StoreError, in row: Message?, of table: String) {
    guard case .unreadableRows(let more, let description) = error else { return }
    first = first ?? .inRow(row, of: table, description)
    count += more
  }

  var error: StoreError? { first.map { .unreadableRows(count, first: $0) } }
}
