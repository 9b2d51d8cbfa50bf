import Basics
import CaptureWriting
import CommandTestSupport
import Foundation
import Testing
import Wording

/// What is wrong with a capture is reported with its position, and the rest is read (docs/spec/captures.md#damaged-files).
@Suite("What captures lack or get wrong")
struct CaptureScenarioTests {
  private let directory: TestDirectory
  /// 300 sound tuples, ten a segment.
  private let conversation: Conversation
  private let segments: [Segment]

  init() throws {
    directory = try TestDirectory()
    var conversation = Conversation(serverSends: feedback(tuples(300)))
    conversation.segmentSizes = [380]
    self.conversation = conversation
    segments = conversation.segments()
  }

  /// The tuples at these indexes are reported, with their offsets, and no others.
  private func expectTuples(_ numbers: some Sequence<Int>, in exported: Exported, stream: Int = 0) throws {
    let found = try exported.tuples.filter { $0.stream == stream }.map { "\($0.offset) \($0.token)" }
    #expect(found == numbers.map { "\($0 * 38) \(hex(token($0)))" })
  }

  private func extents(_ findings: [Evidence.Object]) -> [[Int?]] {
    findings.map { [$0["offset"] as? Int, $0["length"] as? Int] }
  }

  // MARK: - Loss

  @Test("lost segments are gaps with their lengths", arguments: [[2], [2, 3], [5, 9, 20], [0], [29]])
  func loss(_ lost: [Int]) throws {
    let exported = try directory.export(segments.dropping(Set(lost.map { segments.dataIndices[$0] })))
    let runs = lost == [2, 3] ? [[760, 760]] : lost.map { [$0 * 380, 380] }
    #expect(extents(exported.findings("stream-gap")) == runs)
    #expect(exported.findings("stream-gap").allSatisfy { $0["severity"] as? String == "error" })
    try expectTuples((0..<300).filter { !lost.contains($0 / 10) }, in: exported)
    #expect(exported.streams.first?["server_gap_bytes"] as? Int == lost.count * 380)
    #expect(exported.outcome.code == 0)
    #expect(try directory.apnsift("export", "--strict", "capture.pcap").code == 1)
  }

  @Test("a packet that comes too late for the window leaves a gap, one that does not leaves none")
  func window() throws {
    var late = segments
    let moved = late.remove(at: segments.dataIndices[3])
    late.insert(moved, at: segments.dataIndices[15])
    let packets = FrameWriter().packets(late)
    let patient = try directory.export(packets)
    #expect(patient.codes.isEmpty)
    try expectTuples(0..<300, in: patient)
    let hasty = try directory.export(packets, "--reorder-window", "5")
    #expect(extents(hasty.findings("stream-gap")) == [[1140, 380]])
    try expectTuples((0..<300).filter { $0 / 10 != 3 }, in: hasty)
  }

  @Test("a missing fragment is named, and is a gap", arguments: [0, 1, 2])
  func fragmentMissing(_ lost: Int) throws {
    let index = segments.dataIndices[4]
    var packets = FrameWriter().packets(Array(segments[..<index]))
    let before = packets.count
    packets += FrameWriter().packets([segments[index]].fragmented(into: 152)).dropping([lost])
    #expect(packets.count == before + 2)
    packets += FrameWriter().packets(Array(segments[(index + 1)...]))
    let exported = try directory.export(packets)
    #expect(exported.findings("fragment-missing").count == 1)
    #expect(extents(exported.findings("stream-gap")) == [[1520, 380]])
    try expectTuples((0..<300).filter { $0 / 10 != 4 }, in: exported)
  }

  @Test("packets that the snap length cut yield what there is, then a gap")
  func snapLength() throws {
    // 54 bytes of headers and 246 of payload: six tuples of ten, and a part of one.
    let exported = try directory.export(segments.snapped(to: 300))
    let cut = exported.findings("truncated-packet").compactMap { $0["message"] as? String }
    // Packets are numbered from 1.
    let expected = segments.dataIndices.map {
      Message.truncatedPacket(.packet($0 + 1), missing: 134, byFileEnd: false).text
    }
    #expect(!cut.isEmpty && cut == expected)
    #expect(exported.streams.first?["server_gap_bytes"] as? Int == 30 * 134)
    try expectTuples((0..<300).filter { $0 % 10 < 6 }, in: exported)
  }

