import CaptureWriting
import CommandTestSupport
import Testing

/// One conversation in many wrappings gives the same records (docs/spec/captures.md#captures-and-streams).
@Suite(
  "The same conversation, captured otherwise")
struct CaptureMetamorphicTests {
  private let directory: TestDirectory
  private let expected: [ReportedTuple]

  init() throws {
    directory = try TestDirectory()
    expected = try FeedbackConversation.expected(in: directory)
    try #require(expected.count == 300)
  }

  /// The answer is the plain one, and nothing is wrong but what `codes` may say.
  private func expectSame(_ exported: Exported, but codes: Set<String> = [], _ name: String) throws {
    #expect(try exported.tuples == expected, "\(name)")
    #expect(Set(exported.codes).isSubset(of: codes), "\(name): \(exported.codes)")
    #expect(exported.outcome.code == 0, "\(name): \(exported.outcome.errors)")
    let stream = try #require(exported.streams.first)
    #expect(exported.streams.count == 1 && stream["server_gap_bytes"] as? Int == 0, "\(name)")
    #expect(stream["server_bytes"] as? Int == FeedbackConversation.plain.bytes(of: .server).count, "\(name)")
  }

  @Test("link layers over IPv4 and IPv6", arguments: LinkLayer.allCases, [false, true])
  func linkLayers(_ link: LinkLayer, _ v6: Bool) throws {
    guard link.carries(v6: v6) else { return }
    let conversation = v6 ? FeedbackConversation.plain.overV6 : FeedbackConversation.plain
    let exported = try directory.export(FrameWriter(link).packets(conversation.segments()))
    try expectSame(exported, but: link.isExport ? ["midstream-start"] : [], link.rawValue)
    let stream = try #require(exported.streams.first)
    let peers =
      v6 ? ["[2001:db8::a]:49152", "[2001:db8::14]:2196"] : ["192.0.2.10:49152", "192.0.2.20:2196"]
    #expect([stream["client"] as? String, stream["server"] as? String] == peers)
  }

  // MARK: - Files

  typealias File = @Sendable ([CapturedPacket]) -> [UInt8]

  private static func pcap(_ change: @Sendable (inout PcapWriter) -> Void) -> [UInt8] {
    var writer = PcapWriter()
    change(&writer)
    return writer.file(FrameWriter().packets(FeedbackConversation.plain.segments()))
  }

  private static func pcapng(_ change: @Sendable (inout PcapngWriter) -> Void) -> [UInt8] {
    var writer = PcapngWriter()
    change(&writer)
    return writer.file(FrameWriter().packets(FeedbackConversation.plain.segments()))
  }

  static let files: [(name: String, time: String?, file: @Sendable () -> [UInt8])] = [
    ("pcap, little endian", "2013-05-01T09:30:00.003703Z", { pcap { $0.order = .little } }),
    ("pcap, big endian", "2013-05-01T09:30:00.003703Z", { pcap { $0.order = .big } }),
    ("pcap, nanoseconds", "2013-05-01T09:30:00.003703701Z", { pcap { $0.isNanosecond = true } }),
    (
      "pcap, nanoseconds, big endian", "2013-05-01T09:30:00.003703701Z",
      {
        pcap {
          $0.isNanosecond = true
          $0.order = .big
        }
      }
    ),
    ("pcap, modified", "2013-05-01T09:30:00.003703Z", { pcap { $0.isModified = true } }),
    ("pcapng", "2013-05-01T09:30:00.003703Z", { pcapng { _ in } }),
    ("pcapng, big endian", "2013-05-01T09:30:00.003703Z", { pcapng { $0.order = .big } }),
    (
      "pcapng, milliseconds", "2013-05-01T09:30:00.003Z",
      { pcapng { $0.interfaces = [.init(resolution: .decimal(3))] } }
    ),
    (
      "pcapng, nanoseconds", "2013-05-01T09:30:00.003703701Z",
      { pcapng { $0.interfaces = [.init(resolution: .decimal(9))] } }
    ),
    (
      "pcapng, nanoseconds after an offset", "2013-05-01T09:30:00.003703701Z",
      { pcapng { $0.interfaces = [.init(resolution: .decimal(9), offset: 1_300_000_000)] } }
    ),
    ("pcapng, 2^-20 s", nil, { pcapng { $0.interfaces = [.init(resolution: .binary(20))] } }),
    ("pcapng, simple blocks", nil, { pcapng { $0.kind = .simple } }),
    ("pcapng, obsolete blocks", "2013-05-01T09:30:00.003703Z", { pcapng { $0.kind = .obsolete } }),
    (
      "pcapng, with options and other blocks", "2013-05-01T09:30:00.003703Z",
      { pcapng { $0.isVerbose = true } }
    ),
    (
      "pcapng, sections of both byte orders", "2013-05-01T09:30:00.003703Z",
      {
        pcapng {
          $0.sections = 5
          $0.isVerbose = true
        }
      }
    ),
    (
      "pcapng, an interface a packet", nil,
      {
        pcapng { $0.interfaces = [.init(), .init(resolution: .decimal(9)), .init(resolution: .binary(10))] }
      }
    ),
  ]

