import CaptureWriting
import CommandTestSupport
import Testing

/// Small connections with outcomes worked out by hand (docs/spec/decoding-rules.md#correlation).
@Suite("Which request a response names, and what that says of the others")
struct CorrelationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// As `GatewayScript` reads it.
    var script: String
    /// A letter for each request: accepted, rejected, discarded, unknown.
    var outcomes: String
    /// What each response says.
    var responses: [String]
    var options: [String] = []

    init(_ name: String, _ script: String, _ outcomes: String, _ responses: String..., options: [String] = [])
    {
      testDescription = name
      self.script = script
      self.outcomes = outcomes
      self.responses = responses
      self.options = options
    }
  }

  /// All requests before all responses: a pair of dumps says the same as a capture.
  static let ordered: [Case] = [
    Case("no response", "1 2 3", "uuu"),
    Case("a response alone", "!8:1", "", "- uncorrelated"),
    Case("the first", "1 2 3 !8:1", "rdd", "0"),
    Case("one in the middle", "1 2 3 !8:2", "ard", "1"),
    Case("the last", "1 2 3 !8:3", "aar", "2"),
    Case("command 1", "c1:1 c1:2 c1:3 !8:2", "ard", "1"),
    Case("all commands", "c0 c1:1 2 c2 c0 !8:2", "aardd", "2"),
    Case("command 0 has no identifier, not even 0", "c0 !8:0", "u", "- uncorrelated"),
    Case("nor has a frame without item 3", "c2 1 !8:0", "uu", "- uncorrelated"),
    Case("no such identifier", "1 2 3 !8:4", "uuu", "- uncorrelated"),
    Case("of the same identifiers with the same token the first", "5 7 9 7=1 11 !8:7", "arddd", "1"),
    Case("of the same identifiers with other tokens none", "4 1 2 1 3 !8:1", "auuud", "- uncorrelated"),
    Case("one of three with another token", "1 1=0 1 !8:1", "uuu", "- uncorrelated"),
    Case("the first with its identifier counts for all commands", "c1:7 7=0 c1:7=0 !8:7", "rdd", "0"),
    Case("payload too long, the same token and length", "1 7 2 7=1 !7:7", "ardd", "1"),
    Case("a processing error at one of two", "1 7 2 7=1 3 !1:7", "auuud", "- uncorrelated"),
    Case("status 10 at one of two", "1 7 2 7=1 3 !10:7", "aauud", "- uncorrelated"),
    Case("status 0 at one of two", "1 7 7=1 !0:7", "uuu", "- uncorrelated"),
    Case("a second response at one of two", "7 1 7 !8:1 !8:7", "ard", "1", "- after-close uncorrelated"),
    Case("byte-swapped", "1 2 3 !8:2000000", "ard", "1 identifier-swapped"),
    Case("of byte-swapped ones the first", "1 2 2=1 3 !8:2000000", "ardd", "1 identifier-swapped"),
    Case(
      "of byte-swapped ones with other tokens none", "1 2 2 3 !8:2000000", "auud",
      "- identifier-swapped uncorrelated"),
    Case("as it is goes before byte-swapped", "2000000 2 1 !8:2000000", "rdd", "0"),
    Case("and before a later byte-swapped one", "2 2000000 2 !8:2000000", "ard", "1"),
    Case("a palindrome is no swap", "1 12343412 2 !8:12343412", "ard", "1"),
    Case("a palindrome that no request has", "1 2 !8:11111111", "uu", "- uncorrelated"),
    Case("two bytes swapped are no swap", "102 1 !8:201", "uu", "- uncorrelated"),
    Case("identifier 0 once", "1 0 2 !8:0", "ard", "1"),
    Case("identifier 0 twice", "1 0 0 2 !8:0", "uuuu", "- uncorrelated"),
    Case("identifier 0 by commands 1 and 2", "c1:0 0 !8:0", "uu", "- uncorrelated"),
    Case("identifier ffffffff", "1 ffffffff 2 !8:ffffffff", "ard", "1"),
    Case("status 10", "1 2 3 !10:2", "aad", "1"),
    Case("status 10 at the last", "1 2 3 !10:3", "aaa", "2"),
    Case("status 10, not found", "1 2 3 !10:9", "uuu", "- uncorrelated"),
    Case("status 10, byte-swapped", "1 2 3 !10:2000000", "aad", "1 identifier-swapped"),
    Case("status 0", "1 2 3 !0:2", "uuu", "1"),
    Case("status 0, and another after it", "1 2 3 !0:2 !8:2", "uuu", "1", "1 after-close"),
    Case("status 1", "1 2 !1:2", "ar", "1"), Case("status 128", "1 2 !128:2", "ar", "1"),
    Case("status 255", "1 2 !255:1", "rd", "0"),
    Case("a status that the table lacks", "1 2 !9:2", "ar", "1 unknown-status"),
    Case("the same, not found", "1 2 !9:3", "uu", "- uncorrelated unknown-status"),
    Case("the first response decides", "1 2 3 !8:2 !8:1 !8:3", "ard", "1", "0 after-close", "2 after-close"),
    Case(
      "the first decides, even if it names none", "1 2 !8:9 !8:2", "uu", "- uncorrelated", "1 after-close"),
    Case("one after it that names none", "1 2 !8:2 !8:9", "ar", "1", "- after-close uncorrelated"),
    Case(
      "one after it, byte-swapped, of unknown status", "1 2 !8:2 !77:1000000", "ar", "1",
      "0 after-close identifier-swapped unknown-status"),
    Case("none may wait", "1 2 !8:2", "uu", "- uncorrelated", options: ["--max-pending", "0"]),
    Case("one may wait, and is named", "1 2 !8:2", "ur", "1", options: ["--max-pending", "1"]),
    Case(
      "one may wait, another is named", "1 2 !8:1", "uu", "- uncorrelated", options: ["--max-pending", "1"]),
    Case("five may wait", "1 2 3 4 5 6 7 !8:5", "uuaardd", "4", options: ["--max-pending", "5"]),
    Case("five may wait, five do", "1 2 3 4 5 !8:1", "rdddd", "0", options: ["--max-pending", "5"]),
    Case(
      "one more than may wait", "1 2 3 4 5 6 !8:1", "uuuuuu", "- uncorrelated",
      options: ["--max-pending", "5"]),
    Case(
      "a duplicate of one that left", "1 2 3 1 4 !8:1", "uuuuu", "- uncorrelated",
      options: ["--max-pending", "2"]),
    Case(
      "one that left may have had the identifier", "1 3 2 4 !8:2", "uuuu", "- uncorrelated",
      options: ["--max-pending", "2"]),
    Case(
      "identifier 0 once more, but the other left", "0 1 0 !8:0", "uuu", "- uncorrelated",
      options: ["--max-pending", "2"]),
    Case("no response, and more than may wait", "1 2 3", "uuu", options: ["--max-pending", "1"]),
  ]

  /// What only a capture can say.
  static let interleaved: [Case] = [
    Case("captured after the response: discarded", "1 2 !8:2 3 c0 4", "arddd", "1"),
    Case("captured after status 10", "1 2 !10:1 3", "add", "0"),
    Case("the response before its request", "!8:1 1 2", "uu", "- uncorrelated"),
    Case("the response before a second request with its identifier", "1 2 !8:1 1", "rdd", "0"),
    Case("the swapped one before, the same one after", "1000000 !8:1 1", "rd", "0 identifier-swapped"),
    Case("identifier 0 before and after", "1 0 !8:0 0", "ard", "1"),
    Case("identifier 0 after only", "1 !8:0 0", "uu", "- uncorrelated"),
    Case(
      "the second response finds what the first could not", "1 !8:2 2 !8:2", "uu", "- uncorrelated",
      "1 after-close"),
    Case("the first byte of a response counts", "1 !8:2| 2 |!8:2", "uu", "- uncorrelated"),
    Case("the first byte of a request counts", "1 2| !8:2 |2 3", "ard", "1"),
    Case("the response in two packets", "1 2 !8:2| |!8:2 3", "ard", "1"),
    Case(
      "a request after the response may be one too many", "1 !8:1 2 3", "rdd", "0",
      options: ["--max-pending", "1"]),
    Case(
      "requests that leave before the response, and others after", "1 2 3 !8:3 4 5 6", "uurddd", "2",
      options: ["--max-pending", "1"]),
  ]

  private func check(_ example: Case, _ exported: Exported) throws {
    let script = GatewayScript(example.script)
    #expect(exported.outcomes == example.outcomes)
    #expect(try exported.responses.map { script.said(by: $0) } == example.responses)
    #expect(try exported.requests.map(\.offset) == script.offsets)
    for request in try exported.requests {
      #expect((request.status != nil) == (request.outcome == "rejected"))
    }
    let isOverLimit = !example.options.isEmpty && example.outcomes.hasPrefix("u")
    #expect(exported.codes == (isOverLimit ? ["pending-limit"] : []))
    if isOverLimit { #expect(exported.findings.first?["offset"] as? Int == 0) }
    #expect(exported.outcome.code == 0)
  }

  @Test("in a capture", arguments: ordered + interleaved)
  func captures(_ example: Case) throws {
    let directory = try TestDirectory()
    let packets = FrameWriter().packets(GatewayScript(example.script).segments)
    try directory.write(PcapWriter().file(packets), to: "capture.pcap")
    let outcome = try directory.apnsift(["export", "-t", "ndjson", "capture.pcap"] + example.options)
    try check(example, Exported(objects: try Evidence.lines(outcome.text), outcome: outcome))
  }

  @Test("in a pair of dumps", arguments: ordered)
  func pairs(_ example: Case) throws {
    let directory = try TestDirectory()
    let script = GatewayScript(example.script)
    try directory.write(script.bytes(of: .client), to: "sent")
    try directory.write(script.bytes(of: .server), to: "received")
    let outcome = try directory.apnsift(
      ["export", "-t", "ndjson", "--requests", "sent", "--responses", "received"] + example.options)
    try check(example, Exported(objects: try Evidence.lines(outcome.text), outcome: outcome))
  }

  @Test("of responses whose packets came in another order, the first captured decides")
  func reorderedResponses() throws {
    let directory = try TestDirectory()
    var segments = GatewayScript("1 2 3 !8:1 !8:2").segments
    let responses = segments.indices.filter { segments[$0].payload.first == 8 }
    segments.swapAt(responses[0], responses[1])
    let exported = try directory.export(segments)
    #expect(exported.outcomes == "ard")
    #expect(try exported.responses.map(\.flags) == [["after-close"], []])
  }
}
