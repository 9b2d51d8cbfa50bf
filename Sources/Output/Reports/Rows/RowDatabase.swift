import Basics

/// A database with a table of each kind.
package protocol RowDatabase: AnyObject {
  func makeTable(_ kind: ExportedKind, _ columns: [ColumnEntry]) throws -> any RowTable
  /// Adds facts about all of it.
  func note(_ facts: [(String, JSONValue)]) throws
  func finish() throws
}
