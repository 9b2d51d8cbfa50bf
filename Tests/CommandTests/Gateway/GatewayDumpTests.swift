import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Dumps of requests and responses: detected by content, named, and in pairs.
@Suite("Dumps of a gateway connection")
struct GatewayDumpTests {
  private let directory: TestDirectory
  private static let pushes = (0..<20).map { Push(UInt8($0 % 3), UInt32(0x7e57_b701 + $0), token: token($0)) }
  private static let sent = pushes.flatMap(\.bytes)
  private static let received = refusal(8, 0x7e57_b701 + 10)

  init() throws { directory = try TestDirectory() }

  private func ndjson(_ arguments: [String], input: StandardInput = .nothing) throws -> Exported {
    let outcome = try directory.apnsift(["export", "-t", "ndjson"] + arguments, input: input)
    return Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
  }

  /// The bytes in another form, and what `inspect` calls it.
  static let forms: [String] = ["raw", "hex", "xxd", "base64", "gzip", "zstd"]

  private func write(_ bytes: [UInt8], to name: String, as form: String) throws {
    try directory.write(bytes, to: "plain")
    switch form {
    case "hex": try directory.write(hex(bytes) + "\n", to: name)
    case "xxd": try directory.write(try directory.tool("xxd", ["plain"]), to: name)
    case "base64": try directory.write(try directory.tool("base64", ["plain"]), to: name)
    case "gzip": try directory.write(try directory.tool("gzip", ["-c", "plain"]), to: name)
    case "zstd": try directory.write(try directory.tool("zstd", ["-q", "-c", "plain"]), to: name)
    default: try directory.write(bytes, to: name)
    }
    _ = try directory.tool("rm", ["plain"])
  }

  @Test("requests are detected by content", arguments: forms)
  func requests(_ form: String) throws {
    try write(Self.sent, to: "inputs/dump", as: form)
    for exported in [
      try ndjson(["inputs/dump"]), try ndjson(["inputs"]), try ndjson(["-"], input: .file("inputs/dump")),
    ] {
      #expect(exported.outcomes == String(repeating: "u", count: 20))
      #expect(try exported.requests.map(\.token) == Self.pushes.map { hex($0.token) })
      #expect(exported.codes.isEmpty && exported.outcome.code == 0, "\(exported.outcome.errors)")
      #expect(exported.streams.first?["protocol"] as? String == "gateway")
      #expect(exported.streams.first?["client_bytes"] as? Int == Self.sent.count)
    }
  }

  @Test("responses are detected by content", arguments: forms)
  func responses(_ form: String) throws {
    try write(Self.received + refusal(10, 5), to: "inputs/dump", as: form)
    for exported in [try ndjson(["inputs/dump"]), try ndjson(["inputs"])] {
      #expect(try exported.responses.map(\.status) == [8, 10])
      #expect(try exported.responses.map(\.flags) == [["uncorrelated"], ["after-close", "uncorrelated"]])
      #expect(exported.codes.isEmpty && exported.outcome.code == 0, "\(exported.outcome.errors)")
    }
  }

  /// Requests 5, 7, 9, 7, 11, both 7 to one device; the response is 8 for 7: the first 7 was refused.
  @Test("what came after the first of two requests with the error's identifier is to be sent again")
  func repeatedIdentifier() throws {
    let name = "Tests/Fixtures/cases/public/repeated-identifier"
    let dumps = ["requests", "responses"].flatMap { ["--\($0)", Repository.path(of: "\(name).\($0).bin")] }
    #expect(try ndjson(dumps).outcomes == "arddd")
    let resend = try directory.apnsift(["export", "--records", "resend", "--columns", "identifier"] + dumps)
    #expect(resend.lines == ["identifier", "9", "7", "11"])
  }

  @Test("what is named is read so, though it looks like nothing", arguments: ["requests", "responses"])
  func named(_ streamProtocol: String) throws {
    // One request without JSON, which cannot be detected; and a response of unknown status.
    let push = Push(0, nil, token: token(3), payload: "hello")
    try directory.write(streamProtocol == "requests" ? push.bytes : refusal(99, 3), to: "dump")
    let exported = try ndjson(["dump", "--protocol", streamProtocol, "--from", "raw"])
    #expect(exported.objects(String(streamProtocol.dropLast())).count == 1)
    #expect(exported.codes.isEmpty)
    let guessed = try ndjson(["dump", "--protocol", streamProtocol])
    #expect(guessed.objects(String(streamProtocol.dropLast())).count == 1)
    #expect(guessed.codes == ["unrecognised-input"])
    #expect(guessed.outcome.said(.readAsRaw(streamProtocol)))
  }

  // MARK: - Pairs

  @Test("pairs in every form", arguments: forms)
  func pairs(_ form: String) throws {
    try write(Self.sent, to: "sent", as: form)
    try write(Self.received, to: "received", as: form)
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
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
    let exported = try ndjson(
      ["--requests", isRequests ? "-" : "sent", "--responses", isRequests ? "received" : "-"],
      input: .file(isRequests ? "sent" : "received"))
    #expect(exported.outcomes.filter { $0 == "r" } == "r" && exported.outcomes.count == 20)
    #expect(exported.objects("request").first?["source"] as? String == (isRequests ? "-" : "sent"))
  }