  @Test("containers, byte orders, resolutions", arguments: 0..<files.count)
  func containers(_ number: Int) throws {
    let (name, time, file) = Self.files[number]
    try directory.write(file(), to: "capture.pcap")
    let exported = try directory.export("capture.pcap")
    try expectSame(exported, name)
    // The first tuple comes with the fourth packet, 3,703,701 ns after the first.
    let first = try #require(exported.objects("feedback").first { $0["offset"] as? Int == 0 })
    #expect(first["packet"] as? Int == 4, "\(name)")
    if let time { #expect(first["captured_at"] as? String == time, "\(name)") }
  }

  @Test("link types that change from packet to packet")
  func mixedLinkTypes() throws {
    let links = [LinkLayer.ethernet, .raw, .sll, .nullLittle]
    var writer = PcapngWriter()
    writer.interfaces = links.map { .init(linkType: $0.linkType) }
    let packets = FeedbackConversation.plain.segments().enumerated().flatMap {
      FrameWriter(links[$0.offset % links.count]).packets([$0.element])
    }
    try directory.write(writer.file(packets), to: "capture.pcapng")
    try expectSame(try directory.export("capture.pcapng"), "mixed")
  }

  static let compressions = [["gzip", "-c"], ["zstd", "-q", "-c"], ["lz4", "-q", "-c"]]

  @Test("compressed", arguments: compressions, [false, true])
  func compressed(_ tool: [String], _ isNG: Bool) throws {
    try directory.write(isNG ? Self.pcapng { _ in } : Self.pcap { _ in }, to: "plain")
    let bytes = try directory.tool(tool[0], Array(tool[1...]) + ["plain"])
    try directory.write(bytes, to: "capture")
    try expectSame(try directory.export("capture"), tool[0])
  }

  @Test("from standard input")
  func standardInput() throws {
    let outcome = try directory.apnsift("export", "-t", "ndjson", "-", input: .bytes(Self.pcap { _ in }))
    try expectSame(Exported(objects: try Evidence.lines(outcome.text), outcome: outcome), "a pipe")
  }

  @Test("garbage between records", arguments: [false, true], [1, 3, 16, 50, 700])
  func garbage(_ isNG: Bool, _ length: Int) throws {
    var generator = FixedGenerator(seed: UInt64(length))
    let junk = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let packets = FrameWriter().packets(FeedbackConversation.plain.segments())
    let garbage = [7: junk, 20: junk, 21: junk]
    let file =
      isNG ? PcapngWriter().file(packets, garbage: garbage) : PcapWriter().file(packets, garbage: garbage)
    try directory.write(file, to: "capture.pcap")
    let exported = try directory.export("capture.pcap")
    try expectSame(exported, but: ["damaged-capture"], "\(length) bytes of garbage")
    let damage = exported.findings("damaged-capture")
    #expect(damage.map { $0["length"] as? Int } == [length, length, length])
    let prefix = isNG ? PcapngWriter().file(Array(packets[..<7])) : PcapWriter().file(Array(packets[..<7]))
    #expect(damage.first?["file_offset"] as? Int == prefix.count)
  }

  // MARK: - Packets

  typealias Change = @Sendable ([Segment]) -> [Segment]

  static let changes: [(name: String, codes: Set<String>, change: Change)] = [
    ("shuffled within 5", [], { shuffled($0, within: 5) }),
    ("shuffled within 60", [], { shuffled($0, within: 60) }),
    ("shuffled as a whole", [], { shuffled($0, within: 4000) }),
    ("reversed", [], { $0.reversed() }),
    (
      "captured twice", [],
      {
        var generator = FixedGenerator(seed: 5)
        return $0.duplicated(oneIn: 1, within: 9, using: &generator)
      }
    ),
    ("sent again at once", [], { $0.retransmitting(everyNth: 2, after: 0) }),
    ("sent again much later", [], { $0.retransmitting(everyNth: 3, after: 30) }),
    ("cut into single bytes", [], { $0.recut(every: 1) }),
    ("cut into 37 bytes, 20 of them again", [], { $0.recut(every: 37, overlap: 20) }),
    (
      "cut into 100 bytes, 250 of them again, shuffled", [],
      { shuffled($0.recut(every: 100, overlap: 250), within: 50) }
    ),
    ("with trailers", [], { $0.withTrailers([UInt8](repeating: 0x55, count: 11)) }),
    ("payload in SYN", [], { $0.withPayloadInSYN }),
    ("keep-alives without a byte", [], { $0.withKeepAlives() }),
    ("keep-alives with a garbage byte", ["conflicting-overlap"], { $0.withKeepAlives(garbage: [0]) }),
    ("zero-window probes", [], { $0.withZeroWindowProbes }),
    ("without handshake", ["midstream-start"], { $0.withoutHandshake }),
    ("without handshake, reversed", ["midstream-start"], { $0.withoutHandshake.reversed() }),
    ("the server alone", [], { $0.only(from: FeedbackConversation.plain.server) }),
    (
      "the server alone, without handshake", ["midstream-start"],
      { $0.only(from: FeedbackConversation.plain.server).withoutHandshake }
    ),
    ("payloads alone", ["midstream-start"], { segments in segments.dataIndices.map { segments[$0] } }),
    ("fragments", [], { $0.fragmented(into: 256) }),
    ("fragments, last first", [], { $0.fragmented(into: 64, .lastFirst) }),
    ("fragments, reversed", [], { $0.fragmented(into: 8, .reversed) }),
    ("segmentation offload: length 0", [], { $0.withLengthZero }),
  ]

  private static func shuffled(_ segments: [Segment], within window: Int) -> [Segment] {
    var generator = FixedGenerator(seed: 6)
    return segments.shuffled(within: window, using: &generator)
  }

  @Test("orders, copies, cuts", arguments: 0..<changes.count, [false, true])
  func packets(_ number: Int, _ v6: Bool) throws {
    let (name, codes, change) = Self.changes[number]
    var conversation = FeedbackConversation.plain
    // The change that keeps one host alone names the one of IPv4.
    if v6, !name.hasPrefix("the server alone") { conversation = conversation.overV6 }
    // Length 0 means that what is on the wire counts: over Ethernet short packets would count their padding.
    let link: LinkLayer = name.hasSuffix("length 0") ? .raw : .ethernet
    try expectSame(
      try directory.export(FrameWriter(link).packets(change(conversation.segments()))), but: codes, name)
  }

  @Test("fragments shuffled and captured twice", arguments: [false, true])
  func shuffledFragments(_ v6: Bool) throws {
    var generator = FixedGenerator(seed: 8)
    let conversation = v6 ? FeedbackConversation.plain.overV6 : FeedbackConversation.plain
    let packets = FrameWriter().packets(conversation.segments().fragmented(into: 128))
      .duplicated(oneIn: 2, within: 5, using: &generator).shuffled(within: 60, using: &generator)
    try expectSame(try directory.export(packets), "fragments")
  }

  @Test(
    "sequence numbers that wrap", arguments: [UInt32(0xffff_ffff), 0xffff_fffe, 0xffff_ff00, 0x7fff_ff00, 0])
  func wrapping(_ start: UInt32) throws {
    var conversation = FeedbackConversation.plain
    conversation.serverStart = start
    conversation.clientStart = start
    try expectSame(try directory.export(conversation.segments()), "start \(start)")
    try expectSame(try directory.export(Self.shuffled(conversation.segments(), within: 60)), "start \(start)")
    try expectSame(
      try directory.export(conversation.segments().withoutHandshake.reversed()), but: ["midstream-start"],
      "start \(start), without handshake, reversed")
  }
}

@Suite("The conversation that captures are made of")
struct FeedbackConversationTests {
  @Test("read as a plain dump it has every tuple, and the odd ones are flagged")
  func plain() throws {
    let expected = try FeedbackConversation.expected(in: TestDirectory())
    #expect(expected.map(\.token) == FeedbackConversation.tuples.map { hex($0.token) })
    #expect(expected.map(\.timestamp) == FeedbackConversation.tuples.map { Int($0.time) })
    #expect(expected.filter { $0.flags.contains("implausible-timestamp") }.count == 6)
    #expect(expected.filter { $0.flags.contains("unexpected-token-length") }.count == 4)
  }
}
