import Basics

/// What the command says, as several tests expect it. The sources have these sentences where they are reported.
extension Message {
  /// - Parameter error: the system's.
  package static func directoryFailed(_ directory: String, error: String) -> Message {
    Message("directory \(directory): \(error)")
  }

  package static func sqliteError(_ code: Int, _ text: Message) -> Message {
    Message("\(text), SQLite error \(code)")
  }

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

  package static let trialNeedsDryRun = Message(
    "--table and --token-column require --dry-run; to write, describe the table in a file for --mapping "
      + "(docs/stores.md, Your own table)")

  package static func createWithMapping(of table: String) -> Message {
    Message(
      "--create creates apnsift's own table, but the mapping names \(table): remove --create or the mapping")
  }

  package static func noStoreNamed(forTable table: String) -> Message {
    Message("no store is named: name the database that has the table \(table) with --store")
  }

  package static func unreadableURI(_ scheme: String, _ problem: Message) -> Message {
    Message(
      "token store: a \(scheme):// URI cannot be read: \(problem); expected \(scheme)://USER@HOST:PORT/DATABASE, "
        + "each part optional, with %XX for special characters, as %40 for @")
  }

  package static let uriWithoutSlashes = Message("expected // after the colon")

  package static let databaseWithAt = Message("the database's name contains an @")

  package static let parameterWithoutValue = Message("a parameter after the ? is not NAME=VALUE")

  package static let portIsNoNumber = Message("a port is not a number")

  /// One line without a full stop: the store, the problem and the remedy.
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

  package static func compressedTwice(_ inner: String, inside outer: String) -> Message {
    Message(
      "is \(inner)-compressed inside a \(outer) file: only one layer is decompressed; remove one: "
        + "\(outer) -dc FILE | apnsift inspect -")
  }

  package static let noInputInDirectory = Message("no input in this directory")

  package static func searchedAsStored(_ kind: Message) -> Message {
    Message("\(kind): searched as it is stored; compressed, encrypted or otherwise encoded content was not")
  }

  package static func membersLost(_ count: Int) -> Message {
    Message("\(Count.of(count, "file")) in it not read in full")
  }

  package static let overlapsInZip = Message(
    "has the offset of another file in the zip archive, which is read: extract both, and compare them")

  package static func timesStopReplay(_ store: String, _ input: String, _ times: Message) -> Message {
    Message("\(store) is unchanged: \(input): \(times); with a name that is not in it, no time is taken")
  }

  package static func limitExceeded(_ invalidated: Int, ofLive live: Int, most: Int) -> Message {
    Message(
      "\(invalidated) of \(live) live tokens would be invalidated, and \(most) are allowed (--max-invalidate)"
    )
  }

  package static func replayWouldStop(_ reason: Message) -> Message {
    Message("warning: the replay would be stopped: \(reason)")
  }

  /// - Parameter codes: each with its count, such as `stream-gap 2`.
  package static func findingCounts(_ count: Int, of severity: String, _ codes: [String]) -> Message {
    Message("\(Count.of(count, severity)) (\(codes.joined(separator: ", ")))")
  }

  package static let noProblems = Message("no problems found")

  package static let requestsWithoutResponses = Message(
    "--requests and --responses go together; for one direction, give an input and --protocol requests or "
      + "--protocol responses")
}
