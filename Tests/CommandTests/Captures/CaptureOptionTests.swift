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

  /// Bytes that no probe takes for feedback, and that a feedback port makes a damaged stream.
  private var noise: [UInt8] { (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) } }

  @Test("--feedback-port replaces 2196, and may be repeated")
  func feedbackPort() throws {
    var odd = Conversation(serverSends: noise)
    odd.server.port = 4000
    let packets = FrameWriter().packets(odd.segments())
    #expect(try directory.export(packets).streams.first?["protocol"] as? String == "other")
    for options in [["--feedback-port", "4000"], ["--feedback-port", "1", "--feedback-port", "4000"]] {
      let exported = try directory.export("capture.pcap", options)
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

  // MARK: - Limits

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
