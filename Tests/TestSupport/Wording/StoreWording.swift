import Basics

extension Message {
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

  package static func notUndone(
    _ replay: Int, of store: String, skipped: Int, reasons: [String]
  ) -> Message {
    Message("replay \(replay) of \(store) is not undone: no row can be restored" + rest(skipped, reasons))
  }

  private static func rest(_ skipped: Int, _ reasons: [String]) -> String {
    skipped > 0 ? "; \(Count.of(skipped, "row")) skipped (\(reasons.joined(separator: ", ")))" : ""
  }

  /// - Parameter rest: what follows the slashes.
  package static func storeWithTwoSlashes(_ rest: String) -> Message {
    Message(
      "token store 'sqlite://\(rest)': expected sqlite:PATH without slashes of a URL; write sqlite:\(rest) "
        + "for a relative path, sqlite:/\(rest) for an absolute one")
  }

  package static func notAStoreURL(_ text: String) -> Message {
    Message(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }

  /// The part of a URI that is at error.
  package enum URIPart: String, Sendable {
    case user = "the user"
    case password = "the password"
    case host = "the host"
    case database = "the database's name"
    case socket = "the socket's path"
  }

  package static func bothEnvironments(in store: String) -> Message {
    Message("\(store) has tokens of production and of sandbox: choose one with --environment")
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

  package static func notUTF8(in part: URIPart) -> Message { Message("\(part.rawValue) is not in UTF-8") }
}
