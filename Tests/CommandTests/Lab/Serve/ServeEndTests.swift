import Basics
import CaptureWriting
import CommandTestSupport
import Testing
import Wording

/// How connections end that `serve` plays, and how it ends itself.
@Suite("Serving to the end")
struct ServeEndTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  @Test("a connection that the server broke off is broken off")
  func reset() throws {
    var segments = ServedFeedback.conversation().segments()
    // After the data the server's FIN and two answers to it.
    segments.removeLast(3)
    var last = segments[segments.count - 2]
    last.sequence = last.end
    last.payload = []
    last.flags = [.rst, .ack]
    try directory.writeCapture(segments + [last])
    let server = try directory.serve("capture.pcap", "--once")
    let read = try directory.read(from: server)
    #expect(read.text == hex(ServedFeedback.bytes) && read.end == "reset")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("where the capture does not show the end, the client closes, or the server after the idle timeout")
  func noEnd() throws {
    try directory.writeCapture(Array(ServedFeedback.conversation().segments().dropLast(3)))
    let server = try directory.serve("capture.pcap", "--once", "--idle-timeout", "1")
    let read = try directory.read(from: server)
    #expect(read.text == hex(ServedFeedback.bytes) && read.end == "end")
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("too few descriptors are reported")
  func fewDescriptors() throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let outcome = try directory.shell("ulimit -n 6; \"$APNSIFT_LAB\" serve dump.bin --port 0")
    #expect(outcome.code == 2, "\(outcome.errors)")
    let reason = "\(SystemError.text(EMFILE)): raise the limit of a process (ulimit -n)"
    #expect(outcome.messages == ["cannot start the server: \(reason)"])
  }

  @Test("signals end the server cleanly", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(_ number: Int32) throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin")
    #expect(server.address == "127.0.0.1:\(server.port)")
    let outcome = try server.end(by: number)
    #expect(outcome.ending == .exit(0))
    #expect(outcome.messages.last == Serving.closing(clients: 0, bytes: 0))
  }

  @Test("with --once, serving no client is a failure")
  func nobodyCame() throws {
    try directory.write(ServedFeedback.bytes, to: "dump.bin")
    let outcome = try directory.serve("dump.bin", "--once").end(by: SIGTERM)
    #expect(outcome.code == 2)
    #expect(outcome.messages.last == Serving.closing(clients: 0, bytes: 0, [.absentClients(1)]))
  }
}