  @Test("tshark's mark in a half is a gap: its contents are not named")
  func gapMarks() throws {
    let ends = Self.pushes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.bytes.count) }
    let mark = Array("[\(ends[11] - ends[10]) bytes missing in capture file]".utf8)
    try directory.write(Array(Self.sent[..<ends[10]]) + mark + Array(Self.sent[ends[11]...]), to: "sent")
    try directory.write(Self.received, to: "received")
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcomes == String(repeating: "u", count: 19))
    #expect(try exported.responses.map(\.flags) == [["uncorrelated"]])
    #expect(exported.codes == ["stream-gap"])
    #expect(try exported.requests.map(\.offset) == Array(ends[..<10]) + Array(ends[11..<20]))
  }

  @Test("an empty half says nothing", arguments: ["sent", "received"])
  func emptyHalf(_ empty: String) throws {
    try directory.write(empty == "sent" ? [] : Self.sent, to: "sent")
    try directory.write(empty == "sent" ? Self.received : [], to: "received")
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
    #expect(exported.outcomes == (empty == "sent" ? "" : String(repeating: "u", count: 20)))
    #expect(try exported.responses.map(\.flags) == (empty == "sent" ? [["uncorrelated"]] : []))
    #expect(exported.outcome.code == 0 && exported.codes.isEmpty, "\(exported.outcome.errors)")
    #expect(exported.outcome.messages.contains(Message.about(empty, .empty).text))
  }

  @Test("a half that looks like nothing is read as what it was said to be, and called so")
  func oddHalf() throws {
    try directory.write(Push(0, nil, token: token(3), payload: "hello").bytes, to: "sent")
    try directory.write(refusal(99, 3), to: "received")
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
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
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
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
    let exported = try ndjson(["--requests", "both", "--responses", "both"])
    #expect(exported.objects("request").count == 20)
    #expect(exported.outcome.code == 0)
    #expect(exported.findings("skipped-bytes").allSatisfy { $0["direction"] as? String == "server" })
  }

  @Test("halves the wrong way round are asked about")
  func swapped() throws {
    try directory.write(Self.sent, to: "sent")
    try directory.write(Self.received, to: "received")
    let exported = try ndjson(["--requests", "received", "--responses", "sent"])
    #expect(exported.objects("request").isEmpty && exported.objects("response").isEmpty)
    #expect(
      exported.outcome.said(
        "hint: neither file has the expected content; are --requests and --responses swapped?"),
      "\(exported.outcome.errors)")
  }

  @Test("TLS in a half is reported, whatever the options")
  func ciphertext() throws {
    try directory.write([0x17, 3, 3, 0, 32] + token(1), to: "sent")
    try directory.write(Self.received, to: "received")
    let exported = try ndjson(["--requests", "sent", "--responses", "received"])
    #expect(exported.codes == ["encrypted-stream"] && exported.objects("request").isEmpty)
    #expect(try exported.responses.map(\.flags) == [["uncorrelated"]])
  }

  private static let requestColumns = Array(GatewayExportTests.requestKeys.dropFirst()) + ["stream_offset"]
  private static let responseColumns = Array(GatewayExportTests.responseKeys.dropFirst()) + ["stream_offset"]
  private static let feedbackColumns = [
    "source", "stream", "direction", "client", "server", "offset", "packet", "original_packet", "file_offset",
    "captured_at", "timestamp", "time", "token_length", "token", "flags", "form", "chain", "chain_length",
    "confidence", "stream_offset",
  ]

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
    (
      ["export", "--max-payload", "65536", "dump.bin"], .outOfRange("--max-payload", "65536", 0...65_535)
    ),
    (
      ["export", "--records", "requests", "--columns", "timestamp", "dump.bin"],
      .noSuchColumn("timestamp", known: requestColumns)
    ),
    (
      ["export", "--records", "responses", "--columns", "outcome", "dump.bin"],
      .noSuchColumn("outcome", known: responseColumns)
    ),
    (
      ["export", "--columns", "outcome", "dump.bin"], .noSuchColumn("outcome", known: feedbackColumns)
    ),
  ]

  @Test("wrong usage", arguments: wrong)
  func usage(_ arguments: [String], _ message: Message) throws {
    for name in ["sent", "received", "dump.bin"] { try directory.write(Self.sent, to: name) }
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    #expect(outcome.messages.first == message.text)
  }

  /// The parser of options words these.
  static let invalid: [(arguments: [String], names: [String])] = [
    (["export", "--protocol", "nonsense", "dump.bin"], ["--protocol", "nonsense", "requests"]),
    (["export", "--max-pending", "-1", "dump.bin"], ["--max-pending"]),
  ]

  @Test("invalid values", arguments: invalid)
  func values(_ arguments: [String], _ names: [String]) throws {
    try directory.write(Self.sent, to: "dump.bin")
    let outcome = try directory.apnsift(arguments)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
    for name in names { #expect(outcome.errors.contains(name), "\(outcome.errors)") }
  }
}
