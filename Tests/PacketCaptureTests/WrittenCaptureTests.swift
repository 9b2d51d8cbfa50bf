import Basics
import CaptureWriting
import PacketCapture
import TestSupport
import Testing

/// Segments are read as written, whatever the encapsulation.
@Suite("From the file to its TCP segments")
struct WrittenCaptureTests {
  private static let segments: [Segment] = {
    var generator = SeededGenerator(seed: 1)
    let conversation = Conversation([
      .init(.client, generator.bytes(7)), .init(.server, generator.bytes(3000)),
    ])
    return conversation.segments() + conversation.overV6.segments()
  }()

  /// The compared fields of a segment.
  private struct Fields: Equatable {
    var ports: [UInt16]
    var sequence: UInt32
    var flags: UInt8
    var payload: [UInt8]
  }

  private func fields(_ segment: Segment) -> Fields {
    Fields(
      ports: [segment.source.port, segment.destination.port], sequence: segment.sequence,
      flags: segment.flags.rawValue, payload: segment.payload)
  }

  @Test("every link layer", arguments: LinkLayer.allCases.filter { !$0.isExport })
  func linkLayers(_ link: LinkLayer) throws {
    let segments = Self.segments.filter { link.carries(v6: $0.source.isV6) }
    let file = PcapWriter().file(
      FrameWriter(link).packets(segments.withTrailers(link.isEthernet ? [9, 9, 9] : [])))
    #expect(try read(file) == segments.map(fields))
  }

  @Test(
    "fragments in any order, captured twice",
    arguments: [Segment.FragmentOrder.inOrder, .reversed, .lastFirst])
  func fragments(_ order: Segment.FragmentOrder) throws {
    let packets = FrameWriter().packets(Self.segments.fragmented(into: 64, order)).flatMap { [$0, $0] }
    // A complete datagram is not reassembled again; a whole one is read twice.
    let expected = Self.segments.flatMap {
      $0.payload.count > 64 - 20 ? [fields($0)] : [fields($0), fields($0)]
    }
    #expect(try read(PcapWriter().file(packets)) == expected)
  }

  @Test(
    "pcapng with everything in it", arguments: [PcapngWriter.Packets.enhanced, .obsolete], ByteOrder.allCases)
  func pcapng(_ kind: PcapngWriter.Packets, _ order: ByteOrder) throws {
    var writer = PcapngWriter()
    writer.kind = kind
    writer.order = order
    writer.sections = 4
    writer.isVerbose = true
    let links = [LinkLayer.ethernet, .raw, .sll2]
    writer.interfaces = links.map { .init(linkType: $0.linkType, resolution: .decimal(9), offset: 77) }
    let packets = Self.segments.enumerated().flatMap {
      FrameWriter(links[$0.offset % 3]).packets([$0.element])
    }
    #expect(try read(writer.file(packets)) == Self.segments.map(fields))
  }

  private func read(_ file: [UInt8]) throws -> [Fields] {
    let window = file.span.bytes
    let recognised = CaptureRecords.recognises(window)
    let kind = try #require(recognised)
    var records = CaptureRecords(kind: kind, maxPacket: CaptureOptions().maxPacket)
    var dissector = PacketDissector(options: CaptureOptions())
    var result: [Fields] = []
    var position = 0
    while true {
      switch records.next(in: window, from: position, windowOffset: 0, isLast: true) {
      case .packet(let record, let end):
        position = end
        let reference = PacketReference(number: record.number, time: record.time)
        switch dissector.dissect(record, from: reference, in: window) {
        case .segment(let segment): result.append(fields(segment, file))
        case .datagram(let segment, let datagram): result.append(fields(segment, datagram.bytes))
        case .exportedPDU, .skipped: break
        }
      case .skipped(let end): position = end
      case .finished:
        #expect(dissector.takeFindings().isEmpty)
        return result
      default:
        Issue.record("the file is sound")
        return result
      }
    }
  }

  private func fields(_ segment: TCPSegment, _ bytes: [UInt8]) -> Fields {
    Fields(
      ports: [segment.source.port, segment.destination.port], sequence: segment.sequence.value,
      flags: segment.flags.rawValue,
      payload: Array(bytes[segment.payloadStart..<segment.payloadStart + segment.payloadLength]))
  }
}
