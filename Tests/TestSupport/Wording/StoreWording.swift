import Basics

extension Message {
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

  package static func registeredNow(_ path: String, without column: String) -> Message {
    Message(
      "\(path): no column \(column): all rows count as registered now; --registered-column names another column, "
        + "--at another time")
  }

  package static func notAStoreURL(_ text: String) -> Message {
    Message(
      "token store '\(text)': expected sqlite:PATH"
        + (text.isEmpty ? ", as in sqlite:tokens.sqlite" : "; for that file write sqlite:\(text)"))
  }
}
