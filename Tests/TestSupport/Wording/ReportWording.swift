import Basics

/// Of what a command has done.
extension Message {
  /// What was done, and what is wrong with the inputs.
  package static func closing(_ done: Message, _ problems: [Message]) -> Message {
    Message("\(done); " + problems.map(\.text).joined(separator: "; "))
  }

  /// What CSV of feedback leaves out, of which at least one is above 0.
  package static func leftOut(requests: Int, responses: Int, pushes: Int = 0, findings: Int) -> Message {
    let kinds = [
      (requests, "request", "--records requests"), (responses, "response", "--records responses"),
      (pushes, "push", "--records pushes"),
      (findings, "finding", "--findings FILE or --records findings"),
    ].filter { $0.0 > 0 }
    let counts = kinds.map { Count.of($0.0, $0.1) }.joined(separator: ", ")
    let remedies = kinds.map(\.2).joined(separator: ", ")
    return Message("hint: \(counts) left out; \(remedies) \(kinds.count == 1 ? "has" : "have") them")
  }

  /// - Parameter use: such as `one of the inputs`.
  package static func outputIsRead(_ path: String, _ use: String) -> Message {
    Message("\(path) is \(use): name another file to write")
  }

  /// - Parameter rows: as in `rowCount` and `recordCounts`.
  package static func exported(_ rows: Message, inputs: Int) -> Message {
    Message("exported \(rows) of \(Count.of(inputs, "input"))")
  }

  /// The inventory.
  /// - Parameter inputs: files that were read.
  package static func exported(files: Int, inputs: Int) -> Message {
    Message("listed \(Count.of(files, "file")), \(Count.of(inputs, "input")) read")
  }

  /// The bytes of streams, a file a direction.
  package static func exported(directions: Int, streams: Int, to directory: String) -> Message {
    Message("exported \(Count.of(directions, "direction")) of \(Count.of(streams, "stream")) to \(directory)")
  }
}
