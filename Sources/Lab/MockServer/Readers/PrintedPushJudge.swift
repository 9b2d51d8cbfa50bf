import Basics
import Conformance
import ReaderModels

/// Judges a client of pushes, which prints a line `token,status,reason,timestamp` for each token, by the answers that the
/// server gave it. A client may send a push again: its last answer counts.
struct PrintedPushJudge: PrintedJudge {
  private let tokens: [String]
  private let known: Set<String>
  /// The last answer to a token, in lower case; nil if the server gave none.
  private let answer: (_ token: String) -> GivenAnswer
  /// The tokens that were reported correctly.
  private var done: Set<String> = []
  private var judgement = Judgement()

  /// The server's part in a push.
  enum GivenAnswer {
    case neverAsked
    /// A reset, or a GOAWAY.
    case noResponse
    case response(PushResponse)
  }

  init(_ tokens: [String], answer: @escaping (_ token: String) -> GivenAnswer) {
    (self.tokens, known, self.answer) = (tokens, Set(tokens), answer)
  }

  mutating func take(_ line: ArraySlice<UInt8>, isCut _: Bool) {
    defer { judgement.records += 1 }
    guard let printed = PrintedPush(line) else {
      return judgement.differ(
        nil, PrintedText.quoted(line),
        "the line is not a record: expected `token,status,reason,timestamp`, the last two may be empty")
    }
    guard known.contains(printed.token) else {
      return judgement.differ(nil, printed.text, "the token is none of those on standard input")
    }
    guard !done.contains(printed.token) else {
      return judgement.differ(nil, printed.text, "the token was reported before")
    }
    let given = answer(printed.token)
    let expected = PrintedPush(printed.token, given)
    if case .neverAsked = given {
      judgement.differ(nil, printed.text, "the client reported a token that it sent no push to")
    } else if printed == expected {
      done.insert(printed.token)
    } else if judgement.firstDifference == nil {
      // It may take a look at all tokens.
      let reason = reason(printed, expected, given)
      judgement.differ(expected.text, printed.text, reason)
    }
  }

  private func reason(_ printed: PrintedPush, _ expected: PrintedPush, _ given: GivenAnswer) -> Message {
    if case .noResponse = given {
      return "the server gave no answer to this push, and the client reported one"
    }
    if let other = tokens.first(where: { $0 != printed.token && isAnswer(printed, to: $0) }) {
      return "this is the answer to \(other): answers come in any order, each on the stream of its request"
    }
    if printed.status != expected.status { return "the status is that of no answer to this token" }
    if printed.reason != expected.reason { return "the reason differs from the one in the body" }
    return "the timestamp differs from the one in the body, which is in milliseconds"
  }

  /// Many tokens have the same answer without a reason.
  private func isAnswer(_ printed: PrintedPush, to token: String) -> Bool {
    guard case .response(let response) = answer(token), response.reason != nil else { return false }
    return PrintedPush(printed.token, .response(response)) == printed
  }

  consuming func finish(outcome: ReaderOutcome) -> Judgement {
    let (tokens, done, answer) = (tokens, done, answer)
    if let token = tokens.first(where: { !done.contains($0) }) {
      judgement.differ(
        PrintedPush(token, answer(token)).text, nil,
        "\(outcome.message), and never reported \(Count.of(tokens.count - done.count, "token"))")
    }
    judgement.correct = done.count
    return judgement.ended(outcome, of: tokens.count)
  }
}

/// A line of a client of pushes.
private struct PrintedPush: Equatable {
  /// In lower case.
  var token: String
  var status: Int?
  var reason: String
  var timestamp: Int64?

  init?(_ line: ArraySlice<UInt8>) {
    let fields = String(decoding: line, as: UTF8.self)
      .split(separator: ",", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 4 else { return nil }
    (token, reason) = (fields[0].lowercased(), fields[2])
    (status, timestamp) = (Int(fields[1]), Int64(fields[3]))
    guard !token.isEmpty, status != nil || fields[1].isEmpty, timestamp != nil || fields[3].isEmpty
    else { return nil }
  }

  init(_ token: String, _ given: PrintedPushJudge.GivenAnswer) {
    self.token = token
    reason = ""
    guard case .response(let response) = given else { return }
    (status, reason, timestamp) = (response.status, response.reason ?? "", response.timestamp)
  }

  var text: String {
    "\(token),\(status.map(String.init) ?? ""),\(reason),\(timestamp.map(String.init) ?? "")"
  }
}
