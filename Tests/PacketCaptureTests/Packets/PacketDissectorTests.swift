import Basics
import PacketCapture
import TestSupport
import Testing

/// A packet of samples/corpus whose headers no other one has. What is in it, the corpus says.
struct FrameCase: Sendable, CustomTestStringConvertible {
  var number: Int
  var linkType: UInt16
  var frame: [UInt8]
  var payload: [UInt8]
  /// Whether bytes follow that are not part of the segment.
  var hasTrailer: Bool

  var testDescription: String { "packet \(number) of link type \(linkType)" }

  static let all = ["every-frame", "odd-frames"].flatMap { name in
    let file = try? Fixtures.data("../../samples/corpus/capture/\(name)/input.pcapng")
    return RecordReading(Array(file ?? .init())).packets.compactMap { packet -> FrameCase? in
      var reader = FrameReader()
      let answer = reader.read(packet.bytes, linkType: packet.linkType)
      guard case .segment(let segment) = answer, segment.payloadLength > 0 else { return nil }
      return FrameCase(
        number: packet.number, linkType: packet.linkType, frame: packet.bytes,
        payload: FrameReader.payload(answer, of: packet.bytes) ?? [],
        hasTrailer: segment.payloadStart - 16 + segment.payloadLength < packet.bytes.count)
    }
  }
}

@Suite("From a captured packet to its TCP segment")
struct PacketDissectorTests {
  @Test("there are packets to test with")
  func areThere() {
    #expect(FrameCase.all.count == 77)
    #expect(FrameCase.all.allSatisfy { $0.payload.count == 38 })
  }

  @Test("cut at every byte: the payload's beginning, or one anomaly", arguments: FrameCase.all)
  func cut(_ example: FrameCase) {
    for length in 0..<example.frame.count {
      let frame = Array(example.frame.prefix(length))
      for onWire in [example.frame.count, length] {
        var reader = FrameReader()
        let answer = reader.read(frame, linkType: example.linkType, onWire: onWire)
        let findings = reader.dissector.takeFindings()
        guard case .segment(let segment) = answer else {
          #expect(answer == .skipped && findings.count <= 1, "cut at \(length)")
          #expect(findings.allSatisfy { $0.code == .malformedPacket && $0.packet?.number == 1 })
          #expect(findings.allSatisfy { (16...16 + length).contains($0.fileOffset ?? -1) })
          continue
        }
        let payload = FrameReader.payload(answer, of: frame) ?? [1]
        #expect(example.payload.starts(with: payload), "cut at \(length)")
        let isMissingKnown = onWire == example.frame.count && !example.hasTrailer
        #expect(!isMissingKnown || payload.count + segment.missingLength == example.payload.count)
      }
    }
  }

  @Test("changed at random: never outside the packet, and every packet is counted")
  func mutations() {
    var generator = SeededGenerator(seed: 41)
    var reader = FrameReader()
    var open = 0
    for _ in 0..<40_000 {
      let example = generator.pick(FrameCase.all)
      var frame = example.frame
      for _ in 0..<generator.pick(1...4) {
        frame[generator.pick(0...min(frame.count - 1, 80))] = UInt8(generator.pick(0...255))
      }
      if generator.chance(4) { frame.removeLast(generator.pick(0...frame.count - 1)) }
      let answer = reader.read(
        frame, linkType: example.linkType, onWire: frame.count + generator.pick([0, 0, 40]))
      switch answer {
      case .segment(let segment):
        #expect(FrameReader.payload(answer, of: frame) != nil && segment.missingLength >= 0)
      case .datagram: open += 1
      case .exportedPDU: Issue.record("no frame is one")
      case .skipped: break
      }
    }
    let counts = reader.dissector.counts
    let known =
      counts.segments - open + counts.notTCP + counts.malformed + counts.fragments
      + counts.unsupported.values.reduce(0, +)
    #expect(counts.packets == 40_000)
    #expect(known >= 40_000 && known - 40_000 <= counts.fragments)
  }

