import ProviderLogs
import TestSupport
import Testing

/// Objects of several lines, texts in texts, and what only looks like them.
@Suite("docs/spec/provider-logs.md#several-lines")
struct StructureTests {
  private static let token = "18d6e1cac2a8adaf25577cca14db7753507f4f03a288124ce9fe2d60babd7bb0"
  private static let other = "98ce94b2b196906ca4859e068b8ef92e6de9e641972d54de4af1d6eaa6431147"

  static let cases: [LogCase] = [
    LogCase(
      "an object of several lines between others",
      "{\"token\":\"ab\",\"status\":200}\n{\n  \"token\": \"cd\",\n  \"status\": 400\n}\n{\"token\":\"ef\",\"status\":200}\n",
      "push 1 token=ab status=200", "push 3 token=cd status=400", "push 6 token=ef status=200"),
    LogCase(
      "a list of several lines that is cut off",
      "[\n  {\n    \"token\": \"ab\",\n    \"status\": 200\n  },\n  {\n    \"token\": \"cd\",\n    \"sta",
      "passed", "passed", "push 3 token=ab status=200", "passed", "truncated"),
    LogCase(
      "a bracket that nothing closes hides no line",
      "starting {\n  token=\(token) status=410 reason=Unregistered\nnext\n", "unrelated 1+1",
      "push 2 token=\(token) status=410 reason=Unregistered", "unrelated 3+1"),
    LogCase(
      "two tokens in a line without names say nothing of either",
      "\(token) \(other) Unregistered\n", "bad 1+1 twoValues"),
    LogCase(
      "a hash is no token without an answer of the service", "digest \(token) status 200\n", "unrelated 1+1"),
    LogCase(
      "a token of another kind with a status is no push", "token=\(token) path=/login\n", "unrelated 1+1"),
    LogCase(
      "names in what was sent do not count",
      "token=\(token) status=200 payload={\"reason\":\"Unregistered\",\"status\":410}\n",
      "push 1 token=\(token) status=200"),
    LogCase(
      "half a token is none", "device \(token.prefix(40)) failed: 410 Unregistered\n", "unrelated 1+1"),
    LogCase(
      "text in a member of text",
      #"{"log":"{\"msg\":\"token=\#(token) status=410 reason=Unregistered\"}\n"}"#,
      "push 1 token=\(token) status=410 reason=Unregistered"),
    LogCase(
      "a time that is that of the beginning of its line",
      "[2023-11-20T08:00:01+0000] token=\(token) status=410 reason=Unregistered timestamp=1700467200500\n",
      "push 1 token=\(token) status=410 reason=Unregistered"),
    LogCase(
      "a time long before that of the beginning of its line",
      "2023-11-20T08:00:01Z app {\"token\":\"ab\",\"status\":410,\"timestamp\":\"2023-11-14T22:13:20Z\",\"level\":\"warn\"}\n",
      "push 1 token=ab status=410 time=1700000000000"),
    LogCase(
      "lines that end in carriage returns alone",
      "{\"token\":\"ab\",\"status\":200}\r{\"token\":\"cd\",\"status\":400}\r{\"token\":\"ef\",\"status\":200}\r",
      "push 1 token=ab status=200", "push 1 token=cd status=400", "push 1 token=ef status=200"),
    LogCase(
      "objects about one push, in either order",
      "a {\"token\":\"ab\",\"status\":200} {\"url\":\"/\"}\nb {\"url\":\"x\"} {\"token\":\"cd\",\"status\":200}\n",
      "push 1 token=ab status=200", "push 2 token=cd status=200"),
    LogCase(
      "a client's own reason has the client's own time",
      #"{"token":"ab","status":410,"reason":"UnknownError","timestamp":1700000000123}"#,
      "push 1 token=ab status=410 reason=UnknownError"),
  ]

  @Test(arguments: cases)
  func structure(_ log: LogCase) throws {
    #expect(try DecodedLog(log.log).steps == log.steps)
    for chunk in [1, 2, 3, 5, 17] { #expect(try DecodedLog(log.log, chunk: chunk).steps == log.steps) }
  }

  @Test("A list that is longer than a line may be, in one line and in many", arguments: ["", "\n  "])
  func longList(_ blank: String) throws {
    let element = "\(blank){\(blank)\"device\":\"\(Self.token)\",\"status\":\"400\"\(blank)}"
    let failed = Array(repeating: element, count: 2000).joined(separator: ",")
    let log =
      "{\"sent\":[{\"device\":\"ab\"}],\(blank)\"failed\":[\(failed)\(blank)]\(blank.isEmpty ? "" : "\n")}\n"
    for chunk in [1 << 20, 1000] {
      let pushes = try DecodedLog(log, chunk: chunk).pushes
      #expect(pushes.count == 2001)
      #expect(pushes.first?.hasSuffix("token=ab status=200 status-inferred") == true)
      #expect(pushes.dropFirst().allSatisfy { $0.hasSuffix("token=\(Self.token) status=400") })
    }
  }

  @Test(
    "Brackets without end take linear time", .timeLimit(.minutes(1)),
    arguments: ["{\n", " x {\n", "[[[[", "{([", "[{", "[{\"sent\":["])
  func open(_ text: String) throws {
    let log = Array(String(repeating: text, count: 100_000).utf8)
    #expect(try DecodedLog(log).extents.reduce(0) { $0 + $1.count } == log.count)
  }
}
