import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Dumps of requests and responses: detected by content, named, and in pairs.
@Suite("Dumps of a gateway connection")
struct GatewayDumpTests {
  private let directory = TestDirectory(["sent": Self.sent, "received": Self.received])
  private static let pushes = (0..<20).map { Push(UInt8($0 % 3), UInt32(0x7e57_b701 + $0), token: token($0)) }
  private static let sent = pushes.flatMap(\.bytes)
  private static let received = refusal(8, 0x7e57_b701 + 10)

  @Test("what is named is read so, though it looks like nothing", arguments: ["requests", "responses"])
  func named(_ streamProtocol: String) throws {
    // One request without JSON, which cannot be detected; and a response of unknown status.
    let push = Push(0, nil, token: token(3), payload: "hello")
    try directory.write(streamProtocol == "requests" ? push.bytes : refusal(99, 3), to: "dump")
    let exported = try directory.export("dump --protocol \(streamProtocol) --from raw".words)
    let guessed = try directory.export("dump --protocol \(streamProtocol)".words)
    for one in [exported, guessed] { #expect(one.objects(String(streamProtocol.dropLast())).count == 1) }
    #expect(exported.codes.isEmpty && guessed.codes == ["unrecognised-input"])
    let message: Message =
      "no known format; read as raw \(streamProtocol). Use --from raw if that is right, --from hex or base64 "
      + "if it is text"
    #expect(guessed.outcome.said(message))
  }

  @Test("of a pair, each half may have a form of its own")
  func pairs() throws {
    try directory.write(hex(Self.sent) + "\n", to: "sent")
    try directory.write(try directory.tool("gzip", ["-c"], input: .bytes(Self.received)), to: "received")
    let exported = try directory.export(pair)
    #expect(exported.outcomes == String(repeating: "a", count: 10) + "r" + String(repeating: "d", count: 9))
    #expect(exported.objects.dropFirst().dropLast().allSatisfy { $0["source"] as? String == "sent" })
    #expect(exported.codes.isEmpty && exported.outcome.code == 0, "\(exported.outcome.errors)")
    let inputs = try #require(exported.summary["inputs"] as? [Evidence.Object])
    #expect(inputs.map { $0["source"] as? String } == ["sent", "received"])
  }

  @Test("either half from standard input", arguments: ["sent", "received"])
  func standardInput(_ half: String) throws {
    let exported = try directory.export(pair.map { $0 == half ? "-" : $0 }, input: .file(half))
    #expect(exported.outcomes.filter { $0 == "r" } == "r" && exported.outcomes.count == 20)
    #expect(exported.objects("request").first?["source"] as? String == (half == "sent" ? "-" : "sent"))
  }

  @Test(
    "an empty half says nothing",
    arguments: [("sent", "", [["uncorrelated"]]), ("received", String(repeating: "u", count: 20), [])])
  func emptyHalf(_ empty: String, _ outcomes: String, _ flags: [[String]]) throws {
    try directory.write([], to: empty)
    let exported = try directory.export(pair)
    #expect(exported.outcomes == outcomes && exported.responseFlags == flags)
    #expect(exported.outcome.code == 0 && exported.codes.isEmpty, "\(exported.outcome.errors)")
    #expect(exported.outcome.messages.contains(Message.about(empty, .empty).text))
  }

  @Test("a half that looks like nothing is read as what it was said to be, and called so")
  func oddHalf() throws {
    try directory.writePair(Push(0, nil, token: token(3), payload: "hello").bytes, refusal(99, 3))
    let exported = try directory.export(pair)
    #expect(exported.outcomes == "u" && exported.objects("response").count == 1)
    #expect(!exported.outcome.errors.contains("feedback"), "\(exported.outcome.errors)")
  }

  @Test(
    "a half that is missing, or holds whole streams, fails, and the other is read",
    arguments: ["missing", "capture", "directory"], ["sent", "received"])
  func badHalf(_ what: String, _ bad: String) throws {
    _ = try directory.tool("rm", [bad])
    if what == "capture" {
      try directory.writeCapture(Conversation([.init(.client, Self.sent)]).segments(), to: bad)
    }
    if what == "directory" { try directory.makeDirectory(bad) }
    let exported = try directory.export(pair)
    exported.outcome.exits(2, saying: "\(bad): ")
    #expect(exported.findings("unreadable-input").count == 1)
    #expect(exported.outcomes == (bad == "sent" ? "" : String(repeating: "u", count: 20)))
    #expect(exported.objects("response").count == (bad == "sent" ? 1 : 0))
    #expect(exported.streams.count == 1)
  }

  @Test("the same file twice is requests and responses at once")
  func sameFile() throws {
    let exported = try directory.export("--requests sent --responses sent".words)
    #expect(exported.objects("request").count == 20)
    #expect(exported.outcome.code == 0)
    #expect(exported.findings("skipped-bytes").allSatisfy { $0["direction"] as? String == "server" })
  }

  static let wrong: [(line: String, message: Message)] = [
    ("--requests sent", .requestsWithoutResponses), ("--responses received", .requestsWithoutResponses),
    ("--requests sent dump.bin", .requestsWithoutResponses),
    ("PAIR dump.bin", "--requests and --responses exclude other inputs and --join"),
    ("PAIR --join", "--requests and --responses exclude other inputs and --join"),
    ("--requests - --responses -", .standardInputTwice),
    (
      "PAIR --protocol feedback",
      "--requests and --responses are dumps of a gateway connection: leave out --protocol feedback "
        + "and --filter"
    ),
    ("--max-payload 65536 dump.bin", .outOfRange("--max-payload", "65536", 0...65_535)),
  ]

  @Test("wrong usage", arguments: wrong)
  func usage(_ line: String, _ message: Message) throws {
    try directory.write(Self.sent, to: "dump.bin")
    let outcome = try directory.apnsift(["export"] + line.words.flatMap { $0 == "PAIR" ? pair : [$0] })
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(outcome.messages.first == message.text)
  }

  // MARK: - What is written

  @Test("the hint names what a table of feedback leaves out")
  func hint() throws {
    try directory.writePair(Push(2, 1, token: token(1)).bytes, refusal(8, 1) + refusal(8, 2))
    let outcome = try directory.apnsift(["export"] + pair).exits(0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.messages.first == Message.leftOut(requests: 1, responses: 2, findings: 0).text)
    let named = try directory.apnsift(["export"] + pair + ["--records", "responses"])
    #expect(named.messages.count == 1 && named.lines.count == 3)
  }

  @Test(
    "only what was named",
    arguments: [
      ("requests", ["request", "request", "request"]), ("responses", ["response"]), ("resend", ["request"]),
      ("feedback", []), ("streams", ["stream"]), ("findings", []),
    ])
  func kinds(_ kind: String, _ types: [String]) throws {
    try directory.writeCapture(GatewayScript("1 2 3 !8:2").segments)
    let exported = try directory.export("capture.pcap", "--records", kind)
    #expect(exported.objects.dropFirst().dropLast().compactMap { $0["type"] as? String } == types)
    guard kind == "resend" else { return }
    #expect(exported.outcomes == "d")
    let done = Message.closing(.exported("1 request to send again", inputs: 1), [.noProblems])
    #expect(exported.outcome.messages.last == done.text)
  }
}
