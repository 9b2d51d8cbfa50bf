import Basics

extension Message {
  /// What was done, and what is wrong with the inputs.
  package static func closing(_ done: Message, _ problems: [Message]) -> Message {
    Message("\(done); " + problems.map(\.text).joined(separator: "; "))
  }

  /// `39 records`, `200 requests, 1 response`, or all three.
  package static func recordCounts(
    feedback: Int, requests: Int = 0, responses: Int = 0, pushes: Int = 0
  ) -> Message {
    var counts: [String] = []
    if requests > 0 { counts.append(Count.of(requests, "request")) }
    if responses > 0 { counts.append(Count.of(responses, "response")) }
    if pushes > 0 { counts.append(Count.of(pushes, "push")) }
    if feedback > 0 || counts.isEmpty { counts.insert(Count.of(feedback, "record"), at: 0) }
    return Message(counts.joined(separator: ", "))
  }

  package static func requestsToResend(_ requests: Int, pushes: Int = 0) -> Message {
    let counts = [
      requests > 0 || pushes == 0 ? Count.of(requests, "request") : nil,
      pushes > 0 ? Count.of(pushes, "push") : nil,
    ]
    return Message("\(counts.compactMap { $0 }.joined(separator: ", ")) to send again")
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

  package static let nothingCarved = Message(
    "no record found; compressed and encrypted parts were not searched")

  /// Rows of an export.
  package static func rowCount(_ count: Int, _ noun: String) -> Message { Message(Count.of(count, noun)) }
}
