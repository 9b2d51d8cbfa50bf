import ArgumentParser
import Basics
import CommandOptions
import Conformance
import MockServer

struct ServePushOptions: ParsableArguments {
  @Flag(help: "Answer pushes over HTTP/2 with the outcomes of the inputs, by token.")
  var pushes = false
  @Option(
    help: .init(
      "Answer to other tokens: STATUS or STATUS:REASON. (default: 200)", valueName: "OUTCOME"),
    transform: { try PushAnswer(argument: $0) })
  var otherTokens: PushAnswer?

  @Option(help: .init("Write the requests of clients to FILE (NDJSON).", valueName: "FILE"))
  var received: String?

  mutating func validate() throws {
    if pushes { return }
    let given = [otherTokens.map { _ in "--other-tokens" }, received.map { _ in "--received" }]
    if let option = given.compactMap({ $0 }).first { throw ValidationError("\(option) requires --pushes") }
  }
}

extension PushAnswer {
  /// `200`, `400:BadDeviceToken`, `410:Unregistered:1700000000123`: only errors have a reason, and only 410 has a time.
  fileprivate init(argument: String) throws {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    let time = parts.count > 2 ? Int64(parts[2]) : nil
    guard let status = Int(parts[0]), status == 200 ? parts.count == 1 : (400...599).contains(status),
      parts.count < 3 || parts.count == 3 && status == 410 && (time ?? -1) >= 0,
      parts.dropFirst().allSatisfy({ !$0.isEmpty })
    else {
      throw ValidationError(
        "expected 200, STATUS:REASON such as 400:BadDeviceToken, or 410:REASON:MILLISECONDS")
    }
    self = .response(
      PushResponse(status: status, reason: parts.count > 1 ? String(parts[1]) : nil, timestamp: time))
  }
}
