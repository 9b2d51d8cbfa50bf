import CaptureWriting
import TestSupport
import Testing

/// The writer used by other tests: tshark must read its output without complaint and with the intended content.
@Suite("Captures that tests write")
struct CaptureWriterTests {
  /// A request and a long answer over IPv4, then the same over IPv6.
  private static let segments: [Segment] = {
    var generator = SeededGenerator(seed: 1)
    let conversation = Conversation([
      .init(.client, generator.bytes(7)), .init(.server, generator.bytes(3000)),
    ])
    return conversation.segments() + conversation.overV6.segments()
  }()

  private func carried(_ link: LinkLayer) -> [Segment] {
    Self.segments.filter { link.carries(v6: $0.source.isV6) }
  }

  @Test(
    "tshark reads every link layer as it was written", arguments: LinkLayer.allCases.filter { !$0.isExport })
  func linkLayers(_ link: LinkLayer) throws {
    let segments = carried(link)
    guard let rows = try tshark(PcapWriter().file(FrameWriter(link).packets(segments))) else { return }
    try #require(rows.count == segments.count)
    for (row, segment) in zip(rows, segments) { expect(row, is: segment) }
  }

  @Test(
    "tshark reads exported payloads as they were written", arguments: LinkLayer.allCases.filter(\.isExport))
  func exports(_ link: LinkLayer) throws {
    let file = PcapWriter().file(FrameWriter(link).packets(Self.segments))
    let fields = [
      "exported_pdu.src_port", "exported_pdu.dst_port", "exported_pdu.ipv4_src", "exported_pdu.ipv6_dst",
      "exported_pdu.orig_fno", "data.data", "_ws.malformed", "_ws.expert.severity",
    ]
    guard let rows = try tshark(file, fields) else { return }
    let expected = Self.segments.enumerated().filter { !$0.element.payload.isEmpty }.map { index, segment in
      [
        "\(segment.source.port)", "\(segment.destination.port)",
        segment.source.isV6 ? "" : text(segment.source),
        segment.source.isV6 ? text(segment.destination) : "", "\(index + 1)", hex(segment.payload), "", "",
      ]
    }
    #expect(rows == expected)
  }

  static let pcaps: [(order: ByteOrder, nanoseconds: Bool, modified: Bool)] = [
    (.little, false, false), (.big, false, false), (.little, true, false), (.big, true, false),
    (.little, false, true), (.big, false, true),
  ]

  @Test("tshark reads every variant of pcap, times included", arguments: pcaps)
  func pcapVariants(_ order: ByteOrder, _ nanoseconds: Bool, _ modified: Bool) throws {
    var writer = PcapWriter()
    writer.order = order
    writer.isNanosecond = nanoseconds
    writer.isModified = modified
    try expectTimes(of: writer.file(FrameWriter().packets(Self.segments)), every: nanoseconds ? 1 : 1000)
  }

  static let timeUnits: [(resolution: PcapngWriter.Resolution?, unit: UInt64)] = [
    (nil, 1000), (.decimal(3), 1_000_000), (.decimal(6), 1000), (.decimal(9), 1), (.binary(9), 1_953_125),
  ]

  @Test("tshark reads times of every resolution in pcapng", arguments: timeUnits, ByteOrder.allCases)
  func resolutions(_ row: (resolution: PcapngWriter.Resolution?, unit: UInt64), _ order: ByteOrder) throws {
    var writer = PcapngWriter()
    writer.order = order
    writer.interfaces = [.init(resolution: row.resolution, offset: 1_000_000_000)]
    try expectTimes(of: writer.file(FrameWriter().packets(Self.segments)), every: row.unit)
  }

  @Test(
    "tshark reads every kind of packet block", arguments: [PcapngWriter.Packets.enhanced, .simple, .obsolete])
  func blocks(_ kind: PcapngWriter.Packets) throws {
    var writer = PcapngWriter()
    writer.kind = kind
    writer.isVerbose = true
    guard let rows = try tshark(writer.file(FrameWriter().packets(Self.segments))) else { return }
    try #require(rows.count == Self.segments.count)
    for (row, segment) in zip(rows, Self.segments) { expect(row, is: segment) }
  }

  @Test("tshark reads several sections, interfaces and link types in one file")
  func mixed() throws {
    var writer = PcapngWriter()
    writer.sections = 3
    writer.isVerbose = true
    let links = [LinkLayer.ethernet, .raw, .sll]
    writer.interfaces = links.map { .init(linkType: $0.linkType, resolution: .decimal(9)) }
    let packets = Self.segments.enumerated().flatMap {
      FrameWriter(links[$0.offset % 3]).packets([$0.element])
    }
    guard let rows = try tshark(writer.file(packets)) else { return }
    try #require(rows.count == Self.segments.count)
    for (row, segment) in zip(rows, Self.segments) { expect(row, is: segment) }
  }