  @Test(
    "packets without TCP are skipped silently",
    arguments: [
      ("ARP", UInt16(1), Frames.ethernet(Frames.zeros(28), type: 0x0806)),
      ("UDP", 101, Frames.ipv4(Frames.udp(to: 53, [1, 2, 3]), protocol: 17)),
      ("ICMP", 101, Frames.ipv4([8, 0, 0, 0], protocol: 1)),
      ("IPv6 without a next header", 101, Frames.ipv6([], next: 59)),
      ("spanning tree", 1, Frames.ethernet([0x42, 0x42, 3] + Frames.zeros(35), type: 38)),
      ("PPPoE discovery", 1, Frames.ethernet([0x11, 9, 0, 0, 0, 0], type: 0x8863)),
      ("PPP negotiation", 9, [0xff, 3, 0xc0, 0x21, 1, 1, 0, 4]),
      ("netlink in SLL", 113, [0, 4, 0x03, 0x38] + Frames.zeros(10) + [0x08, 0] + Frames.zeros(20)),
      (
        "acknowledgement of PPTP", 101, Frames.ipv4([0x20, 0x81, 0x88, 0x0b] + Frames.zeros(8), protocol: 47)
      ),
      ("beacon", 105, [0x80, 0] + Frames.zeros(34)),
      ("802.11 data without data", 105, [0x48, 1] + Frames.zeros(24)),
    ] as [(String, UInt16, [UInt8])])
  func notTCP(_ name: String, _ linkType: UInt16, _ frame: [UInt8]) {
    var reader = FrameReader()
    #expect(reader.read(frame, linkType: linkType) == .skipped)
    #expect(reader.dissector.counts.notTCP == 1 && !reader.dissector.hasFindings)
  }

  @Test(
    "headers that cannot be right",
    arguments: [
      (
        "a TCP header of 16 bytes", Frames.ipv4([UInt8](Frames.tcp().prefix(12)) + [0x40] + Frames.zeros(19)),
        20
      ),
      (
        "a TCP header longer than the segment",
        Frames.ipv4(Frames.tcp([]).prefix(12) + [0xf0] + Frames.zeros(7)), 20
      ),
      ("a cut TCP header", Frames.ipv4([UInt8](Frames.tcp().prefix(19))), 20),
      ("an IPv4 header of 16 bytes", [0x44] + Frames.ipv4().dropFirst(), 0),
      ("IPv4's length less than its header", Frames.ipv4(total: 19), 0),
      ("neither IPv4 nor IPv6", [0x55] + Frames.ipv4().dropFirst(), 0),
      ("IPv5 in IPv4", Frames.ipv4([0x50] + Frames.zeros(30), protocol: 4), 20),
      ("an extension header after the end", Frames.ipv6([6, 9] + Frames.zeros(6), next: 60), 40),
    ] as [(String, [UInt8], Int)])
  func malformed(_ name: String, _ frame: [UInt8], _ offset: Int) {
    var reader = FrameReader()
    #expect(reader.read(frame, linkType: 101) == .skipped)
    let findings = reader.dissector.takeFindings()
    #expect(findings.map(\.code) == [.malformedPacket] && reader.dissector.counts.malformed == 1)
    #expect(findings.first?.fileOffset == 16 + offset && findings.first?.packet?.number == 1)
    #expect(!reader.dissector.hasFindings)
  }

  @Test("a header that counts more than was captured")
  func missing() {
    let length = Frames.payload.count
    let options = Frames.ipv4(Frames.tcp(options: [1, 1, 1, 1]))
    let cardSegments = Frames.ipv4(total: 0)
    for (frame, onWire, start, captured, missing) in [
      (Frames.ipv4(total: Frames.ipv4().count + 100), nil, 40, length, 100),
      (Array(options.prefix(41)), options.count, 41, 0, length),
      (cardSegments, cardSegments.count + 70_000, 40, length, 70_000),
    ] {
      var reader = FrameReader()
      let expected = Frames.segment(payloadStart: 16 + start, length: captured, missing: missing)
      #expect(reader.read(frame, linkType: 101, onWire: onWire) == expected.map { .segment($0) })
      #expect(!reader.dissector.hasFindings)
    }
  }

