import Basics

extension Message {
  /// What was done, and what is wrong with the inputs.
  package static func closing(_ done: Message, _ problems: [Message]) -> Message {
    Message("\(done); " + problems.map(\.text).joined(separator: "; "))
  }

  /// - Parameter inputs: the number of all inputs, each of which is empty.
  package static func allEmpty(inputs: Int) -> Message {
    Message(inputs == 1 ? "the input is empty" : "\(inputs) inputs are empty")
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

  /// What a replay did, or would do.
  /// - Parameters:
  ///   - pushes: number of pushes with status 410.
  ///   - rejections: invalid-token responses; nil if they were not requested.
  ///   - tokens: distinct tokens of the records.
  ///   - rows: rows that changed.
  ///   - changes: tokens that changed.
  package static func replayed(
    tuples: Int, pushes: Int = 0, rejections: Int? = nil, tokens: Int, of owner: String, rows: Int,
    changes: Int,
    in store: String, dryRun: Bool
  ) -> Message {
    let ofTuples = tuples > 0 || pushes == 0 ? Count.of(tuples, "tuple") : nil
    let ofPushes = pushes > 0 ? Count.of(pushes, "invalidated push") : nil
    let errors = rejections.map { Count.of($0, "invalid-token response") }
    let records = [ofTuples, ofPushes, errors].compactMap { $0 }
    let last = records.count > 1 ? " and \(records[records.count - 1])" : ""
    let input =
      records.prefix(max(records.count - 1, 1)).joined(separator: ", ") + last
      + " with \(Count.of(tokens, "distinct token")) of \(owner)"
    let tokens = rows == changes ? "" : " with \(Count.of(changes, "token"))"
    let changed = "\(Count.of(rows, "row"))\(tokens) of \(store)"
    return Message(
      dryRun ? "dry run of \(input): \(changed) would change" : "replayed \(input): \(changed) changed")
  }

  /// - Parameter use: such as `one of the inputs`.
  package static func outputIsRead(_ path: String, _ use: String) -> Message {
    Message("\(path) is \(use): name another file to write")
  }

  /// - Parameter flags: each with its count, such as `resynchronised 2`.
  package static func flagCounts(_ flags: [String]) -> Message {
    Message("flags: \(flags.joined(separator: ", "))")
  }

  package static let nothingCarved = Message(
    "no record found; compressed and encrypted parts were not searched")

  package static func noBytes(atOffset offset: Int) -> Message {
    Message("no selected stream has bytes at offset \(offset)")
  }

  package static func noBytes(inPacket number: Int) -> Message {
    Message("no packet \(number) with bytes of a selected stream")
  }

  /// Rows of an export.
  package static func rowCount(_ count: Int, _ noun: String) -> Message { Message(Count.of(count, noun)) }
}
