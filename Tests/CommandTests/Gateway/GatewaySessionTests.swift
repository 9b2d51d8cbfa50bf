import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Sessions of a gateway: what is to be sent again, and who is who.
@Suite("A session of notifications, one of which is refused")
struct GatewaySessionTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("the list to send again has the discarded requests with their payloads", arguments: [8, 10])
  func resend(_ status: Int) throws {
    let script = GatewayScript("1 c1:2 3 c0 c1:5 !\(status):2")
    try directory.write(script.bytes(of: .client), to: "sent.bin")
    try directory.write(script.bytes(of: .server), to: "received.bin")
    let outcome = try directory.apnsift(
      "export", "--requests", "sent.bin", "--responses", "received.bin", "--records", "resend", "--columns",
      "offset,identifier,token,payload,outcome")
    let wanted = (2...4).map { number in
      let push = script.pushes[number]
      return [
        "\(script.offsets[number])", push.identifier.map { "\($0)" } ?? "", hex(push.token),
        String(decoding: push.payload, as: UTF8.self), "discarded",
      ]
    }
    #expect(Array(parseCSV(outcome.text).dropFirst()) == wanted)
    let done = Message.closing(.exported("3 requests to send again", inputs: 2), [.noProblems])
    #expect(outcome.messages.last == done.text)
  }

  static let roles: [(name: String, port: UInt16, handshake: Bool, options: [String])] = [
    ("by port, without handshake", 2195, false, []),
    ("by another port that is named", 443, false, ["--gateway-port", "443"]),
    ("by handshake and content", 443, true, []),
    ("by content", 443, false, []),
    ("said to be requests", 443, false, ["--protocol", "requests"]),
    ("said to be responses", 443, true, ["--protocol", "responses"]),
  ]

  @Test("roles are detected", arguments: roles)
  func detected(_ name: String, _ port: UInt16, _ handshake: Bool, _ options: [String]) throws {
    var conversation = GatewayScript("c0 1 c1:2 3 !8:2 4").conversation
    // By port numbers alone the client would be taken for the server.
    (conversation.server.port, conversation.client.port) = (port, 300)
    let segments = conversation.segments()
    try directory.writeCapture(handshake ? segments : segments.withoutHandshake)
    let exported = try directory.export("capture.pcap", options)
    #expect(exported.outcomes == "aardd")
    #expect(exported.codes == (handshake ? [] : ["midstream-start", "midstream-start"]))
    #expect(exported.streams.first?["server"] as? String == "192.0.2.20:\(port)")
  }

  /// With the flags of each response.
  static let captured: [(script: String, outcomes: String, responses: [[String]])] = [
    ("1 !8:2| 2 |!8:2", "uu", [["uncorrelated"]]), ("1 2 !8:2| |!8:2 3", "ard", [[]]),
  ]

  @Test("a response is as late as its first byte", arguments: captured)
  func firstByte(_ script: String, _ outcomes: String, _ responses: [[String]]) throws {
    try directory.writeCapture(GatewayScript(script).segments)
    let exported = try directory.export("capture.pcap")
    #expect(exported.outcomes == outcomes)
    #expect(exported.responseFlags == responses)
  }

  @Test("of responses whose packets came in another order, the first captured decides")
  func reorderedResponses() throws {
    var segments = GatewayScript("1 2 3 !8:1 !8:2").segments
    let responses = segments.indices.filter { segments[$0].payload.first == 8 }
    segments.swapAt(responses[0], responses[1])
    let exported = try directory.export(segments)
    #expect(exported.outcomes == "ard")
    #expect(exported.responseFlags == [["after-close"], []])
  }
}