  @Test(
    "packets that a switch mirrors",
    arguments: [
      ("ERSPAN I", 47, [0, 0, 0x88, 0xbe], Frames.ethernet()),
      (
        "ERSPAN II", 47, [0x10, 0, 0x88, 0xbe, 0, 0, 0, 9, 0x10, 7, 8, 1] + Frames.zeros(4), Frames.ethernet()
      ),
      (
        "ERSPAN III", 47, [0x10, 0, 0x22, 0xeb, 0, 0, 0, 9, 0x20, 7, 8, 1] + Frames.zeros(8),
        Frames.ethernet()
      ),
      (
        "ERSPAN III with a platform header", 47,
        [0x10, 0, 0x22, 0xeb, 0, 0, 0, 9, 0x20, 7, 8, 1] + Frames.zeros(7) + [1] + Frames.zeros(8),
        Frames.ethernet()
      ),
      ("GENEVE", 17, [0, 0, 0x65, 0x58, 0, 0, 5, 0], Frames.ethernet()),
      ("GENEVE with options and IPv6", 17, [2, 0, 0x86, 0xdd] + Frames.zeros(12), Frames.ipv6()),
    ] as [(String, UInt8, [UInt8], [UInt8])])
  func mirrored(_ name: String, _ number: UInt8, _ header: [UInt8], _ inner: [UInt8]) {
    let carried = number == 17 ? Frames.udp(to: 6081, header + inner) : header + inner
    let frame = Frames.ipv4(carried, protocol: number)
    var reader = FrameReader()
    #expect(FrameReader.payload(reader.read(frame, linkType: 101), of: frame) == Frames.payload)
    let cut = Array(frame.dropLast(inner.count + 1))
    #expect(reader.read(cut, linkType: 101, onWire: frame.count) == .skipped)
    #expect(reader.dissector.takeFindings().map(\.code) == [.malformedPacket])
  }

  @Test("tunnels in tunnels, up to a bound")
  func depth() {
    var frame = Frames.ipv4()
    for _ in 0..<12 { frame = Frames.ipv4(frame, protocol: 4) }
    var reader = FrameReader()
    #expect(FrameReader.payload(reader.read(frame, linkType: 101), of: frame) == Frames.payload)
    for _ in 0..<100 { frame = Frames.ipv4(frame, protocol: 4) }
    #expect(reader.read(frame, linkType: 101) == .skipped)
    #expect(reader.dissector.takeFindings().map(\.code) == [.malformedPacket])
  }

  @Test("each link type that is not read is one anomaly, and all its packets are counted")
  func unsupported() {
    var reader = FrameReader()
    for type in [253, 253, 200, 253, 65_535] as [UInt16] {
      #expect(reader.read([1, 2, 3], linkType: type) == .skipped)
    }
    let findings = reader.dissector.takeFindings()
    #expect(findings.map(\.code) == [.unsupportedLinkType, .unsupportedLinkType, .unsupportedLinkType])
    #expect(findings.map { $0.packet?.number } == [1, 3, 5])
    let count = { LinkType(rawValue: $0) }
    #expect(reader.dissector.counts.unsupported == [count(253): 3, count(200): 1, count(65_535): 1])
  }

  @Test("frames that are encrypted, aggregated or fragmented by 802.11")
  func otherWireless() {
    var reader = FrameReader()
    #expect(reader.read(Frames.wireless(flags: 0x41), linkType: 105) == .skipped)
    let part = Frames.zeros(12) + Frames.be16(Frames.snap().count) + Frames.snap() + [0]
    let aggregate = Frames.wireless(control: 0x88, more: [0x80, 0], part + part)
    #expect(reader.read(aggregate, linkType: 105) == .skipped)
    #expect(reader.dissector.takeFindings().map(\.code) == [.unsupportedLinkType, .malformedPacket])
    #expect(reader.read(Frames.wireless(flags: 0x05), linkType: 105) == .skipped)
    #expect(reader.dissector.counts.unsupported == [nil: 2] && !reader.dissector.hasFindings)
  }

  @Test("a record outside its window, or with mad lengths")
  func misplaced() {
    let window = Frames.ethernet()
    for (start, length) in [(-1, 5), (0, -1), (0, .max), (.max, .max), (.min, .min), (60, 60), (.max, 0)] {
      var dissector = PacketDissector(options: CaptureOptions())
      let record = PacketRecord(
        number: 1, time: nil, linkType: LinkType(rawValue: 1), start: start, capturedLength: length,
        originalLength: .max, fileOffset: 0)
      let answer = dissector.dissect(record, from: PacketReference(number: 1), in: window.span.bytes)
      #expect(answer == .skipped && dissector.takeFindings().count == 1)
    }
    for original in [Int.max, .min, -1, 0] {
      var reader = FrameReader()
      let answer = reader.read(window, onWire: original)
      #expect(FrameReader.payload(answer, of: window) == Frames.payload)
    }
  }
}
