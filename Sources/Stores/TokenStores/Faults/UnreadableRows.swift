import Basics

/// Rows of another program that could not be read, while the others are.
struct UnreadableRows {
  private var count = 0
  /// Describes the first one.
  private var first: Message?

  /// Adds the row of a fault that names it.
  /// - Throws: a fault of another kind.
  mutating func add(_ fault: StoreFault) throws(StoreFault) {
    guard case .unreadableRows(let more, let description) = fault else { throw fault }
    first = first ?? description
    count += more
  }

  /// Adds a row of a table of tokens.
  /// - Parameters:
  ///   - fault: describes the value.
  ///   - row: nil if several rows have the value.
  mutating func add(_ fault: StoreFault, in row: Message?, of table: String) {
    guard case .unreadableRows(let more, let description) = fault else { return }
    first = first ?? .inRow(row, of: table, description)
    count += more
  }

  var fault: StoreFault? { first.map { .unreadableRows(count, first: $0) } }
}
