import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// The options that say which packets are read, and what their streams are (docs/spec/interface.md#input-options).
@Suite("What the options of captures choose")
struct CaptureOptionTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// A feedback connection of 38-byte segments.
  private func conversation(_ tuples: [Tuple], on port: UInt16 = 2196, from client: UInt16 = 49_152)
    -> Conversation
  {
    var conversation = Conversation(serverSends: feedback(tuples))
    conversation.server.port = port
    conversation.client.port = client
    conversation.segmentSizes = [38]
    return conversation
  }

  private func expectTuples(_ tuples: [Tuple], in exported: Exported, stream: Int = 0) throws {
    let found = try exported.tuples.filter { $0.stream == stream }
    #expect(found.map(\.token) == tuples.map { hex($0.token) })
    #expect(found.allSatisfy { $0.direction == "server" })
  }

  private func summary(_ exported: Exported, _ key: String) -> Int? {
    exported.objects("summary").first?[key] as? Int
  }

  // MARK: - --filter

  @Test("a filter chooses the packets; streams are numbered by what it lets through")
  func filter() throws {
    let lists = [
      conversation(tuples(5)).segments(), conversation(tuples(7, from: 100), from: 50_000).segments(),
    ]
    let packets = FrameWriter().packets(.interleaved(lists))
    let chosen = try directory.export(packets, "--filter", "tcp port 50000")
    #expect(chosen.streams.count == 1 && chosen.codes.isEmpty)
    try expectTuples(tuples(7, from: 100), in: chosen)
    // Packets have the numbers that they have in the file: a SYN of the other connection comes first.
    #expect(chosen.streams.first?["first_packet"] as? Int == 2)
    let oneSide = try directory.export(packets, "--filter", "src port 2196 and dst port 49152")
    #expect(oneSide.streams.count == 1 && oneSide.codes.isEmpty)
    try expectTuples(tuples(5), in: oneSide)
  }

  @Test("a filter that no packet matches leaves nothing, and that is no error")
  func filterWithoutMatches() throws {
    let exported = try directory.export(
      FrameWriter().packets(conversation(tuples(5)).segments()), "--filter", "udp")
    #expect(exported.outcome.code == 0)
    #expect(exported.streams.isEmpty && exported.codes.isEmpty && summary(exported, "feedback") == 0)
  }

  @Test(
    "a filter that does not compile is wrong usage, with libpcap's words and before anything is read",
    arguments: [("tcp prot 9", "syntax error"), ("host", "syntax error"), ("tcp port 65536", "port")])
  func wrongFilter(_ filter: String, _ words: String) throws {
    let outcome = try directory.apnsift("export", "--filter", filter, "missing.pcap", "-o", "out.csv")
    #expect(outcome.code == 64)
    #expect(
      outcome.errors.contains("--filter") && outcome.errors.contains(filter)
        && outcome.errors.contains(words), "\(outcome.errors)")
    #expect(try directory.names.isEmpty)
  }

  // MARK: - Ports and content

  @Test(
    "a feedback connection on another port is known by its content",
    arguments: [443, 1025, 60_000] as [UInt16], [false, true])
  func byContent(_ port: UInt16, _ hasHandshake: Bool) throws {
    // The client's port is the lower one where the server's is 60,000.
    let segments = conversation(tuples(20), on: port, from: 50_000).segments()
    let exported = try directory.export(hasHandshake ? segments : segments.withoutHandshake)
    try expectTuples(tuples(20), in: exported)
    let stream = try #require(exported.streams.first)
    #expect(stream["protocol"] as? String == "feedback")
    #expect(stream["server"] as? String == "192.0.2.20:\(port)")
    #expect(Set(exported.codes) == (hasHandshake ? [] : ["midstream-start"]))
    let findings = exported.findings("midstream-start").map { $0["direction"] as? String }
    #expect(findings == (hasHandshake ? [] : ["server"]))
  }

  @Test("other traffic is counted and not decoded")
  func otherTraffic() throws {
    var web = Conversation([
      .init(.client, Array("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8)),
      .init(.server, Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)),
    ])
    web.server.port = 80
    let lists = [web.segments(), conversation(tuples(5)).segments()]
    let exported = try directory.export(FrameWriter().packets(.interleaved(lists)))
    #expect(exported.streams.map { $0["protocol"] as? String } == ["other", "feedback"])
    #expect(exported.streams.first?["client_bytes"] as? Int == web.bytes(of: .client).count)
    #expect(exported.streams.first?["server_bytes"] as? Int == web.bytes(of: .server).count)
    #expect(exported.codes.isEmpty)
    try expectTuples(tuples(5), in: exported, stream: 1)
    let undecoded = web.bytes(of: .client).count + web.bytes(of: .server).count
    #expect(summary(exported, "undecoded_bytes") == undecoded)
    #expect(summary(exported, "stream_bytes") == 5 * 38 && summary(exported, "record_bytes") == 5 * 38)
  }

  /// Bytes that no probe takes for feedback, and that a feedback port makes a damaged stream.
  private var noise: [UInt8] { (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) } }

  @Test("--feedback-port replaces 2196, and may be repeated")
  func feedbackPort() throws {
    var odd = Conversation(serverSends: noise)
    odd.server.port = 4000
    let packets = FrameWriter().packets(odd.segments())
    #expect(try directory.export(packets).streams.first?["protocol"] as? String == "other")
    for options in [["--feedback-port", "4000"], ["--feedback-port", "1", "--feedback-port", "4000"]] {
      let outcome = try directory.apnsift(["export", "-t", "ndjson", "capture.pcap"] + options)
      let exported = Exported(objects: try Evidence.lines(outcome.text), outcome: outcome)
      #expect(exported.streams.first?["protocol"] as? String == "feedback")
      #expect(summary(exported, "skipped_bytes") == 400 && exported.codes == ["skipped-bytes"])
    }
    odd.server.port = 2196
    let usual = FrameWriter().packets(odd.segments())
    #expect(try directory.export(usual).streams.first?["protocol"] as? String == "feedback")
    let moved = try directory.export(usual, "--feedback-port", "4000")
    #expect(moved.streams.first?["protocol"] as? String == "other")
    #expect(summary(moved, "undecoded_bytes") == 400)
  }

  @Test("--gateway-port replaces 2195")
  func gatewayPort() throws {
    var odd = Conversation([.init(.client, noise)])
    odd.server.port = 4000
    let packets = FrameWriter().packets(odd.segments())
    let exported = try directory.export(packets, "--gateway-port", "4000")
    #expect(exported.streams.first?["protocol"] as? String == "gateway")
    #expect(exported.streams.first?["server"] as? String == "192.0.2.20:4000")
    odd.server.port = 2195
    let usual = FrameWriter().packets(odd.segments())
    #expect(try directory.export(usual).streams.first?["protocol"] as? String == "gateway")
    let moved = try directory.export(usual, "--gateway-port", "4000")
    #expect(moved.streams.first?["protocol"] as? String == "other")
  }

  @Test(
    "the port of a server identifies the sides if no handshake was captured", arguments: [2196, 4000])
  func roleByPort(_ port: UInt16) throws {
    // The server's port is the higher one, and the client sends first.
    var odd = Conversation([.init(.client, [1, 2, 3]), .init(.server, feedback(tuples(3)))])
    odd.server.port = port
    odd.client.port = 700
    let packets = FrameWriter().packets(odd.segments().withoutHandshake)
    let exported = try directory.export(packets, "--feedback-port", "\(port)")
    #expect(exported.streams.first?["server"] as? String == "192.0.2.20:\(port)")
    #expect(exported.streams.first?["client_bytes"] as? Int == 3)
    try expectTuples(tuples(3), in: exported)
  }

  @Test("--protocol feedback decodes streams that neither port nor content identify")
  func namedProtocol() throws {
    var odd = Conversation(serverSends: noise + feedback(tuples(3)))
    odd.server.port = 4000
    let exported = try directory.export(
      FrameWriter().packets(odd.segments()), "--protocol", "feedback")
    #expect(exported.streams.first?["protocol"] as? String == "feedback")
    #expect(summary(exported, "stream_bytes") == 400 + 3 * 38 && summary(exported, "undecoded_bytes") == 0)
    #expect(try exported.tuples.last?.token == hex(token(2)))
  }

  // MARK: - Limits

  @Test(
    "a hole is filled by the last packet of the window, and not by the one after it",
    arguments: [0, 1, 2, 10])
  func reorderWindow(_ window: Int) throws {
    let tuples = tuples(30)
    // From the packet after the gap to the one that fills it; acknowledgements are packets, too.
    for distance in [window, window + 1] where distance > 0 {
      var segments = conversation(tuples).segments()
      let moved = segments.remove(at: segments.dataIndices[3])
      let next = segments.dataIndices[3]
      segments.insert(moved, at: next + distance)
      let exported = try directory.export(
        FrameWriter().packets(segments), "--reorder-window", "\(window)")
      let isInTime = distance <= window
      let kept = tuples.enumerated().filter { isInTime || $0.offset != 3 }.map(\.element)
      try expectTuples(kept, in: exported)
      #expect(exported.codes.contains("stream-gap") != isInTime, "distance \(distance)")
      #expect(exported.codes.contains("late-segment") != isInTime, "distance \(distance)")
    }
  }

  @Test(
    "a buffer that is full gives a hole up, and says so", arguments: ["--stream-buffer", "--total-buffer"])
  func buffers(_ option: String) throws {
    var segments = conversation(tuples(30)).segments()
    let moved = segments.remove(at: segments.dataIndices[3])
    segments.insert(moved, at: segments.dataIndices[20])
    let packets = FrameWriter().packets(segments)
    #expect(try directory.export(packets, option, "64KiB").codes.isEmpty)
    for size in [0, 1000] {
      let exported = try directory.export(packets, option, "\(size)")
      #expect(Set(exported.codes) == ["buffer-limit", "stream-gap", "late-segment"], "\(size)")
      let message = exported.findings("buffer-limit").first?["message"] as? String
      #expect(message == "buffer limit of \(size) bytes reached (\(option)): the gap here was flushed early")
      try expectTuples(tuples(30).enumerated().filter { $0.offset != 3 }.map(\.element), in: exported)
    }
  }

  @Test("--max-connections forgets the connection that was idle longest")
  func maxConnections() throws {
    let first = conversation(tuples(6)).segments()
    let others = (0..<4).map { conversation(tuples(1), from: UInt16(50_000 + $0)).segments() }
    let split = first.dataIndices[3]
    let segments = Array(first[..<split]) + others.flatMap { $0 } + Array(first[split...])
    let whole = try directory.export(segments)
    #expect(whole.streams.count == 5 && whole.codes.isEmpty)
    let packets = FrameWriter().packets(segments)
    let evicted = try directory.export(packets, "--max-connections", "1")
    #expect(evicted.streams.count == 6)
    #expect(evicted.codes.contains("connection-evicted"))
    try expectTuples(tuples(3), in: evicted)
    try expectTuples(tuples(3, from: 3), in: evicted, stream: 5)
  }

  @Test("--fragment-buffer gives fragments up, and says so")
  func fragmentBuffer() throws {
    var conversation = conversation(tuples(40))
    conversation.segmentSizes = [760]
    let segments = conversation.segments().fragmented(into: 152, .lastFirst)
    let packets = FrameWriter().packets(segments)
    #expect(try directory.export(packets).codes.isEmpty)
    let exported = try directory.export(packets, "--fragment-buffer", "100")
    #expect(exported.codes.contains("fragment-missing") || exported.codes.contains("buffer-limit"))
    #expect(exported.streams.first?["server_gap_bytes"] as? Int == 1520)
    #expect(try exported.tuples.isEmpty)
  }

  @Test("--max-packet takes longer records for damage, and reads on after them")
  func maxPacket() throws {
    var conversation = conversation(tuples(40))
    conversation.segmentSizes = [38, 38, 380, 38]
    let segments = conversation.segments()
    let packets = FrameWriter().packets(segments)
    #expect(try directory.export(packets, "--max-packet", "434").codes.isEmpty)
    // 54 bytes of headers before a payload of 380.
    let exported = try directory.export(packets, "--max-packet", "433")
    #expect(exported.codes.contains("damaged-capture") && exported.codes.contains("stream-gap"))
    #expect(exported.outcome.code == 0)
    let offsets = try exported.tuples.map(\.offset)
    #expect(offsets.starts(with: [0, 38]) && offsets.contains(456))
  }

  @Test(
    "values that make no sense",
    arguments: [
      ["--reorder-window", "x"], ["--reorder-window=-1"], ["--reorder-window", "1048577"],
      ["--stream-buffer", "x"], ["--stream-buffer=-1"], ["--total-buffer", "1.5"], ["--total-buffer", ""],
      ["--fragment-buffer", "9ZB"], ["--max-connections", "0"], ["--max-connections=-5"],
      ["--max-connections", "99999999999999999999"], ["--max-packet", "63"], ["--max-packet", "2GiB"],
      ["--feedback-port", "65536"], ["--feedback-port=-1"], ["--gateway-port", "apns"],
      ["--protocol", "nonsense"], ["--from", "pcap"],
    ])
  func wrongValues(_ options: [String]) throws {
    let outcome = try directory.apnsift(["export", "missing.pcap", "-o", "out.csv"] + options)
    #expect(outcome.code == 64)
    let name = try #require(options.first?.split(separator: "=").first)
    #expect(outcome.errors.contains(name), "\(outcome.errors)")
    #expect(try directory.names.isEmpty)
  }
}
