import Basics
import CaptureWriting
import CommandTestSupport
import TestSupport
import Testing

/// `serve`: which streams it plays, to which client, and how it ends.
@Suite("Serving") struct ServeTests {
  private let directory = TestDirectory(["dump.bin": ServedFeedback.bytes])

  // MARK: - Streams

  /// Two feedback connections, the second of 38 bytes a segment.
  private func writeTwo() throws {
    try directory.writeCapture(
      ServedFeedback.conversation([100]).segments() + ServedFeedback.conversation([38], client: 11).segments()
    )
  }

  @Test("clients get the streams in turn, and again from the top; or one stream alone") func turns() throws {
    try writeTwo()
    let server = try directory.serve("capture.pcap")
    let sizes = try (0..<3).map { _ in try directory.read(from: server).sizes.first }
    #expect(sizes == [100, 38, 100])
    let outcome = try server.end().exits(0)
    #expect(outcome.messages.last == "served 2 streams to 3 clients, 2280 bytes; no problems found")
    let one = try directory.serveOnce("capture.pcap", "--stream", "1")
    #expect(one.read.sizes.first == 38 && one.outcome.code == 0)
    try directory.lab("serve", "capture.pcap", "--stream", "2", "--port", "0").exits(
      2, saying: "nothing to serve: no input has a stream 2")
  }

  @Test("a stream with gaps is not served, and others are") func gaps() throws {
    var lacking = ServedFeedback.conversation([38]).segments()
    lacking.remove(at: 7)
    try directory.writeCapture(lacking + ServedFeedback.conversation([100], client: 11).segments())
    let (read, outcome) = try directory.serveOnce("capture.pcap")
    #expect(read.text == hex(ServedFeedback.bytes))
    outcome.exits(
      0, saying: "capture.pcap stream 0: not served: 38 bytes of the server are missing")
    try directory.writeCapture(lacking, to: "lacking.pcap")
    try directory.lab("serve", "lacking.pcap", "--port", "0").exits(
      2, saying: "nothing to serve: 1 stream skipped")
  }

  @Test("streams beyond --memory are not served, and others are") func memory() throws {
    try directory.write(feedback(tuples(1000)), to: "a.bin")
    let (read, outcome) = try directory.serveOnce("a.bin", "dump.bin", "--memory", "30000")
    #expect(read.text == hex(ServedFeedback.bytes))
    #expect(outcome.said("a.bin: not served: all streams together exceed"))
  }

  // MARK: - Chunks: those that were captured or asked for, read by clients that are not ours

  @Test(
    "a client reads what export writes, in the captured chunks, at any pace",
    arguments: [[], ["--pace", "1000"]])
  func captured(_ pace: [String]) throws {
    try directory.writeCapture(ServedFeedback.conversation().segments())
    try directory.apnsift("export capture.pcap -t raw -o raw".words).exits(0)
    let server = try directory.serve(["capture.pcap", "--once"] + pace)
    let read = try directory.read(from: server)
    #expect(read.text == hex(try directory.bytes(of: "raw/stream-0-b.raw")))
    #expect(read.text == hex(ServedFeedback.bytes) && read.end == "end")
    #expect(read.sizes == ServedFeedback.cut(ServedFeedback.sizes))
    let outcome = try server.end(by: nil).exits(0)
    #expect(outcome.messages.last == "served 1 stream to 1 client, 760 bytes; no problems found")
  }

  static let chunks: [(options: [String], sizes: [Int])] = [
    ([], [4096]), (["--chunk-size", "7"], [7]), (["--chunk-size", "100000"], [100_000]),
    (["--chunk-sizes", "sizes.txt"], [1, 37, 100]),
  ]

  @Test("a dump comes in the chunks that were asked for", arguments: chunks, [false, true])
  func dump(_ chunks: (options: [String], sizes: [Int]), isTLS: Bool) throws {
    let bytes = feedback(tuples(300))
    try directory.write(bytes, to: "dump.bin")
    try directory.write("1\n37\n100\n", to: "sizes.txt")
    let tls = isTLS ? ["--tls", "--write-certificate", "server.pem"] : []
    let server = try directory.serve(["dump.bin", "--once"] + chunks.options + tls)
    let read = try directory.read(from: server, trusting: isTLS ? "server.pem" : nil)
    #expect(read.text == hex(bytes) && read.version == (isTLS ? "TLSv1.3" : nil))
    // Python's ssl returns a record at a time, and a record holds no more than 16 KiB.
    let sizes = isTLS ? chunks.sizes.map { min($0, 16384) } : chunks.sizes
    #expect(read.sizes == ServedFeedback.cut(sizes, count: bytes.count))
    #expect(try server.end(by: nil).code == 0)
  }

  @Test("each client gets the next size of chunks") func everyChunking() throws {
    let bytes = feedback(tuples(2))
    try directory.write(bytes, to: "dump.bin")
    let server = try directory.serve("dump.bin", "--every-chunking", "--once")
    for size in 1...80 {
      let read = try directory.read(from: server)
      #expect(read.sizes == ServedFeedback.cut([size], count: bytes.count), "size \(size)")
      #expect(read.text == hex(bytes))
    }
    let outcome = try server.end(by: nil).exits(0)
    #expect(outcome.messages.last == "served 1 stream to 80 clients, 6080 bytes; no problems found")
  }

