import Basics
import PacketCapture
import Testing
import Wording

/// The last packet of a truncated file, and the packet named in the damage report.
@Suite("Packets that the file's end cuts")
struct CutPacketTests {
  private static let bytes = (0..<100).map { UInt8($0) }

  /// Two packets in pcap, or in the blocks of pcapng: the second one ends with the file but for a pcapng block's
  /// closing length.
  private static func file(_ kind: String) -> [UInt8] {
    var writer = CaptureFileWriter(isBigEndian: false)
    let packets = [5_000_000, 6_000_000].map { CaptureFileWriter.Packet(bytes: bytes, stamp: $0) }
    if kind == "pcap" { writer.pcapHeader() } else { writer.section() }
    if kind != "pcap" { writer.interface() }
    for packet in packets {
      switch kind {
      case "enhanced": writer.enhanced(packet)
      case "obsolete": writer.obsolete(packet)
      case "simple": writer.simple(packet)
      default: writer.pcapPacket(packet)
      }
    }
    return writer.bytes
  }

  @Test(
    "are read up to the cut, and reported by their number",
    arguments: ["pcap", "enhanced", "obsolete", "simple"])
  func cut(_ kind: String) {
    let file = Self.file(kind)
    let closing = kind == "pcap" ? 0 : 4
    #expect(RecordReading(file).messages.isEmpty)
    for missing in 1...40 {
      let reading = RecordReading(Array(file.dropLast(closing + missing)))
      #expect(reading.packets.map(\.bytes) == [Self.bytes, Self.bytes.dropLast(missing)])
      let length = 100 + (kind == "simple" ? 16 : 32)
      let cause: Message =
        kind == "pcap"
        ? "a record of 100 captured bytes, the file has \(100 - missing) left"
        : "a block of \(length) bytes, the file has \(length - closing - missing) left"
      #expect(reading.messages == [.damage(cause, inPacket: 2)])
    }
  }

  @Test(
    "that are cut in their header are not read: the damage is after the packet before",
    arguments: ["pcap", "enhanced"])
  func cutHeader(_ kind: String) {
    let file = Self.file(kind)
    let rest = kind == "pcap" ? 16 + 100 : 28 + 100 + 4
    for left in [1, 7, 11] {
      let reading = RecordReading(Array(file.dropLast(rest - left)))
      #expect(reading.packets.count == 1)
      let cause: Message =
        kind == "pcap"
        ? "\("\(Count.of(left, "byte")) left, a record header has 16"); no plausible record follows"
        : "\("\(Count.of(left, "byte")) left, a block has at least 12"); no plausible block follows"
      #expect(reading.messages == [.damage(cause, afterPacket: 1)])
    }
  }

  @Test("a block whose second length is wrong is reported in its packet, or after the one before")
  func wrongClosing() {
    var packet = Self.file("enhanced")
    packet[packet.count - 4] ^= 1
    #expect(RecordReading(packet).messages == [.damage(.blockLengthsDiffer(132, 133), inPacket: 2)])
    var interface = CaptureFileWriter(isBigEndian: false)
    interface.section()
    interface.interface()
    interface.enhanced(CaptureFileWriter.Packet(bytes: Self.bytes, stamp: 5_000_000))
    interface.interface()
    var bytes = interface.bytes
    bytes[bytes.count - 4] ^= 1
    #expect(RecordReading(bytes).messages == [.damage(.blockLengthsDiffer(20, 21), afterPacket: 1)])
  }
}
