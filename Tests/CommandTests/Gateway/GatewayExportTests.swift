import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Requests and responses as CSV, JSON and NDJSON (docs/spec/interface.md#export).
@Suite("Requests and responses, exported")
struct GatewayExportTests {
  private let directory = TestDirectory()

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
    "only what was named", arguments: ["requests", "responses", "resend", "feedback", "streams", "findings"])
  func kinds(_ kind: String) throws {
    try directory.writeCapture(GatewayScript("1 2 3 !8:2").segments)
    let exported = try directory.export("capture.pcap", "--records", kind)
    let types = exported.objects.dropFirst().dropLast().compactMap { $0["type"] as? String }
    let expected = [
      "requests": ["request", "request", "request"], "responses": ["response"], "resend": ["request"],
      "streams": ["stream"],
    ]
    #expect(types == expected[kind, default: []])
    guard kind == "resend" else { return }
    #expect(exported.outcomes == "d")
    let done = Message.closing(.exported("1 request to send again", inputs: 1), [.noProblems])
    #expect(exported.outcome.messages.last == done.text)
  }
}
