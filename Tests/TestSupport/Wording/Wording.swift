import Basics

/// What the command says, as several tests expect it. The sources have these sentences where they are reported.
extension Message {
  package static let changeIsNotPacked = Message("packed has bytes that are not a packed change")

  /// - Parameter value: an SQL literal.
  package static func valueInsteadOf(_ expected: Message, _ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected \(expected)")
  }

  package static let journalText = Message("text in UTF-8")

  package static let journalJSON = Message("JSON")

  /// - Parameter expected: one of the messages that follow.
  package static func timeNotInForm(_ expected: Message, _ column: String, _ value: String) -> Message {
    Message("\(column) is \(value), expected \(expected), or null")
  }

  package static func notAToken(_ found: String) -> Message {
    let forms = "hex, <…>, \\x…, 0x…, X'…', %3C…%3E or base64"
    return Message("expected a token (\(forms)), found '\(found.prefix(80))'")
  }

  /// - Parameter id: 40 hex digits.
  package static func deviceID(_ id: String, column: String? = nil) -> Message {
    "expected a token, found \(id) of 20 bytes: ids of devices (UDID) have 20, tokens never"
      + Message(column.map { "; store import --token-column reads another column than \($0)" } ?? "")
  }

  package static func nothingImported(_ path: String, _ problem: Message) -> Message {
    Message("\(path): \(problem); nothing was registered")
  }

  package static func unreadableURI(_ scheme: String, _ problem: Message) -> Message {
    Message(
      "token store: a \(scheme):// URI cannot be read: \(problem); expected \(scheme)://USER@HOST:PORT/DATABASE, "
        + "each part optional, with %XX for special characters, as %40 for @")
  }

  /// One line without a full stop: the store, the problem and the remedy.
  package static func rowsStayChanged(_ count: String) -> Message {
    Message("\(count) of earlier transactions stay changed, and the same command continues")
  }

  package static func storeFailed(_ store: String, _ problem: StoreError) -> Message {
    Message("token store \(store): \(problem.message); \(problem.remedy)")
  }

  package static func onlyColumns(_ names: [String]) -> Message {
    Message("only \(names.joined(separator: ", "))")
  }

  /// - Parameter first: the first of the values, as an SQL literal.
  package static func valuesLike(_ first: String) -> Message { Message("\(first) and the like") }

  package static func cannotBeOpened(_ error: String) -> Message { Message("cannot be opened: \(error)") }

  package static func cannotBeRead(_ error: String) -> Message { Message("cannot be read: \(error)") }

  package static let sqliteDatabase = Message("an SQLite database")

  package static let noInputInDirectory = Message("no input in this directory")

  package static func limitExceeded(_ invalidated: Int, ofLive live: Int, most: Int) -> Message {
    Message(
      "\(invalidated) of \(live) live tokens would be invalidated; at most \(most) may be (--max-invalidate)"
    )
  }

  package static let noProblems = Message("no problems found")

  package static let requestsWithoutResponses = Message(
    "--requests and --responses go together; for one direction, give an input and --protocol requests or "
      + "--protocol responses")
}
