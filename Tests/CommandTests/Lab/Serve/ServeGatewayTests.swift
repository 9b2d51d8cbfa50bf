import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// `serve` as a gateway with responses.
@Suite("Serving gateways")
struct ServeGatewayTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private static let request = Push(0, nil, token: token(1), payload: #"{"a":1}"#).bytes
  private static let response = refusal(8, 0x0102_0304)

  private static func gateway(_ turns: [Conversation.Turn], sizes: [Int] = [1400]) -> Conversation {
    var conversation = Conversation(turns)
    conversation.server = .v4(20, port: 2195)
    conversation.segmentSizes = sizes
    return conversation
  }

  @Test("a gateway answers once the client has sent as much as the captured one")
  func gateway() throws {
    let turns: [Conversation.Turn] = [
      .init(.client, Self.request), .init(.client, Self.request), .init(.server, Self.response),
    ]
    try directory.writeCapture(Self.gateway(turns, sizes: [1400, 1400, 4]).segments())
    let server = try directory.serve("capture.pcap", "--once")
    let read = try directory.read(
      from: server,
      turns: [.init(send: Self.request, reads: 0), .init(send: Self.request, reads: 2)])
    #expect(read.sizes == [4, 2] && read.text == hex(Self.response) && read.end == "end")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("a client that sends less is closed, with exit code 2")
  func silentClient() throws {
    try directory.writeCapture(
      Self.gateway([.init(.client, Self.request), .init(.server, Self.response)]).segments())
    let server = try directory.serve("capture.pcap", "--once", "--idle-timeout", "1")
    let read = try directory.read(from: server, turns: [.init(send: [1, 2, 3], reads: 0)])
    #expect(read.sizes == [])
    let outcome = try server.end(by: nil)
    #expect(outcome.code == 2)
    let stall = Message.clientSentNothing(
      after: 0, of: Self.response.count, seconds: 1, received: 3, expected: Self.request.count)
    #expect(outcome.said(stall), "\(outcome.errors)")
    #expect(outcome.messages.last?.contains(Message.stalledClients(1).text) == true)
  }

  @Test("a pair of dumps is a gateway connection")
  func pair() throws {
    try directory.write(Self.request, to: "sent.bin")
    try directory.write(Self.response, to: "got.bin")
    let server = try directory.serve("--requests", "sent.bin", "--responses", "got.bin", "--once")
    let read = try directory.read(from: server, turns: [.init(send: Self.request, reads: 1)])
    #expect(read.sizes == [6] && read.text == hex(Self.response))
    #expect(try server.end(by: nil).code == 0)
  }
}
