import Basics
import CaptureWriting
import CommandTestSupport
import Testing

/// The options that say which packets are read (docs/spec/interface.md#input-options). Those of ports are in cases of
/// samples/corpus/capture.
@Suite("What the options of captures choose")
struct CaptureOptionTests {
  private let directory = TestDirectory()

  /// A feedback connection of 38-byte segments.
  private func conversation(_ tuples: [Tuple]) -> Conversation {
    var conversation = Conversation(serverSends: feedback(tuples))
    conversation.segmentSizes = [38]
    return conversation
  }

  @Test("a filter that no packet matches leaves nothing, and that is no error")
  func filterWithoutMatches() throws {
    let packets = FrameWriter().packets(conversation(tuples(5)).segments())
    let exported = try directory.export(packets, "--filter", "udp")
    try directory.writeCapture(conversation(tuples(5)).segments(), to: "tcp.pcap")
    #expect(try directory.apnsift("inspect tcp.pcap --filter udp".words).errors.contains("no packet has TCP"))
    #expect(exported.outcome.code == 0 && exported.summary["feedback"] as? Int == 0)
    #expect(exported.streams.isEmpty && exported.codes.isEmpty)
  }

  @Test(
    "a filter that does not compile is wrong usage, with libpcap's words and before anything is read",
    arguments: [("tcp prot 9", "syntax error"), ("host", "syntax error"), ("tcp port 65536", "port")])
  func wrongFilter(_ filter: String, _ words: String) throws {
    let outcome = try directory.apnsift("export", "--filter", filter, "missing.pcap", "-o", "out.csv").exits(
      64)
    for part in ["--filter", filter, words] { #expect(outcome.errors.contains(part), "\(outcome.errors)") }
    #expect(try directory.names.isEmpty)
  }

  @Test("--max-packet takes longer records for damage, and reads on after them")
  func maxPacket() throws {
    var conversation = conversation(tuples(40))
    conversation.segmentSizes = [38, 38, 380, 38]
    let packets = FrameWriter().packets(conversation.segments())
    #expect(try directory.export(packets, "--max-packet", "434").codes.isEmpty)
    // 54 bytes of headers before a payload of 380.
    let exported = try directory.export(packets, "--max-packet", "433")
    #expect(exported.codes.contains("damaged-capture") && exported.codes.contains("stream-gap"))
    #expect(exported.outcome.code == 0)
    let offsets = try exported.tuples.map(\.offset)
    #expect(offsets.starts(with: [0, 38]) && offsets.contains(456))
  }
}
