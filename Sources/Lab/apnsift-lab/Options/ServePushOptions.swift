import APNsWire
import ArgumentParser
import CommandOptions
import Conformance
import MockServer

struct ServePushOptions: ParsableArguments {
  @Flag(help: "Answer pushes over HTTP/2 by token, with the outcomes of the inputs; and broadcasts.")
  var pushes = false
  @Option(
    help: .init(
      "Answer to other tokens, or to broadcast, create, read, list or delete; repeatable. (default: 200)",
      valueName: "[REQUEST=]OUTCOME"),
    transform: { try DemandedAnswer(argument: $0) })
  var answer: [DemandedAnswer] = []

  @Option(
    help: .init(
      "Write the requests of clients to FILE (NDJSON), or what they sent to FILE.pcapng; repeatable.",
      valueName: "FILE"))
  var received: [String] = []

  mutating func validate() throws {
    for name in requestFiles { try OutputName.check("--received", name, is: "ndjson") }
    if pushes { return }
    if !answer.isEmpty { throw ValidationError("--answer requires --pushes") }
    if !received.isEmpty { throw ValidationError("--received requires --pushes") }
  }

  /// The answers by what they are for, in their order.
  var demanded: [ServiceRequest: [PushAnswer]] {
    Dictionary(grouping: answer, by: \.request).mapValues { $0.map(\.answer) }
  }

  var requestFiles: [String] { received.filter { !Self.isCapture($0) } }
  var captureFiles: [String] { received.filter(Self.isCapture) }

  private static func isCapture(_ name: String) -> Bool { name.lowercased().hasSuffix(".pcapng") }
}

/// A value of `--answer`.
struct DemandedAnswer {
  let request: ServiceRequest
  let answer: PushAnswer

  private static let requests: [ServiceRequest] = [.push, .broadcast] + ServiceRequest.operations

  init(argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let request = parts.count == 1 ? .push : ServiceRequest(rawValue: String(parts[0]))
    guard let request, Self.requests.contains(request), let answer = Self.outcome(parts[parts.count - 1])
    else {
      throw ValidationError(
        "expected 200, STATUS:REASON such as 400:BadDeviceToken, 410:REASON:MILLISECONDS, 429:REASON:SECONDS, "
          + "reset, refuse, goaway or none; @MILLISECONDS after it delays it, and broadcast=, create=, read=, "
          + "list= or delete= before it says which requests get it")
    }
    (self.request, self.answer) = (request, answer)
  }

  private static func outcome(_ text: Substring) -> PushAnswer? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard let answer = answer(parts[0]), parts.count < 3 else { return nil }
    guard parts.count == 2 else { return answer }
    return UInt32(parts[1]).map { .late(answer, milliseconds: Int($0)) }
  }

  private static func answer(_ text: Substring) -> PushAnswer? {
    switch text {
    case "reset": .cancel
    case "refuse": .refuse
    case "goaway": .goaway
    case "none": .silence
    default: response(text).map { .response($0) }
    }
  }

  /// Only errors have a reason, only 410 has a time, and only 429 and 503 say when to try again.
  private static func response(_ text: Substring) -> PushResponse? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let status = Int(parts[0]), status == 200 ? parts.count == 1 : 400...599 ~= status,
      parts.dropFirst().allSatisfy({ !$0.isEmpty })
    else { return nil }
    var response = PushResponse(status: status, reason: parts.count > 1 ? String(parts[1]) : nil)
    guard parts.count > 2 else { return response }
    guard parts.count == 3, let number = Int64(parts[2]), number >= 0 else { return nil }
    switch status {
    case 410: response.timestamp = number
    case 429, 503: response.retryAfter = Int(number)
    default: return nil
    }
    return response
  }
}