  // MARK: - Gateways

  private static let request = Push(0, nil, token: token(1), payload: #"{"a":1}"#).bytes
  private static let response = refusal(8, 0x0102_0304)

  @Test("a gateway answers once the client has sent as much as the captured one") func gateway() throws {
    var conversation = Conversation([
      .init(.client, Self.request), .init(.client, Self.request), .init(.server, Self.response),
    ])
    (conversation.server, conversation.segmentSizes) = (.v4(20, port: 2195), [1400, 1400, 4])
    try directory.writeCapture(conversation.segments())
    let turns = [0, 2].map { TestDirectory.Turn(send: Self.request, reads: $0) }
    let (read, outcome) = try directory.serveOnce("capture.pcap", turns: turns)
    #expect(read.sizes == [4, 2] && read.text == hex(Self.response) && read.end == "end")
    outcome.exits(0)
  }

  @Test("a client that sends less is closed, with exit code 2; here of a pair of dumps")
  func silentClient() throws {
    try directory.write(Self.request, to: "sent.bin")
    try directory.write(Self.response, to: "got.bin")
    let (read, outcome) = try directory.serveOnce(
      "--requests", "sent.bin", "--responses", "got.bin", "--idle-timeout", "1",
      turns: [.init(send: [1, 2, 3], reads: 0)])
    #expect(read.sizes == [])
    outcome.exits(
      2, saying: "after 0 of 6 bytes: the client sent nothing for 1 s, and 3 of \(Self.request.count) bytes")
    #expect(outcome.messages.last?.contains("1 client stalled") == true)
  }

  // MARK: - Ends

  @Test("a connection that the server broke off is broken off") func reset() throws {
    var segments = ServedFeedback.conversation().segments()
    // After the data the server's FIN and two answers to it.
    segments.removeLast(3)
    var last = segments[segments.count - 2]
    (last.sequence, last.payload, last.flags) = (last.end, [], [.rst, .ack])
    try directory.writeCapture(segments + [last])
    let (read, outcome) = try directory.serveOnce("capture.pcap")
    #expect(read.text == hex(ServedFeedback.bytes) && read.end == "reset")
    outcome.exits(0)
  }

  @Test("where the capture does not show the end, the client closes, or the server after the idle timeout")
  func noEnd() throws {
    try directory.writeCapture(Array(ServedFeedback.conversation().segments().dropLast(3)))
    let (read, outcome) = try directory.serveOnce("capture.pcap", "--idle-timeout", "1")
    #expect(read.text == hex(ServedFeedback.bytes) && read.end == "end")
    outcome.exits(0)
  }

  @Test("too few descriptors are reported") func fewDescriptors() throws {
    let outcome = try directory.shell("ulimit -n 6; \"$APNSIFT_LAB\" serve dump.bin --port 0").exits(
      2, saying: "cannot start the server: \(SystemError.text(EMFILE))")
    #expect(outcome.messages.count == 1)
  }

  @Test("signals end the server cleanly", arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(_ number: Int32) throws {
    let server = try directory.serve("dump.bin")
    #expect(server.address == "127.0.0.1:\(server.port)")
    let outcome = try server.end(by: number).exits(0)
    #expect(outcome.messages.last == "served 1 stream to 0 clients, 0 bytes; no problems found")
  }

  @Test("with --once, serving no client is a failure") func noClient() throws {
    let outcome = try directory.serve("dump.bin", "--once").end(by: SIGTERM)
    #expect(outcome.code == 2 && outcome.messages.last?.hasSuffix("; 1 client did not come") == true)
  }

  // MARK: - Arguments

  @Test("a port that is in use, and an address of another machine") func ports() throws {
    let server = try directory.serve("dump.bin")
    let taken = try directory.lab("serve", "dump.bin", "--port", server.port).exits(
      2, saying: "port \(server.port) of 127.0.0.1 is in use")
    #expect(taken.output == [])
    try directory.lab("serve", "dump.bin", "--port", "0", "--listen", "192.0.2.1").exits(
      2, saying: "192.0.2.1 is not an address of this machine")
  }

  @Test("a warning about an address that other machines can reach") func reachable() throws {
    let server = try directory.serve("dump.bin", "--listen", "0.0.0.0", "--once")
    #expect(server.address == "0.0.0.0:\(server.port)")
    #expect(try directory.read(from: server).text == hex(ServedFeedback.bytes))
    #expect(try server.end(by: nil).messages.first?.hasPrefix("warning: ") == true)
  }

  @Test(
    "arguments that do not fit",
    arguments: Fixtures.rows("serve", in: "usage") as [(String, String)])
  func usage(_ options: String, _ says: String) throws {
    try directory.lab(["serve", "dump.bin"] + options.words).exits(64, saying: .verbatim(says))
  }
}