  @Test("a packet that the file's end cuts is not blamed on the snap length", arguments: ["pcap", "pcapng"])
  func fileEnd(_ format: String) throws {
    let last = try #require(segments.dataIndices.last)
    let packets = FrameWriter().packets(Array(segments[...last]))
    let file = format == "pcap" ? PcapWriter().file(packets) : PcapngWriter().file(packets)
    // A block of pcapng ends with padding and its length: 434 bytes of packet and 2 of padding, and 4.
    try directory.write(file.dropLast(format == "pcap" ? 100 : 106), to: "cut")
    let exported = try directory.export("cut")
    let cut = exported.findings("truncated-packet")
    #expect(extents(cut) == [[29 * 380 + 280, 100]])
    #expect(
      cut.first?["message"] as? String
        == Message.truncatedPacket(.packet(packets.count), missing: 100, byFileEnd: true).text)
    let cause: Message =
      format == "pcap"
      ? "a record of 434 captured bytes, the file has 334 left"
      : "a block of 468 bytes, the file has \(468 - 106) left"
    #expect(
      exported.findings("damaged-capture").first?["message"] as? String
        == Message.damage(cause, inPacket: packets.count).text)
    #expect(Set(exported.codes) == ["damaged-capture", "truncated-packet", "truncated-record", "stream-gap"])
    try expectTuples(0..<297, in: exported)
  }

  // MARK: - Contradiction

  @Test("where no checksum decides, the first copy counts, with a flag", arguments: [0, 1, 379 - 3, 100])
  func conflict(_ offset: Int) throws {
    let index = segments.dataIndices[7]
    let other = segments[index].payload[offset..<offset + 4].map { ~$0 }
    let exported = try directory.export(segments.contradicting(index, at: offset, with: other))
    let findings = exported.findings("conflicting-overlap")
    #expect(extents(findings) == [[7 * 380 + offset, 4]])
    // Packets are numbered from 1.
    #expect(
      findings.first?["message"] as? String
        == Message.copiesDiffer(
          .packet(index + 1), .packet(index + 2), bytes: 4, used: .packet(index + 1), wrong: nil
        ).text)
    try expectTuples(0..<300, in: exported)
    let flagged = exported.objects("feedback").filter { $0["flags"] as? [String] == ["conflicting-bytes"] }
    let first = (7 * 380 + offset) / 38 * 38
    #expect(flagged.compactMap { $0["offset"] as? Int }.first == first)
    #expect(exported.codes == ["conflicting-overlap"])
  }

  // MARK: - Beginnings and ends

  @Test("a direction without SYN begins where it is first seen", arguments: [0, 11])
  func midstream(_ skipped: Int) throws {
    let begin = segments.dataIndices[skipped]
    let exported = try directory.export(Array(segments[begin...]))
    let findings = exported.findings("midstream-start").filter { $0["direction"] as? String == "server" }
    #expect(findings.count == 1 && Set(exported.codes) == ["midstream-start"])
    // Offsets are counted from the first byte that is there.
    let found = try exported.tuples.map { "\($0.offset) \($0.token)" }
    #expect(found == (skipped * 10..<300).map { "\(($0 - skipped * 10) * 38) \(hex(token($0)))" })
  }

  @Test("a new SYN on the same ports begins a new stream", arguments: [0, 40])
  func portReuse(_ window: Int) throws {
    var second = Conversation(serverSends: feedback(tuples(20)))
    second.clientStart = 2_000_000_000
    second.serverStart = 3_000_000_000
    second.start += 1_000_000_000
    var generator = FixedGenerator(seed: 9)
    let first = window > 0 ? segments.shuffled(within: window, using: &generator) : segments
    let exported = try directory.export(first + second.segments())
    #expect(exported.streams.count == 2 && exported.codes.isEmpty)
    try expectTuples(0..<300, in: exported)
    try expectTuples(0..<20, in: exported, stream: 1)
  }

  @Test("conversations on one link are kept apart")
  func interleaved() throws {
    let lists = (0..<20).map { number -> [Segment] in
      var one = Conversation(serverSends: feedback(tuples(number + 1)))
      one.client.port += UInt16(number)
      one.segmentSizes = [number + 7]
      one.start += UInt64(number)
      return (number % 2 == 0 ? one : one.overV6).segments()
    }
    let exported = try directory.export(.interleaved(lists))
    #expect(exported.streams.count == 20 && exported.codes.isEmpty)
    for number in 0..<20 { try expectTuples(0...number, in: exported, stream: number) }
  }

  // MARK: - Damage

  @Test("a file that was cut is read up to there", arguments: [1, 10, 17, 200])
  func cutFile(_ missing: Int) throws {
    let packets = FrameWriter().packets(Array(segments[...segments.dataIndices[20]]))
    try directory.write(PcapWriter().file(packets).dropLast(missing), to: "cut.pcap")
    let exported = try directory.export("cut.pcap")
    #expect(exported.findings("damaged-capture").count == 1)
    try expectTuples(0..<(210 - (missing + 37) / 38), in: exported)
  }

  @Test("headers that cannot be right are named, and the rest is read")
  func malformed() throws {
    var packets = FrameWriter().packets(segments)
    // The data offset of TCP is the upper half of the byte at 14 + 20 + 12; less than 5 words is impossible.
    packets[segments.dataIndices[2]].bytes[46] = 0x10
    let exported = try directory.export(packets)
    #expect(
      exported.findings("malformed-packet").map { $0["packet"] as? Int } == [segments.dataIndices[2] + 1])
    try expectTuples((0..<300).filter { $0 / 10 != 2 }, in: exported)
  }

  @Test("a link type that is not known is noted once, and fails a capture that has no other")
  func linkType() throws {
    var packets = FrameWriter().packets(segments)
    // Reserved for private use.
    for index in packets.indices { packets[index].linkType = 147 }
    let exported = try directory.export(packets)
    #expect(exported.codes == ["unsupported-link-type", "unreadable-input"] && exported.outcome.code == 2)
  }

  // MARK: - Size

  @Test("streams longer than 4 GiB: a tuple every GiB")
  func longStream() throws {
    try directory.makeCapture("long", 6)
    let exported = try directory.export("large.pcap")
    #expect(try exported.tuples.map(\.offset) == (0...6).map { $0 << 30 })
    #expect(extents(exported.findings("stream-gap")) == (0..<6).map { [($0 << 30) + 38, (1 << 30) - 38] })
  }

  @Test("holes of one byte, in any order", arguments: ["ascending", "descending", "random"])
  func holes(_ order: String) throws {
    try directory.makeCapture(order, 20_000)
    let exported = try directory.export("large.pcap", "--reorder-window", "100000", "--records", "streams")
    let stream = try #require(exported.streams.first)
    #expect(stream["server_bytes"] as? Int == 20_001 && stream["server_gap_bytes"] as? Int == 20_000)
  }

  @Test("bytes far from their streams' beginnings")
  func farBytes() throws {
    try directory.makeCapture("far-byte", 500)
    let exported = try directory.export("large.pcap", "--records", "streams")
    #expect(exported.streams.count == 500)
    #expect(exported.streams.allSatisfy { $0["server_gap_bytes"] as? Int == 1_000_000 })
  }

  @Test("more open connections than are remembered")
  func halfOpen() throws {
    try directory.makeCapture("half-open", 300_000)
    let outcome = try directory.apnsift("inspect", "large.pcap")
    #expect(outcome.code == 0)
    #expect(outcome.text.contains("connection-evicted"))
  }
}
