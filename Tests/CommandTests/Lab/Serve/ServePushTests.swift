import CommandTestSupport
import Foundation
import Testing

/// `serve --pushes` with a client whose HTTP/2 is that of curl.
@Suite("Serving pushes")
struct ServePushTests {
  private let directory: TestDirectory

  init() throws {
    directory = try TestDirectory()
    try directory.write(
      #"{"token":"aa11","status":410,"reason":"Unregistered","timestamp":1700000000123}"# + "\n",
      to: "log.ndjson")
  }

  private func push(_ token: String, to server: RunningServer, _ options: String = "") throws -> String {
    try directory.shell(
      "curl -q -s --http2-prior-knowledge -w ' %{http_code}' -d '{\"aps\":{}}' \(options) "
        + "http://127.0.0.1:\(server.port)/3/device/\(token)"
    ).text
  }

  @Test("--received has its name from the start, and what the client sent, but no secrets")
  func received() throws {
    let server = try directory.serve("--pushes", "log.ndjson", "--received", "sent.ndjson")
    #expect(try directory.text(of: "sent.ndjson") == "")
    let answer = try push(
      "AA11", to: server,
      "-H 'apns-topic: com.example.app' -H 'apns-priority: 5' -H 'authorization: bearer a.b.c' -H 'x-one: 1' -H 'x-api-key: k'"
    )
    #expect(answer == #"{"reason":"Unregistered","timestamp":1700000000123} 410"#)
    let sent = try Evidence.object(try directory.text(of: "sent.ndjson"))
    #expect(sent["topic"] as? String == "com.example.app" && sent["token_text"] as? String == "AA11")
    #expect(sent["payload_length"] as? Int == 10 && sent["status"] as? Int == 410)
    // As sha256sum prints it.
    #expect(
      sent["payload_sha256"] as? String == "4a81bb4d90a8236190b13e3eb683015de1baec4c0735e825767b37d3e03d5f97")
    let headers = try #require(sent["headers"] as? [String: String])
    #expect(headers["apns-topic"] == "com.example.app" && headers["apns-priority"] == "5")
    #expect(headers["x-one"] == "1" && headers["content-length"] == "10")
    #expect(headers["authorization"] == "bearer …" && headers["x-api-key"] == "…" && headers[":path"] == nil)
    #expect(try server.end().code == 0)
  }

  @Test("--strict refuses a push without a topic")
  func strict() throws {
    let server = try directory.serve("--pushes", "--strict", "log.ndjson")
    #expect(try push("aa11", to: server) == #"{"reason":"MissingTopic"} 400"#)
    #expect(
      try push("bb22", to: server, "-H 'apns-topic: com.example.app'") == " 200")
    #expect(try server.end().code == 0)
  }

  @Test(
    "outcomes that no service gives are refused",
    arguments: ["banana", "200:Foo", "301", "400:", "410:Unregistered:-1", "400:BadTopic:5"])
  func otherTokens(_ outcome: String) throws {
    let result = try directory.lab(
      "serve", "--pushes", "log.ndjson", "--port", "0", "--other-tokens", outcome)
    #expect(result.code == 64)
    #expect(
      result.messages.first
        == "the value '\(outcome)' is invalid for '--other-tokens <OUTCOME>': expected 200, STATUS:REASON "
        + "such as 400:BadDeviceToken, or 410:REASON:MILLISECONDS")
  }

  @Test("pushes without --pushes: the message names it")
  func hint() throws {
    let result = try directory.lab("serve", "log.ndjson", "--port", "0")
    #expect(result.code == 2)
    #expect(
      result.messages.first == "log.ndjson stream 0: not served: it has pushes; give --pushes to answer them")
  }
}
