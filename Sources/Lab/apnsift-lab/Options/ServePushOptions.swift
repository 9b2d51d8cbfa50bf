import ArgumentParser
import Basics
import CommandOptions
import MockServer

/// The answers of `serve --pushes`.
struct ServePushOptions: ParsableArguments {
  @Flag(help: "Answer pushes over HTTP/2 with the outcomes of the inputs, by token.")
  var pushes = false

  @Option(
    help: .init(
      "Answer to other tokens: STATUS or STATUS:REASON. (default: 200)", valueName: "OUTCOME"))
  var otherTokens: PushAnswerArgument?

  @Option(help: .init("Write the requests of clients to FILE (NDJSON).", valueName: "FILE"))
  var received: String?

  mutating func validate() throws {
    if pushes { return }
    let given = [otherTokens.map { _ in "--other-tokens" }, received.map { _ in "--received" }]
    if let option = given.compactMap({ $0 }).first { throw ValidationError("\(option) requires --pushes") }
  }
}

/// `200`, `400:BadDeviceToken`, `410:Unregistered:1700000000123`.
struct PushAnswerArgument: ExpressibleByArgument {
  var answer: PushAnswer

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let status = Int(parts[0]), (200...599).contains(status) else {
      return nil
    }
    var response = PushResponse(status: status)
    if parts.count > 1 { response.reason = String(parts[1]) }
    if parts.count > 2 {
      guard let time = Int64(parts[2]), time >= 0 else { return nil }
      response.timestamp = time
    }
    answer = .response(response)
  }
}
