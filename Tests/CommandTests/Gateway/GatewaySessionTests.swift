import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

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
}
