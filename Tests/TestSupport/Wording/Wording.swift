import Messages
import WireBytes

/// What the command says, as several tests expect it. The sources have these sentences where they are reported.
extension Message {
  package static func caseFileNotRegular(_ name: String) -> Message {
    Message("\(name) is not a regular file; put the bytes into a file")
  }

  package static func invalidOptions(_ problem: Message) -> Message { Message("invalid options: \(problem)") }

  package static func caseTextExpected(_ key: String, found: String) -> Message {
    Message("expected a text for \(key), found \(found); write \(key): and a sentence")
  }

  package static func caseListExpected(_ key: String, found: String) -> Message {
    Message(
      "expected a list for \(key), found \(found); write \(key): [one, two], or one line with - for each")
  }

  package static func evidenceTypeExpected(found: String) -> Message {
    Message("expected an object with a type, found \(found) without one")
  }

  package static func evidenceSchemaExpected(_ schema: String, found: String) -> Message {
    Message("expected the schema \"\(schema)\", found \(found)")
  }

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

  /// - Parameter form: hex or base64.
  package static func notAToken(_ found: String, form: String) -> Message {
    Message("expected a token in \(form), found '\(found.prefix(80))'")
  }

  package static func nothingImported(_ path: String, _ problem: Message) -> Message {
    Message("\(path): \(problem); nothing was imported")
  }

  /// Streams that are only counted.
  package static func moreStreams(_ count: Int, readings: Message) -> Message {
    Message("and \(Count.of(count, "more stream")): \(readings) (see --json)")
  }

  package static func readerExited(_ code: Int) -> Message {
    Message("the reader ended with exit code \(code)")
  }

  package static func readerFailedHandshake(_ reason: Message) -> Message {
    Message("the TLS handshake with the reader failed: \(reason)")
  }

  /// How a reader ended, and why it had no stream.
  package static func readerEnding(_ ending: Message, _ obstacle: Message) -> Message {
    Message("\(ending); \(obstacle)")
  }

  package static func timeoutOutOfRange(_ seconds: Double) -> Message {
    Message("--timeout is \(seconds): give more than 0 and at most 86400 seconds")
  }

  package static let readerEnded = Message("the reader ended")

  package static func notAPace(_ factor: Double) -> Message {
    Message("--pace is \(factor): give a number above 0; 1 is the pace of the capture")
  }

  /// - Parameter isLastListed: whether further streams are only counted.
  package static func notServed(_ name: String, _ reason: Message, isLastListed: Bool) -> Message {
    Message("\(name): not served: \(reason)\(isLastListed ? " (further ones are not listed)" : "")")
  }

  /// - Parameter reason: the TLS library's.
  package static func clientWithoutTLS(_ reason: Message) -> Message {
    Message("the client does not speak TLS (\(reason))")
  }

  /// - Parameter reason: the TLS library's.
  package static func certificateNotTrusted(_ reason: Message) -> Message {
    Message(
      "the client probably does not trust the certificate (\(reason)); use --write-certificate to export it")
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

  package static func listedTokens(_ count: Int, _ tokens: StoredTokens, of store: String) -> Message {
    Message("listed \(Count.of(count, tokens.rawValue)) of \(store)")
  }

  package static func undoSkips(_ token: String, reason: String) -> Message {
    Message("\(token): skipped: \(reason)")
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

  package static func percentWithoutDigits(in part: URIPart) -> Message {
    Message("\(part.rawValue) contains a % without two hexadecimal digits")
  }

  package static func zeroByte(in part: URIPart) -> Message {
    Message("\(part.rawValue) contains a zero byte")
  }

  /// One line without a full stop: the store, the problem and the remedy.
  package static func storeFailed(_ store: String, _ problem: StoreProblem) -> Message {
    Message("token store \(store): \(problem.problem); \(problem.remedy)")
  }

  package static func onlyColumns(_ names: [String]) -> Message {
    Message("only \(names.joined(separator: ", "))")
  }

  package static func columnOfType(_ type: String) -> Message { Message("a column of type \(type)") }

  /// - Parameter first: the first of the values.
  package static func valuesLike(_ first: String) -> Message { Message("'\(first)' and the like") }

  package static func yamlDuplicateKey(_ key: String) -> Message {
    Message("duplicate key '\(key)'; remove one of the two")
  }

  package static func yamlUnknownKey(_ key: String, nearest: String, keys: [String]) -> Message {
    Message("unknown key '\(key)'; did you mean \(nearest)? Keys: \(keys.joined(separator: ", "))")
  }

  package static func yamlMissingKey(_ key: String, example: String) -> Message {
    Message("\(key) is missing; write \(example)")
  }
}
