import PacketCapture
import TestSupport
import Testing

/// LINKTYPE_WIRESHARK_UPPER_PDU, as Wireshark's exporter writes it.
@Suite("Exported PDUs")
struct ExportedPDUTests {
  static let data = Array("data of the stream".utf8)
  static let addresses = Frames.tag(20, [10, 1, 2, 3]) + Frames.tag(21, [17, 2, 3, 4])
  static let ports = Frames.tag(25, Frames.be32(40000)) + Frames.tag(26, Frames.be32(2196))
  static let frame = Frames.tag(30, Frames.be32(1234))
  static let tcp = Frames.tag(24, Frames.be32(2))
  static let end = Frames.be32(0)

  private func pdu(_ bytes: [UInt8], onWire: Int? = nil) -> (ExportedPDU?, FrameReader) {
    var reader = FrameReader()
    guard case .exportedPDU(let pdu) = reader.read(bytes, linkType: 252, onWire: onWire) else {
      return (nil, reader)
    }
    return (pdu, reader)
  }

  @Test("values of the tags, in any order")
  func tags() throws {
    var generator = SeededGenerator(seed: 3)
    // Version 1, sequence, next, acknowledgement, reassembled, flags, urgent pointer, padding.
    let info = Frames.be16(1) + Frames.be32(5) + Frames.be32(23) + Frames.be32(7) + [1] + Frames.be16(0x18)
    let infoTag = Frames.be16(34) + Frames.be16(19) + info + Frames.zeros(2)
    let tags = [
      Frames.tag(12, "tls"), Self.addresses, Self.ports, Self.frame, Self.tcp, infoTag,
      Frames.tag(99, "unknown"),
    ]
    for _ in 0..<20 {
      let head = tags.shuffled(using: &generator).flatMap { $0 } + Self.end
      let (found, reader) = pdu(head + Self.data)
      let pdu = try #require(found)
      #expect(pdu.payload == 16 + head.count..<16 + head.count + Self.data.count && pdu.missingLength == 0)
      #expect(pdu.source?.text == "10.1.2.3:40000" && pdu.destination?.text == "17.2.3.4:2196")
      #expect(pdu.isTCP && pdu.originalFrame == 1234 && pdu.dissector == "tls")
      #expect(pdu.tcp?.sequence.value == 5 && pdu.tcp?.nextSequence.value == 23)
      #expect(pdu.tcp?.acknowledgement.value == 7 && pdu.tcp?.isReassembled == true)
      #expect(pdu.tcp?.flags == [.ack, .psh])
      #expect(reader.dissector.originalFrame == 1234 && reader.dissector.counts.exportedPDUs == 1)
    }
  }

  @Test("IPv6, no ports, other kinds of ports, no tags")
  func fewerTags() {
    let six =
      Frames.tag(22, [0x20, 1] + Frames.zeros(13) + [1]) + Frames.tag(23, [0x20, 1] + Frames.zeros(13) + [2])
    let (pdu6, _) = pdu(six + Self.ports + Self.end + Self.data)
    #expect(pdu6?.source?.text == "[2001::1]:40000" && pdu6?.destination?.text == "[2001::2]:2196")
    #expect(pdu6?.isTCP == true && pdu6?.dissector == nil && pdu6?.tcp == nil)
    let (portless, _) = pdu(Self.addresses + Self.end + Self.data)
    #expect(portless?.source == nil && portless?.isTCP == false)
    let (udp, _) = pdu(Self.addresses + Self.ports + Frames.tag(24, Frames.be32(3)) + Self.end)
    #expect(udp?.isTCP == false && udp?.source != nil && udp?.payload.isEmpty == true)
    let (bare, reader) = pdu(Self.end + Self.data)
    #expect(bare?.payload.count == Self.data.count && reader.dissector.originalFrame == nil)
    let (heuristic, _) = pdu(Frames.tag(13, "ssl_tcp") + Self.end)
    #expect(heuristic?.dissector == "ssl_tcp")
  }

  @Test("cut at every byte")
  func cut() {
    let head = Self.addresses + Self.ports + Frames.tag(14, "tcp.port") + Self.frame + Self.end
    let whole = head + Self.data
    for length in 0..<whole.count {
      var (found, reader) = pdu(Array(whole.prefix(length)), onWire: whole.count)
      if length < head.count {
        #expect(found == nil && reader.dissector.takeFindings().map(\.code) == [.malformedPacket])
      } else {
        #expect(found?.payload.count == length - head.count && found?.missingLength == whole.count - length)
      }
    }
  }

  @Test("tags that are too short or never end")
  func wrongTags() {
    for bytes in [
      Frames.be16(20) + Frames.be16(2) + [1, 2] + Self.end,
      Frames.be16(34) + Frames.be16(4) + Frames.zeros(8),
      Self.addresses, Frames.be16(12) + Frames.be16(0xffff), [],
    ] {
      var (found, reader) = pdu(bytes)
      #expect(found == nil && reader.dissector.takeFindings().map(\.code) == [.malformedPacket])
    }
  }

  @Test(
    "data that is a packet with headers of its own",
    arguments: [
      (Frames.tag(12, "ip"), Frames.ipv4()),
      (Frames.tag(12, "eth_maybefcs"), Frames.ethernet()),
      (Frames.tag(14, "ip.proto") + Frames.tag(32, Frames.be32(6)) + addresses, Frames.tcp()),
      (Frames.tag(14, "ethertype") + Frames.tag(32, Frames.be32(0x800)), Frames.ipv4()),
      (Frames.tag(12, "tcp") + addresses, Frames.tcp()),
    ] as [([UInt8], [UInt8])])
  func packets(_ tags: [UInt8], _ packet: [UInt8]) {
    var reader = FrameReader()
    let bytes = Self.frame + tags + Self.end + packet
    let start = 16 + bytes.count - Frames.payload.count
    #expect(
      reader.read(bytes, linkType: 252)
        == Frames.segment(payloadStart: start, length: Frames.payload.count).map { .segment($0) })
    #expect(reader.dissector.originalFrame == 1234)
    _ = reader.read(Frames.ethernet())
    #expect(reader.dissector.originalFrame == nil)
  }

  @Test("a TCP header without addresses is passed on as data")
  func headerWithoutAddresses() {
    #expect(pdu(Frames.tag(12, "tcp") + Self.end + Frames.tcp()).0?.dissector == "tcp")
  }

  @Test("fragments have their frame numbers in the first capture")
  func fragments() {
    var reader = FrameReader()
    let frames = FragmentTests.fragments(step: 512).map { Self.frame + Frames.tag(12, "ip") + Self.end + $0 }
    #expect(reader.read(frames[0], linkType: 252) == .skipped)
    let answer = reader.read(frames[1], linkType: 252)
    guard case .datagram(_, let datagram) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(datagram.origins.map { $0.packet?.original } == [1234, 1234])
  }
}
