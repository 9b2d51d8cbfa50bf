import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Dumps of requests and responses: detected by content, named, and in pairs.
@Suite("Dumps of a gateway connection")
struct GatewayDumpTests {
  private let directory = TestDirectory()
  private static let pushes = (0..<20).map { Push(UInt8($0 % 3), UInt32(0x7e57_b701 + $0), token: token($0)) }
  private static let sent = pushes.flatMap(\.bytes)
  private static let received = refusal(8, 0x7e57_b701 + 10)

  @Test("what is named is read so, though it looks like nothing", arguments: ["requests", "responses"])
  func named(_ streamProtocol: String) throws {
    // One request without JSON, which cannot be detected; and a response of unknown status.
    let push = Push(0, nil, token: token(3), payload: "hello")
    try directory.write(streamProtocol == "requests" ? push.bytes : refusal(99, 3), to: "dump")
    let exported = try directory.export(["dump", "--protocol", streamProtocol, "--from", "raw"])
    #expect(exported.objects(String(streamProtocol.dropLast())).count == 1)
    #expect(exported.codes.isEmpty)
    let guessed = try directory.export(["dump", "--protocol", streamProtocol])
    #expect(guessed.objects(String(streamProtocol.dropLast())).count == 1)
    #expect(guessed.codes == ["unrecognised-input"])
    #expect(
      guessed.outcome.said(
        Message(
          "no known format; read as raw \(streamProtocol). Use --from raw if that is right, --from hex or "
            + "base64 if it is text")))
  }

  // MARK: - Pairs

  @Test("of a pair, each half may have a form of its own")
  func pairs() throws {
    try directory.write(hex(Self.sent) + "\n", to: "sent")
    try directory.write(try directory.tool("gzip", ["-c"], input: .bytes(Self.received)), to: "received")
    let exported = try directory.export(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcomes == String(repeating: "a", count: 10) + "r" + String(repeating: "d", count: 9))
    #expect(exported.objects.dropFirst().dropLast().allSatisfy { $0["source"] as? String == "sent" })
    #expect(exported.codes.isEmpty && exported.outcome.code == 0, "\(exported.outcome.errors)")
    let inputs = try #require(exported.objects("summary").first?["inputs"] as? [Evidence.Object])
    #expect(inputs.map { $0["source"] as? String } == ["sent", "received"])
  }

  @Test("either half from standard input", arguments: [true, false])
  func standardInput(_ isRequests: Bool) throws {
    try directory.write(Self.sent, to: "sent")
    try directory.write(Self.received, to: "received")
    let exported = try directory.export(
      ["--requests", isRequests ? "-" : "sent", "--responses", isRequests ? "received" : "-"],
      input: .file(isRequests ? "sent" : "received"))
    #expect(exported.outcomes.filter { $0 == "r" } == "r" && exported.outcomes.count == 20)
    #expect(exported.objects("request").first?["source"] as? String == (isRequests ? "-" : "sent"))
  }

  @Test("an empty half says nothing", arguments: ["sent", "received"])
  func emptyHalf(_ empty: String) throws {
    try directory.write(empty == "sent" ? [] : Self.sent, to: "sent")
    try directory.write(empty == "sent" ? Self.received : [], to: "received")
    let exported = try directory.export(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcomes == (empty == "sent" ? "" : String(repeating: "u", count: 20)))
    #expect(exported.responseFlags == (empty == "sent" ? [["uncorrelated"]] : []))
    #expect(exported.outcome.code == 0 && exported.codes.isEmpty, "\(exported.outcome.errors)")
    #expect(exported.outcome.messages.contains(Message.about(empty, .empty).text))
  }

  @Test("a half that looks like nothing is read as what it was said to be, and called so")
  func oddHalf() throws {
    try directory.write(Push(0, nil, token: token(3), payload: "hello").bytes, to: "sent")
    try directory.write(refusal(99, 3), to: "received")
    let exported = try directory.export(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcomes == "u" && exported.objects("response").count == 1)
    #expect(!exported.outcome.errors.contains("feedback"), "\(exported.outcome.errors)")
  }

  @Test(
    "a half that is missing, or holds whole streams, fails, and the other is read",
    arguments: ["missing", "capture", "directory"], [true, false])
  func badHalf(_ what: String, _ isRequests: Bool) throws {
    try directory.write(Self.sent, to: "sent")
    try directory.write(Self.received, to: "received")
    let bad = isRequests ? "sent" : "received"
    _ = try directory.tool("rm", [bad])
    if what == "capture" {
      let conversation = Conversation([.init(.client, Self.sent)])
      try directory.writeCapture(conversation.segments(), to: bad)
    }
    if what == "directory" { try directory.makeDirectory(bad) }
    let exported = try directory.export(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcome.code == 2)
    #expect(exported.outcome.errors.contains("\(bad): "), "\(exported.outcome.errors)")
    #expect(exported.findings("unreadable-input").count == 1)
    #expect(exported.outcomes == (isRequests ? "" : String(repeating: "u", count: 20)))
    #expect(exported.objects("response").count == (isRequests ? 1 : 0))
    #expect(exported.streams.count == 1)
  }

  @Test("the same file twice is requests and responses at once")
  func sameFile() throws {
    try directory.write(Self.sent, to: "both")
    let exported = try directory.export(["--requests", "both", "--responses", "both"])
    #expect(exported.objects("request").count == 20)
    #expect(exported.outcome.code == 0)
    #expect(exported.findings("skipped-bytes").allSatisfy { $0["direction"] as? String == "server" })
  }

  static let wrong: [(arguments: [String], message: Message)] = [
    (["export", "--requests", "sent"], .requestsWithoutResponses),
    (["export", "--responses", "received"], .requestsWithoutResponses),
    (["export", "--requests", "sent", "dump.bin"], .requestsWithoutResponses),
    (
      ["export", "--requests", "sent", "--responses", "received", "dump.bin"],
      "--requests and --responses exclude other inputs and --join"
    ),
    (
      ["export", "--requests", "sent", "--responses", "received", "--join"],
      "--requests and --responses exclude other inputs and --join"
    ),
    (["export", "--requests", "-", "--responses", "-"], .standardInputTwice),
    (
      ["export", "--requests", "sent", "--responses", "received", "--protocol", "feedback"],
      "--requests and --responses are dumps of a gateway connection: leave out --protocol feedback "
        + "and --filter"
    ),
    (["export", "--max-payload", "65536", "dump.bin"], .outOfRange("--max-payload", "65536", 0...65_535)),
  ]

  @Test("wrong usage", arguments: wrong)
  func usage(_ arguments: [String], _ message: Message) throws {
    for name in ["sent", "received", "dump.bin"] { try directory.write(Self.sent, to: name) }
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(outcome.messages.first == message.text)
  }
}
