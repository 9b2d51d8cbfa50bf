import WireBytes

extension Message {
  /// What a row of a store is called.
  package enum StoredTokens: String, Sendable {
    case all = "token"
    case dead = "invalidated token"
    case live = "valid token"
  }

  // MARK: - The store

  package static func bothEnvironments(in store: String) -> Message {
    Message("\(store) has tokens of production and of sandbox: choose one with --environment")
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

  // MARK: - store list, show, export, history

  package static func listedTokens(_ count: Int, _ tokens: StoredTokens, of store: String) -> Message {
    Message("listed \(Count.of(count, tokens.rawValue)) of \(store)")
  }

  /// - Parameter form: a form of times.
  package static func timeBeyondForm(_ form: String, token: String, column: String, seconds: Int64) -> Message
  {
    Message(
      "token \(token): its \(column) is \(seconds), which the form \(form) cannot represent: correct the row, "
        + "or choose --time-form seconds")
  }

  package static func listedChanges(_ rows: Int, ofReplay replay: Int, in store: String) -> Message {
    Message("listed \(Count.of(rows, "row")) that replay \(replay) changed in \(store)")
  }

  package static func listedChanges(_ rows: Int, ofReplaysOf store: String) -> Message {
    Message("listed \(Count.of(rows, "row")) that the replays of \(store) changed")
  }

  // MARK: - store undo

  package static func undoSkips(_ token: String, reason: String) -> Message {
    Message("\(token): skipped: \(reason)")
  }

  /// - Parameter reasons: each with its count, as `gone 1`.
  package static func wouldUndo(
    _ replay: Int, of store: String, restored: Int, skipped: Int, reasons: [String]
  ) -> Message {
    Message(
      "dry run of an undo of replay \(replay) of \(store): \(Count.of(restored, "row")) would be restored"
        + rest(skipped, reasons))
  }

  /// - Parameter id: the undo's own number.
  package static func undid(
    _ replay: Int, of store: String, as id: Int, restored: Int, skipped: Int, reasons: [String]
  ) -> Message {
    Message(
      "undid replay \(replay) of \(store), as \(id): \(Count.of(restored, "row")) restored"
        + rest(skipped, reasons))
  }

  private static func rest(_ skipped: Int, _ reasons: [String]) -> String {
    skipped > 0 ? "; \(Count.of(skipped, "row")) skipped (\(reasons.joined(separator: ", ")))" : ""
  }

  // MARK: - Store URLs

  // MARK: - Any store

  package static func notAStoreURL(_ text: String) -> Message {
    Message(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }

  /// - Parameter rest: what follows the slashes.
  package static func storeWithTwoSlashes(_ rest: String) -> Message {
    Message(
      "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
        + "for a relative path, sqlite:/\(rest) for an absolute one")
  }

  // MARK: - URIs of servers

  /// The part of a URI that is at fault.
  package enum URIPart: String, Sendable {
    case user = "the user"
    case password = "the password"
    case host = "the host"
    case database = "the database's name"
    case socket = "the socket's path"
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

  package static func notUTF8(in part: URIPart) -> Message { Message("\(part.rawValue) is not in UTF-8") }
}
