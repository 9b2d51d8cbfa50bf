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

  package static let insertUnknownWithoutMapping = Message(
    "--insert-unknown requires --mapping: add a mapping, or remove the option")

  package static func makingStore(_ store: String) -> Message {
    Message("no store is named: making \(store)")
  }

  package static func noStoreNamed(forTable table: String) -> Message {
    Message("no store is named: name the database that has the table \(table) with --store")
  }

  // MARK: - store list, show, export, history

  package static func listedTokens(_ count: Int, _ tokens: StoredTokens, of store: String) -> Message {
    Message("listed \(Count.of(count, tokens.rawValue)) of \(store)")
  }

  package static func tokenNotInStore(_ token: String, _ store: String) -> Message {
    Message("\(token): not in \(store)")
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
}
