import CaptureWriting
import CommandTestSupport
import Testing

/// Which of two copies of a segment counts, and what is in doubt (docs/spec/captures.md#retransmissions-and-overlaps).
@Suite("Copies that differ")
struct CopyTests {
  private let directory: TestDirectory
  private let segments: [Segment]
  /// The index of the segment with the tuples 20 to 29, which is sent twice.
  private let index: Int

  init() throws {
    directory = try TestDirectory()
    var conversation = Conversation(serverSends: feedback(CommandTestSupport.tuples(100)))
    conversation.segmentSizes = [380]
    segments = conversation.segments()
    index = segments.dataIndices[2]
  }

  /// Where the copy is, and what happens to the packets.
  struct Case: Sendable {
    var name: String
    /// The number of segments between both.
    var distance = 3
    /// Bits of the first and the second copy that are changed on the way: the byte from the end of the packet.
    var damaged: [Int] = []
    /// Whether the network card makes the checksums.
    var isOffloaded = false
    /// Bytes that the capture lacks of the first copy, whose other bytes come in the second.
    var missing = 0
    var flagged: [Int] = []
  }

  static let cases = [
    Case(name: "the first one is damaged", damaged: [0]),
    Case(name: "the second one is damaged", damaged: [1]),
    Case(name: "the first one is damaged, and they are next to each other", distance: 0, damaged: [0]),
    Case(name: "both come before the segment before them", distance: -1, damaged: [0]),
    Case(name: "both are damaged", damaged: [0, 1], flagged: [20]),
    Case(name: "no checksum is right", damaged: [0], isOffloaded: true, flagged: [20]),
    Case(name: "the first one is cut", damaged: [0], missing: 40, flagged: [20]),
  ]

  @Test("checksums decide, or the record has a flag", arguments: cases)
  func copies(_ each: Case) throws {
    var sent = segments
    var second = index + 1 + max(0, each.distance)
    sent.insert(sent[index], at: second)
    var first = index
    if each.distance < 0 {
      sent.insert(sent.remove(at: index - 1), at: second)
      (first, second) = (index - 1, index)
    }
    var packets = FrameWriter().packets(sent)
    let byte = packets[first].bytes.count - 380 + 20
    if each.damaged.contains(0) { packets[first].bytes[byte] ^= 4 }
    if each.damaged.contains(1) { packets[second].bytes[byte] ^= 8 }
    packets[first].bytes.removeLast(each.missing)
    if each.isOffloaded {
      for index in packets.indices where index != second { packets[index].bytes[14 + 20 + 16] ^= 1 }
    }
    let exported = try directory.export(packets)
    let tuples = try exported.tuples
    let flagged = tuples.filter { $0.flags == ["conflicting-bytes"] }.map { $0.offset / 38 }
    #expect(flagged == each.flagged, "\(each.name)")
    let right = (0..<100).filter { !flagged.contains($0) }.map { hex(token($0)) }
    #expect(tuples.filter(\.flags.isEmpty).map(\.token) == right, "\(each.name)")
    #expect(exported.findings("conflicting-overlap").count == 1, "\(each.name)")
    #expect(exported.outcome.code == 0)
  }

  @Test("a copy that comes too late fails the input")
  func late() throws {
    var conversation = Conversation(serverSends: feedback(CommandTestSupport.tuples(20_000)))
    conversation.segmentSizes = [380]
    var sent = conversation.segments()
    sent.insert(sent[index], at: sent.dataIndices[1990])
    var packets = FrameWriter().packets(sent)
    packets[index].bytes[packets[index].bytes.count - 9] ^= 4
    let late = try directory.export(packets, "--reorder-window", "5")
    #expect(late.outcome.code == 2)
    #expect(Set(late.codes) == ["conflicting-overlap", "unreadable-input"])
    let inTime = try directory.export(packets)
    #expect(inTime.outcome.code == 0)
    #expect(try inTime.tuples.map(\.token) == (0..<20_000).map { hex(token($0)) })
  }

  @Test(
    "what public reports describe",
    arguments: ["ack-with-padding.pcap", "corrupt-copy-first.pcap", "corrupt-copy-first.snoop", "pktap.pcap"])
  func reported(_ name: String) throws {
    let file = Repository.path(of: "Tests/Fixtures/cases/public/" + name)
    let exported = try directory.export(file)
    let tuples = try exported.tuples
    #expect(tuples.map(\.timestamp) == (0..<6).map { 1_400_000_000 + 100 * $0 })
    #expect(tuples.map { $0.token.prefix(8) }[1...3] == ["18d6e1ca", "98ce94b2", "1032746e"])
    let flags: [[String]] =
      name.hasPrefix("ack") ? [[], [], ["conflicting-bytes"], [], [], []] : Array(repeating: [], count: 6)
    #expect(tuples.map(\.flags) == flags)
  }

  @Test("a capture of another program is named with the way to convert it")
  func foreignCapture() throws {
    let file = Repository.path(of: "Tests/Fixtures/cases/public/netmon.cap")
    let outcome = try directory.apnsift("export", file)
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("is a capture of Microsoft Network Monitor: convert it: editcap"))
  }
}
