import WireBytes

/// Why a token store failed: what databases and rows are like.
extension Message {
  // MARK: - Files

  package static let isADirectory = Message("it is a directory, not a database file")
  package static let isNoRegularFile = Message("it is not a regular file")
  package static let opensForReadingOnly = Message("it opens for reading only")

  /// - Parameter error: the system's.
  package static func directoryFailed(_ directory: String, error: String) -> Message {
    Message("directory \(directory): \(error)")
  }

  package static func sqliteError(_ code: Int, _ text: Message) -> Message {
    Message("\(text), SQLite error \(code)")
  }

  // MARK: - Servers

  package static let noMemory = Message("no memory is left")

  /// A library gave no reason.
  package static let saysNothing = Message("no message")

  package static func oldPostgreSQL(_ version: Int) -> Message {
    Message("the server is PostgreSQL \(version), expected 12 or later")
  }

  package static func oldMySQL(_ version: String) -> Message {
    Message("the server is \(version), expected MariaDB 10.5 or later, or MySQL 8.0 or later")
  }

  package static func noSnapshotIsolation(_ version: String) -> Message {
    Message(
      "the server is \(version), expected innodb_snapshot_isolation, which MariaDB has since 10.6.18, 10.11.8 and "
        + "11.4")
  }

  package static func serverError(_ text: Message, state: String) -> Message {
    Message("\(text), SQLSTATE \(state)")
  }

  package static func serverError(_ text: Message, code: Int, state: String) -> Message {
    Message("\(text), error \(code), SQLSTATE \(state)")
  }

  package static let malformedCopy = Message("the server sent a malformed row of a COPY")

  package static func transactionEnded(with command: String) -> Message {
    Message("the transaction ended with \(command)")
  }

  package static let connectionBusy = Message("the connection is busy with the rows of a query")
  package static let localFileRefused = Message("the server requested a local file, which is refused")

  package static func rowsDoNotFit(_ warnings: Int, of rows: Int) -> Message {
    Message("\(warnings) of \(rows) rows do not fit")
  }

  package static func rowTooLong(_ length: Int, limit: Int) -> Message {
    Message("a row takes \(length) bytes, more than the server's limit of \(limit) (max_allowed_packet)")
  }

  package static let appWithZeroByte = Message(
    "the app's name has a zero byte, which PostgreSQL does not support")

  // MARK: - Privileges

  package static let isAStandby = Message("it is a standby")
  package static let readOnlyByDefault = Message("default_transaction_read_only is on")
  package static let noUsableSchema = Message("no schema of its search path is usable")

  package static func lacksCreate(onSchema schema: String) -> Message {
    Message("it lacks CREATE on schema \(schema)")
  }

  package static func lacks(_ privilege: String, on table: String) -> Message {
    Message("it lacks \(privilege) on \(table)")
  }

  /// - Parameter column: quoted.
  package static func lacksUpdate(onColumn column: String, of table: String) -> Message {
    Message("it lacks UPDATE on column \(column) of \(table)")
  }

  /// - Parameter privilege: `INSERT on public.apnsift_replays`, for example.
  package static func journalLacks(_ privilege: String) -> Message {
    Message(
      "it lacks \(privilege), which the journal needs; --journal sqlite:PATH keeps the journal in a file, "
        + "--no-journal records nothing")
  }

  // MARK: - Rows that are written

  package static func triggerIgnoredRow(of table: String) -> Message {
    Message("a trigger on \(table) ignored the row")
  }

  package static func triggerIgnoredRows(of table: String) -> Message {
    Message("a trigger on \(table) ignored rows")
  }

  package static func rowsIgnored(written: Int, of rows: Int, table: String) -> Message {
    Message("\(written) of \(rows) rows of \(table) were written: a trigger or a policy ignored the others")
  }

  package static func triggerIgnoredRestoredRow(of table: String) -> Message {
    Message("a trigger on \(table) ignored a restored row")
  }

  package static func triggerOrPolicyIgnoredRestoredRow(of table: String) -> Message {
    Message("a trigger or policy of \(table) ignored a restored row")
  }

  package static func columnsDiffer(from table: String) -> Message {
    Message("the columns of \(table) differ from those of the removed rows in apnsift_changes")
  }

  package static func removedColumn(_ column: String, of table: String) -> Message {
    Message("removed rows had a column \(column), which \(table) does not have")
  }

  package static func nullKey(of table: String) -> Message {
    Message(
      "the primary key of a row of \(table) is null, so that an undo could not find it; --no-journal needs no key"
    )
  }

  /// - Parameter form: a form of times.
  package static func timeBeyondColumn(_ column: String, seconds: Int64, form: String) -> Message {
    Message("\(column) cannot store the time \(seconds) as \(form)")
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

  package static let changeIsNotPacked = Message("packed has bytes that are not a packed change")

  package static func changesMissing(_ found: Int, of count: Int) -> Message {
    Message(
      "\(Count.of(found, "change")), expected \(count), the changed_rows of the replay in apnsift_replays")
  }

  /// - Parameter value: an SQL literal.
  package static func valueInsteadOf(_ expected: Message, _ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected \(expected)")
  }

  package static func journalCount(upTo most: Int64) -> Message { Message("an integer from 0 to \(most)") }
  package static let journalText = Message("text in UTF-8")
  package static let journalDigest = Message("a SHA-256 in lowercase hex")
  package static let journalJSON = Message("JSON")
  package static let journalTime = Message("a time in the years 1 to 9999")
  package static let journalChanges = Message("packed changes as bytes")

  package static func journalEnvironment(_ names: [String]) -> Message {
    Message(names.joined(separator: " or "))
  }

  /// What a column of a journal stores.
  package enum JournalType: String, Sendable { case integers, bytes, times, texts }

  package static func journalType(_ type: JournalType) -> Message { Message("a type of \(type.rawValue)") }

  /// - Parameter value: an SQL literal, as in the messages that follow.
  package static func appIsNoText(_ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected text")
  }

  package static func appIsNotUTF8(_ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected text in UTF-8")
  }

  package static func unknownEnvironment(
    _ column: String, _ value: String, production: String, sandbox: String
  ) -> Message {
    Message("\(column) is \(value), expected \(production) or \(sandbox)")
  }

  package static func tokenIsNoBlob(_ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected a blob of the token's bytes")
  }

  package static func tokenNotInForm(_ form: String, _ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected a token as \(form)")
  }

  /// - Parameter expected: one of the messages that follow.
  package static func timeNotInForm(_ expected: Message, _ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected \(expected), or null")
  }

  package static let integerUnixSeconds = Message("UNIX seconds as an integer")
  package static let unixSeconds = Message("UNIX seconds")
  package static let unixMilliseconds = Message("UNIX milliseconds")
  package static let isoTime = Message("a date and time as of ISO 8601")
  package static let pointInTime = Message("a time")
  package static let clockTime = Message("a date and a time of day")
}
