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

  /// The rule itself has its tests with `Correlator`, and its cases in samples/corpus; here is what both lack.
  static let cases: [Case] = [
    Case("a response alone", "!8:1", "", "- uncorrelated"),
    Case("all commands", "c0 c1:1 2 c2 c0 !8:2", "aardd", "2"),
    Case("command 0 has no identifier, not even 0", "c0 !8:0", "u", "- uncorrelated"),
    Case("one of three with another token", "1 1=0 1 !8:1", "uuu", "- uncorrelated"),
    Case("the first with its identifier counts for all commands", "c1:7 7=0 c1:7=0 !8:7", "rdd", "0"),
    Case("status 0 at one of two", "1 7 7=1 !0:7", "uuu", "- uncorrelated"),
    Case(
      "of byte-swapped ones with other tokens none", "1 2 2 3 !8:2000000", "auud",
      "- identifier-swapped uncorrelated"),
    Case("as it is goes before a later byte-swapped one", "2 2000000 2 !8:2000000", "ard", "1"),
    Case("a palindrome is no swap", "1 12343412 2 !8:12343412", "ard", "1"),
    Case("a palindrome that no request has", "1 2 !8:11111111", "uu", "- uncorrelated"),
    Case("two bytes swapped are no swap", "102 1 !8:201", "uu", "- uncorrelated"),
    Case("identifier 0 by commands 1 and 2", "c1:0 0 !8:0", "uu", "- uncorrelated"),
    Case("identifier ffffffff", "1 ffffffff 2 !8:ffffffff", "ard", "1"),
    Case("status 10, not found", "1 2 3 !10:9", "uuu", "- uncorrelated"),
    Case("status 128", "1 2 !128:2", "ar", "1"), Case("status 255", "1 2 !255:1", "rd", "0"),
    Case("a status that the table lacks", "1 2 !9:2", "ar", "1 unknown-status"),
    Case(
      "one after the first, byte-swapped, of unknown status", "1 2 !8:2 !77:1000000", "ar", "1",
      "0 after-close identifier-swapped unknown-status"),
    Case("none may wait", "1 2 !8:2", "uu", "- uncorrelated", options: ["--max-pending", "0"]),
    Case(
      "a duplicate of one that left", "1 2 3 1 4 !8:1", "uuuuu", "- uncorrelated",
      options: ["--max-pending", "2"]),
    Case(
      "identifier 0 once more, but the other left", "0 1 0 !8:0", "uuu", "- uncorrelated",
      options: ["--max-pending", "2"]),
    Case("captured after status 10", "1 2 !10:1 3", "add", "0"),
    Case("the swapped one before, the same one after", "1000000 !8:1 1", "rd", "0 identifier-swapped"),
    Case("identifier 0 after only", "1 !8:0 0", "uu", "- uncorrelated"),
    Case(
      "the second response finds what the first could not", "1 !8:2 2 !8:2", "uu", "- uncorrelated",
      "1 after-close"),
    Case("the first byte of a response counts", "1 !8:2| 2 |!8:2", "uu", "- uncorrelated"),
    Case("the response in two packets", "1 2 !8:2| |!8:2 3", "ard", "1"),
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

  @Test(arguments: cases)
  func captures(_ example: Case) throws {
    let directory = try TestDirectory()
    try directory.writeCapture(GatewayScript(example.script).segments)
    try check(example, try directory.export("capture.pcap", example.options))
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
