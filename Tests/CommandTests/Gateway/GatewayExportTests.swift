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
    try directory.write(Push(2, 1, token: token(1)).bytes, to: "sent")
    try directory.write(refusal(8, 1) + refusal(8, 2), to: "received")
    let outcome = try directory.apnsift("export", "--requests", "sent", "--responses", "received")
    #expect(outcome.lines.count == 1 && outcome.code == 0)
    #expect(
      outcome.messages.first == Message.leftOut(requests: 1, responses: 2, findings: 0).text)
    let named = try directory.apnsift(
      "export", "--requests", "sent", "--responses", "received", "--records", "responses")
    #expect(named.messages.count == 1 && named.lines.count == 3)
  }

  /// A capture of three requests, the second of which is refused, as a shell for keys and values.
  private func writeCapture() throws {
    var conversation = Conversation([
      .init(.client, [1, 2, 3].flatMap { Push(2, $0, token: token(Int($0))).bytes }),
      .init(.server, refusal(8, 2)),
    ])
    conversation.server.port = 2195
    try directory.writeCapture(conversation.segments())
  }

  @Test(
    "only what was named", arguments: ["requests", "responses", "resend", "feedback", "streams", "findings"])
  func kinds(_ kind: String) throws {
    try writeCapture()
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
