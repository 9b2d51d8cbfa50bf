import Basics

extension Message {
  /// - Parameter key: an SQL literal.
  package static func rowKey(_ column: String, _ key: String) -> Message { Message("\(column) \(key)") }

  package static func lacks(_ privilege: String, on table: String) -> Message {
    Message("it lacks \(privilege) on \(table)")
  }

  package static func nullKey(of table: String) -> Message {
    Message(
      "the primary key of a row of \(table) is null, so that an undo could not find it; --no-journal needs no key"
    )
  }
}
