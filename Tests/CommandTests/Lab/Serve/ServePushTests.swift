import CommandTestSupport
import Foundation
import Testing

/// `serve --pushes` with a client whose HTTP/2 is that of curl. scripts/check-mock holds the captures of `--received`.
@Suite("Serving pushes")
struct ServePushTests {
  private let directory = TestDirectory()

  init() throws {
    try directory.write(
      #"{"token":"aa11","status":410,"reason":"Unregistered","timestamp":1700000000123}"# + "\n",
      to: "log.ndjson")
  }

  /// What curl prints of a request.
  private func curl(_ options: String, _ path: String, of server: RunningServer) throws -> String {
    let address = "http://127.0.0.1:\(server.port)/\(path)"
    return try directory.shell("curl -q -s --http2-prior-knowledge \(options) \(address)").text
  }

  private func push(_ token: String, to server: RunningServer, _ options: String = "") throws -> String {
    try curl("-w ' %{http_code}' -d '{\"aps\":{}}' \(options)", "3/device/\(token)", of: server)
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
    #expect(try push("bb22", to: server, "-H 'apns-topic: com.example.app'") == " 200")
    #expect(try server.end().code == 0)
  }

  private static let channels = "1/apps/com.example.app/channels"

  @Test("answers on demand, without an input: a channel, a broadcast to it, and when to try again")
  func demanded() throws {
    let server = try directory.serve(
      "--pushes", "/dev/null", "--answer", "429:TooManyRequests:30", "--answer",
      "create=503:Service Unavailable", "--answer", "create=200@1", "--received", "sent.ndjson")
    let body = #"{"push-type":"LiveActivity","message-storage-policy":0}"#
    let id = "pENK4mZKUnNQvdDwVOv27Q=="
    for answer in [#"{"reason":"Service Unavailable"}503 "#, "201 \(id)"] {
      let create = "-d '\(body)' -w '%{http_code} %header{apns-channel-id}'"
      #expect(try curl(create, Self.channels, of: server) == answer)
    }
    let fields = [
      "apns-channel-id: \(id)", "apns-push-type: liveactivity", "apns-priority: 5", "apns-expiration: 0",
    ].map { "-H '\($0)'" }.joined(separator: " ")
    let sent = "-d '{}' \(fields) -w '%{http_code}'"
    #expect(try curl(sent, "4/broadcasts/apps/com.example.app", of: server) == "200")
    #expect(try push("aa", to: server, "-w ' %header{retry-after}'") == #"{"reason":"TooManyRequests"} 30"#)
    #expect(try server.end().code == 0)
    let lines = try Evidence.lines(try directory.text(of: "sent.ndjson"))
    #expect(
      lines.map { $0["type"] as? String } == [
        "received-channel", "received-channel", "received-broadcast", "received-push",
      ])
    #expect(lines.map { $0["status"] as? Int } == [503, 201, 200, 429])
    #expect(lines[1]["operation"] as? String == "create" && lines[1]["storage_policy"] as? Int == 0)
    #expect(lines[2]["app"] as? String == "com.example.app" && lines[2]["channel_id"] as? String == id)
    #expect(lines[3]["retry_after"] as? Int == 30)
  }

  /// The first message of a server that does not begin.
  private func refusal(_ code: Int32, _ options: String...) throws -> String {
    try #require(
      try directory.lab(["serve", "log.ndjson", "--port", "0"] + options).exits(code).messages.first)
  }

  @Test(
    "outcomes that no service gives are refused",
    arguments: [
      "banana", "200:Foo", "301", "400:", "410:Unregistered:-1", "400:BadTopic:5", "200@", "200@x", "200@1@1",
      "=200", "channel=200", "create=reset:1",
    ])
  func outcomes(_ outcome: String) throws {
    let start =
      "the value '\(outcome)' is invalid for '--answer <[REQUEST=]OUTCOME>': expected 200, STATUS:REASON "
      + "such as 400:BadDeviceToken, "
    #expect(try refusal(64, "--pushes", "--answer", outcome).hasPrefix(start))
  }

  @Test("requests of clients are NDJSON, and no file of another format gets them")
  func otherFormat() throws {
    let start = "--received sent.pcap names a .pcap file, but the output is ndjson"
    #expect(try refusal(64, "--pushes", "--received", "sent.pcap").hasPrefix(start))
    #expect(try directory.names == ["log.ndjson"])
  }

  @Test("a request for channels with a method that makes none has no operation")
  func otherMethod() throws {
    let server = try directory.serve("--pushes", "log.ndjson", "--received", "sent.ndjson")
    #expect(try curl("-X PUT", Self.channels, of: server) == #"{"reason":"MethodNotAllowed"}"#)
    #expect(try server.end().code == 0)
    let sent = try Evidence.object(try directory.text(of: "sent.ndjson"))
    #expect(sent["type"] as? String == "received-channel" && sent["operation"] is NSNull)
  }

  @Test("pushes without --pushes: the message names it")
  func hint() throws {
    #expect(
      try refusal(2) == "log.ndjson stream 0: not served: it has pushes; give --pushes to answer them")
  }
}
