import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// Which streams `serve` plays, and to which client.
@Suite("Serving streams")
struct ServeStreamTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// Two feedback connections, the second of 38 bytes a segment.
  private func writeTwo() throws {
    try directory.writeCapture(
      ServedFeedback.conversation([100]).segments() + ServedFeedback.conversation([38], client: 11).segments()
    )
  }

  @Test("clients get the streams in turn, and again from the top")
  func turns() throws {
    try writeTwo()
    let server = try directory.serve("capture.pcap")
    let sizes = try (0..<3).map { _ in try directory.read(from: server).sizes.first }
    #expect(sizes == [100, 38, 100])
    let outcome = try server.end()
    #expect(outcome.code == 0)
    #expect(outcome.messages.last == Serving.closing(streams: 2, clients: 3, bytes: 2280))
  }

  @Test("one stream alone")
  func oneStream() throws {
    try writeTwo()
    let server = try directory.serve("capture.pcap", "--stream", "1", "--once")
    #expect(try directory.read(from: server).sizes.first == 38)
    #expect(try server.end(by: nil).code == 0)
    let none = try directory.lab("serve", "capture.pcap", "--stream", "2", "--port", "0")
    #expect(none.code == 2)
    #expect(none.messages.last == Message.nothingToServe(noStream: 2).text)
  }

  @Test("a stream with gaps is not served, and others are")
  func gaps() throws {
    let lacking = ServedFeedback.conversation([38]).segments().enumerated().filter { $0.offset != 7 }.map(
      \.element)
    try directory.writeCapture(lacking + ServedFeedback.conversation([100], client: 11).segments())
    let server = try directory.serve("capture.pcap", "--once")
    #expect(try directory.read(from: server).text == hex(ServedFeedback.bytes))
    let outcome = try server.end(by: nil)
    let name = "capture.pcap stream 0"
    let refusal = Message.notServed(name, "38 bytes of the server are missing", isLastListed: false)
    #expect(outcome.messages.contains(refusal.text))
    #expect(outcome.code == 0)

    try directory.writeCapture(lacking, to: "lacking.pcap")
    let alone = try directory.lab("serve", "lacking.pcap", "--port", "0")
    #expect(alone.code == 2)
    #expect(alone.messages.last == Message.nothingToServe(skipped: 1).text)
  }

  @Test("streams beyond --memory are not served, and others are")
  func memory() throws {
    try directory.write(feedback(tuples(1000)), to: "a.bin")
    try directory.write(ServedFeedback.bytes, to: "b.bin")
    let server = try directory.serve("a.bin", "b.bin", "--memory", "30000", "--once")
    #expect(try directory.read(from: server).text == hex(ServedFeedback.bytes))
    let outcome = try server.end(by: nil)
    let refusal = Message.notServed("a.bin", .streamsExceedMemory(30_000), isLastListed: false)
    #expect(outcome.messages.contains(refusal.text))
  }
}
