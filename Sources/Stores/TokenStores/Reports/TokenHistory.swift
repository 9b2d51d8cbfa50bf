import Reports
import Basics

/// What a store has of one token: its rows, and each replay that changed one, as text.
package struct TokenHistory {
  private let rows: [TokenRow]
  private let replays: [(record: JournalRecord, change: JournalChange)]
  private let storeName: String

  package init(of token: [UInt8], in store: TokenStore) throws {
    storeName = store.name
    rows = try store.rows(of: [token], in: AppEnvironmentFilter())
    var replays: [(JournalRecord, JournalChange)] = []
    for record in try store.history() where record.undoes == nil {
      try store.changes(of: record.id) { change in
        if change.token == token { replays.append((record, change)) }
      }
    }
    self.replays = replays
  }

  package var isEmpty: Bool { rows.isEmpty && replays.isEmpty }

  package func text(_ style: TextStyle) -> String {
    let head =
      style.bold(VisibleText.of(storeName)) + (rows.isEmpty ? "\nthe token is not in the store\n" : "\n")
    return head + rows.map(TokenRowWriter.text).joined()
      + replays.map { Self.text($0.record, $0.change) }.joined()
  }

  private static func text(_ record: JournalRecord, _ change: JournalChange) -> String {
    let at = TokenRowWriter.time(record.entry.at) ?? "unknown"
    let key = change.key.map { ", row \(VisibleText.of($0))" } ?? ""
    let times = [
      TokenRowWriter.time(change.before?.invalidatedAt).map { "invalidated before at \($0)" },
      TokenRowWriter.time(change.after.invalidatedAt).map { "invalidated at \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
    let undone = record.undoneBy.map { "; undone by \($0)" } ?? ""
    let pending = record.isPending ? "; pending" : ""
    return
      "  replay \(record.id) at \(at), \(VisibleText.of(record.owner.text))\(key): \(change.outcome.name), "
      + "\(times)\(undone)\(pending)\n" + origin(of: change, in: record.entry)
  }

  private static func origin(of change: JournalChange, in entry: JournalEntry) -> String {
    guard let origin = change.origin, entry.inputs.indices.contains(origin.input) else { return "" }
    let input = entry.inputs[origin.input]
    return
      "    by \(VisibleText.of(input.source)), stream \(origin.stream), offset \(origin.offset), SHA-256 \(input.sha256)\n"
  }
}