  @Test("tshark puts fragments together", arguments: [Segment.FragmentOrder.inOrder, .reversed, .lastFirst])
  func fragments(_ order: Segment.FragmentOrder) throws {
    let segments = Self.segments.fragmented(into: 256, order)
    guard let rows = try tshark(PcapWriter().file(FrameWriter().packets(segments))) else { return }
    let whole = rows.filter { !$0[Field.sequence].isEmpty }
    try #require(whole.count == segments.count && rows.count > segments.count)
    // A datagram is read where its last fragment is.
    for (row, segment) in zip(whole, segments) { expect(row, is: segment) }
  }

  @Test("tshark takes length 0 for segmentation offload")
  func lengthZero() throws {
    let segments = Self.segments.filter { !$0.source.isV6 }.withLengthZero
    guard let rows = try tshark(PcapWriter().file(FrameWriter(.raw).packets(segments))) else { return }
    #expect(rows.map { $0[Field.payload] } == segments.map { hex($0.payload) })
  }

  @Test("trailers stay outside, and packets that were cut say how long they were")
  func trailersAndSnapLength() throws {
    let segments = Self.segments.withTrailers([1, 2, 3, 4, 5]).snapped(to: 500)
    guard
      let rows = try tshark(
        PcapWriter().file(FrameWriter().packets(segments)), ["frame.len", "frame.cap_len", "tcp.len"])
    else { return }
    let lengths = FrameWriter().packets(Self.segments.withTrailers([1, 2, 3, 4, 5])).map(\.bytes.count)
    #expect(rows.map { $0[0] } == lengths.map(String.init))
    #expect(rows.map { $0[1] } == lengths.map { String(min($0, 500)) })
    #expect(rows.map { $0[2] } == Self.segments.map { String($0.payload.count) })
  }

  // MARK: - Output of tshark

  private enum Field {
    static let names = [
      "ip.src", "ipv6.src", "tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.ack_raw", "tcp.flags",
      "tcp.window_size_value", "tcp.checksum.status", "tcp.payload", "_ws.malformed", "_ws.expert.severity",
    ]
    static let sequence = 4
    static let payload = 9
    static let good = "1"
    /// Chat and notes ("connection established", "padding is not zero") are below it, warnings and errors not.
    static let warning = 0x60_0000
  }

  private func expect(_ row: [String], is segment: Segment) {
    let v6 = segment.source.isV6
    let last = row.map { $0.split(separator: ",").last.map(String.init) ?? "" }
    #expect(last[v6 ? 1 : 0] == text(segment.source))
    #expect(
      Array(row[2...7]) == [
        "\(segment.source.port)", "\(segment.destination.port)", "\(segment.sequence)",
        "\(segment.acknowledgement)", "0x" + hex([0, segment.flags.rawValue]), "\(segment.window)",
      ])
    #expect(row[8] == Field.good && row[Field.payload] == hex(segment.payload) && row[10] == "")
    #expect(row[11].split(separator: ",").allSatisfy { Int($0) ?? .max < Field.warning }, "\(row)")
  }

  private func expectTimes(of file: [UInt8], every unit: UInt64) throws {
    guard let rows = try tshark(file, ["frame.time_epoch", "tcp.seq_raw"]) else { return }
    #expect(rows.map { $0[1] } == Self.segments.map { "\($0.sequence)" })
    let times = Self.segments.map { segment in
      let time = segment.time / unit * unit
      let fraction = String(time % 1_000_000_000)
      return "\(time / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction
    }
    #expect(rows.map { $0[0] } == times)
  }

  /// One row of fields a packet; nil, and a note in the log, on a machine without tshark.
  private func tshark(_ file: [UInt8], _ fields: [String] = Field.names) throws -> [[String]]? {
    // Blocks of unknown kinds are packets for tshark, too.
    let options =
      [
        "-n", "-Y", "tcp or ip.flags.mf == 1 or ip.frag_offset > 0 or ipv6.fragment or exported_pdu", "-o",
        "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields",
      ]
      + fields.flatMap { ["-e", $0] } + ["-r"]
    guard let output = try outputOf("tshark", options, input: file) else {
      print("tshark is not installed: the writer of captures is not tested")
      return nil
    }
    return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  private func text(_ host: Host) -> String {
    host.isV6
      ? "2001:db8::" + String(host.address[15], radix: 16)
      : host.address.map { String($0) }.joined(separator: ".")
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
