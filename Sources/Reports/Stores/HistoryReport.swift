import JSON
import Platform
import TokenStores
import WireBytes

/// A journal's records, for people and for machines (interface.md, "replay and store").
package enum HistoryReport {
  private static func counts(_ counts: ReplayCounts) -> [(name: String, count: Int)] {
    [
      ("invalidated", counts.invalidated), ("updated", counts.updated), ("inserted", counts.inserted),
      ("unchanged", counts.unchanged), ("kept", counts.kept), ("unknown", counts.unknown),
      ("rejected", counts.rejected),
    ]
  }

  package static func json(_ record: JournalRecord) -> JSONValue {
    let entry = record.entry
    let inputs = entry.inputs.map { input in
      JSONValue.object([
        ("source", .string(input.source)), ("sha256", .string(input.sha256)), ("bytes", .int(input.bytes)),
      ])
    }
    return .object(
      [
        ("id", .int(record.id)),
        ("at", JSONValue(TokenRowWriter.time(entry.at))),
        ("version", .string(entry.version)),
        ("app", .string(record.owner.app)),
        ("environment", .string(record.owner.environment.rawValue)),
        ("inputs", .array(inputs)),
        ("options", .verbatim(entry.options)),
        ("tuples", .int(entry.tuples)),
        ("tokens", .int(record.undoes == nil ? record.counts.tokens : 0)),
      ] + counts(record.counts).map { ($0.name, .int($0.count)) } + [
        ("undoes", JSONValue(record.undoes)),
        ("undone_by", JSONValue(record.undoneBy)),
        ("mapping", entry.mapping.map(JSONValue.verbatim) ?? .null),
        ("pending", .bool(record.isPending)),
      ])
  }

  package static func text(_ record: JournalRecord) -> String {
    let at = TokenRowWriter.time(record.entry.at) ?? ""
    let head = "\(record.id)  \(at)  \(VisibleText.of(record.owner.text))  "
    if let undone = record.undoes {
      return head + "undid \(undone): \(Count.of(record.counts.updated, "row")) restored\(doubt(record))\n"
    }
    let outcomes = counts(record.counts).filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    var text = head + "\(Count.of(record.entry.tuples, "tuple")), \(Count.of(record.counts.tokens, "token"))"
    if !outcomes.isEmpty { text += ": " + outcomes.joined(separator: ", ") }
    if let undo = record.undoneBy { text += "; undone by \(undo)" }
    text += doubt(record) + "\n"
    for input in record.entry.inputs {
      text +=
        "   \(VisibleText.of(input.source))  \(Count.of(input.bytes, "byte"))  SHA-256 \(input.sha256)\n"
    }
    return text
  }

  private static func doubt(_ record: JournalRecord) -> String {
    record.isPending ? "; not known yet whether it was done: the next replay or undo finds out" : ""
  }

  /// Writes the rows that the replay `id` changed, as JSON or CSV; returns how many.
  package static func write(
    changesOf id: Int, in store: TokenStore, asJSON: Bool, to output: OutputBuffer
  ) throws -> Int {
    var count = 0
    try output.append(
      asJSON
        ? "[\n"
        : CSVText.line(["token", "outcome", "registered_at", "invalidated_before", "invalidated_at"]))
    try store.changes(of: id) { change in
      let separator = asJSON && count > 0 ? ",\n" : ""
      try output.append(separator + (asJSON ? json(change).text : CSVText.line(fields(change))))
      count += 1
    }
    if asJSON { try output.append("\n]\n") }
    return count
  }

  private static func fields(_ change: JournalChange) -> [String] {
    [
      Hex.string(change.token), change.outcome.name, TokenRowWriter.time(change.after.registeredAt) ?? "",
      TokenRowWriter.time(change.before?.invalidatedAt) ?? "",
      TokenRowWriter.time(change.after.invalidatedAt) ?? "",
    ]
  }

  private static func json(_ change: JournalChange) -> JSONValue {
    .object([
      ("token", .string(Hex.string(change.token))),
      ("outcome", .string(change.outcome.name)),
      ("registered_at", JSONValue(TokenRowWriter.time(change.after.registeredAt))),
      ("invalidated_before", JSONValue(TokenRowWriter.time(change.before?.invalidatedAt))),
      ("invalidated_at", JSONValue(TokenRowWriter.time(change.after.invalidatedAt))),
    ])
  }
}
