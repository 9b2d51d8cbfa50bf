import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

/// Requests and responses as CSV, JSON and NDJSON (docs/spec/interface.md#export).
@Suite("Requests and responses, exported")
struct GatewayExportTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

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

  @Test("the summary counts requests, responses and their bytes")
  func summary() throws {
    try writeCapture()
    let exported = try directory.export("capture.pcap")
    // Packets 1 to 3 are the handshake, 5 acknowledges; 1,234,567 ns from one to the next.
    #expect(exported.outcomes == "ard")
    let length = Push(2, 1, token: token(1)).bytes.count
    let stream = try #require(exported.streams.first)
    #expect(stream["records"] as? Int == 4 && stream["server_bytes"] as? Int == 6)
    #expect(stream["client_bytes"] as? Int == 3 * length)
    let summary = try #require(exported.objects("summary").first)
    #expect(
      summary["requests"] as? Int == 3 && summary["responses"] as? Int == 1
        && summary["feedback"] as? Int == 0)
    #expect(summary["record_bytes"] as? Int == 3 * length + 6 && summary["earliest"] is Null)
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
    if kind == "resend" { #expect(exported.outcomes == "d") }
  }

  @Test("--to raw writes both directions")
  func raw() throws {
    try writeCapture()
    let outcome = try directory.apnsift("export", "capture.pcap", "-t", "raw", "-o", "streams")
    #expect(outcome.code == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "streams"))
      .filter { !$0.hasSuffix(".json") }.sorted()
    let contents = try files.map { try directory.bytes(of: "streams/\($0)") }
    let sent = [1, 2, 3].flatMap { Push(2, $0, token: token(Int($0))).bytes }
    #expect(Set(contents) == [sent, refusal(8, 2)])
    let client = try #require(zip(files, contents).first { $0.1 == sent }?.0)
    let server = try #require(zip(files, contents).first { $0.1 != sent }?.0)
    let again = try directory.apnsift(
      "export", "--requests", "streams/\(client)", "--responses", "streams/\(server)", "--records",
      "requests", "--columns", "outcome")
    #expect(again.lines == ["outcome", "accepted", "rejected", "discarded"])
  }
}
