import Basics

/// A journal's records, as text and JSON (docs/spec/interface.md#journal-and-undo).
package enum HistoryReport {
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
        ("rows", .int(record.rows)),
      ] + record.counts.named.map { ($0.name, .int($0.count)) } + [
        ("undoes", JSONValue(record.undoes)),
        ("undone_by", JSONValue(record.undoneBy)),
        ("mapping", entry.mapping.map(JSONValue.verbatim) ?? .null),
        ("pending", .bool(record.isPending)),
        ("unfinished", .bool(record.isUnfinished)),
      ])
  }

  package static func text(_ record: JournalRecord) -> String {
    let at = TokenRowWriter.time(record.entry.at) ?? ""
    let head = "\(record.id)  \(at)  \(VisibleText.of(record.owner.text))  "
    if let undone = record.undoes {
      return head + "undid \(undone): \(Count.of(record.counts.updated, "row")) restored\(warning(record))\n"
    }
    let outcomes = record.counts.named.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    var text = head + "\(Count.of(record.entry.tuples, "tuple")), \(Count.of(record.counts.tokens, "token"))"
    if !outcomes.isEmpty { text += ": " + outcomes.joined(separator: ", ") }
    if record.rows != record.counts.changes { text += "; \(Count.of(record.rows, "row")) changed" }
    if let undo = record.undoneBy { text += "; undone by \(undo)" }
    text += warning(record) + "\n"
    for input in record.entry.inputs {
      text +=
        "   \(VisibleText.of(input.source))  \(Count.of(input.bytes, "byte"))  SHA-256 \(input.sha256)\n"
    }
    return text
  }

  private static func warning(_ record: JournalRecord) -> String {
    record.isPending
      ? "; pending: the next replay or undo finds out whether it completed"
      : record.isUnfinished ? "; unfinished: the same command continues it" : ""
  }
}
