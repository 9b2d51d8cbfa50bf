/// Why a token store failed: what databases and rows are like.
extension Message {
  // MARK: - Files

  // MARK: - Servers

  package static let noMemory = Message("no memory is left")

  /// A library gave no reason.
  package static let saysNothing = Message("no message")

  package static func serverError(_ text: Message, state: String) -> Message {
    Message("\(text), SQLSTATE \(state)")
  }

  package static func serverError(_ text: Message, code: Int, state: String) -> Message {
    Message("\(text), error \(code), SQLSTATE \(state)")
  }

  // MARK: - Privileges

  package static let isAStandby = Message("it is a standby")
  package static func lacks(_ privilege: String, on table: String) -> Message {
    Message("it lacks \(privilege) on \(table)")
  }

  // MARK: - Rows that are written

  package static func triggerIgnoredRow(of table: String) -> Message {
    Message("a trigger on \(table) ignored the row")
  }

  package static func columnsDiffer(from table: String) -> Message {
    Message("the columns of \(table) differ from those of the removed rows in apnsift_changes")
  }

  package static func nullKey(of table: String) -> Message {
    Message(
      "the primary key of a row of \(table) is null, so that an undo could not find it; --no-journal needs no key"
    )
  }

  // MARK: - Rows that are read

  /// - Parameters:
  ///   - row: its key with the column's name, as `id 3`; nil if several rows have the value.
  ///   - problem: one of the messages that follow.
  package static func inRow(_ row: Message?, of table: String, _ problem: Message) -> Message {
    Message("\(table)\(row.map { ", \($0)" } ?? ""): \(problem)")
  }

  /// - Parameter key: an SQL literal.
  package static func rowKey(_ column: String, _ key: String) -> Message { Message("\(column) \(key)") }

  package static func journalEnvironment(_ names: [String]) -> Message {
    Message(names.joined(separator: " or "))
  }

  /// What a column of a journal stores.
  package enum JournalType: String, Sendable { case integers, bytes, times, texts }

  package static let integerUnixSeconds = Message("UNIX seconds as an integer")
  package static let unixMilliseconds = Message("UNIX milliseconds")
}
