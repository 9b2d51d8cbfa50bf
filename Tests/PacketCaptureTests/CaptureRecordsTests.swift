import Basics
import PacketCapture
import TestSupport
import Testing

/// What the captures of samples/corpus do not show.
@Suite("Capture records, written by hand")
struct CaptureRecordsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var file: [UInt8]
    /// Packets as `time/captured bytes/original@fileOffset`.
    var packets: [String]
    /// As `offset+length`.
    var damages: [String]
    var testDescription: String { name }

    init(
      _ name: String, _ packets: [String], damages: [String] = [], isBigEndian: Bool = false,
      _ write: (inout CaptureFileWriter) -> Void
    ) {
      self.name = name
      self.packets = packets
      self.damages = damages
      var writer = CaptureFileWriter(isBigEndian: isBigEndian)
      write(&writer)
      file = writer.bytes
    }
  }

  private static func packet(_ count: Int, _ stamp: UInt64 = 5_000_001, original: Int? = nil)
    -> CaptureFileWriter.Packet
  {
    CaptureFileWriter.Packet(bytes: (0..<count).map { UInt8($0 + 1) }, stamp: stamp, original: original)
  }

  static let pcap: [Case] = [
    Case("version 2.2 has the lengths the other way round", ["5.000001/3/9@40"]) {
      $0.pcapHeader(version: (2, 2))
      $0.pcapPacket(packet(3, original: 9), swapsLengths: true)
    },
    Case("version 2.3 has them either way", ["5.000001/3/9@40", "6.000000/2/8@59"]) {
      $0.pcapHeader(version: (2, 3))
      $0.pcapPacket(packet(3, original: 9), swapsLengths: true)
      $0.pcapPacket(packet(2, 6_000_000, original: 8))
    },
    Case("the frame check sequence's length is not part of the link type", ["5.000001/3/3@40"]) {
      $0.pcapHeader(linkField: 0x2400_0001)
      $0.pcapPacket(packet(3))
    },
    Case("a packet of no bytes", ["5.000001/0/60@40", "6.000000/2/2@56"]) {
      $0.pcapHeader()
      $0.pcapPacket(packet(0, original: 60))
      $0.pcapPacket(packet(2, 6_000_000))
    },
    Case("an original length of 0", ["5.000001/3/0@40", "6.000000/2/2@59"]) {
      $0.pcapHeader()
      $0.pcapPacket(packet(3, original: 0))
      $0.pcapPacket(packet(2, 6_000_000))
    },
    Case("a record longer than the snap length is read whole", ["5.000001/30/30@40"]) {
      $0.pcapHeader(snapLength: 10)
      $0.pcapPacket(packet(30))
    },
    Case(
      "a clock that jumps by years",
      ["5.000001/3/3@40", "1400000000.000000/2/2@59", "1400000001.000000/2/2@77"]
    ) {
      $0.pcapHeader()
      $0.pcapPacket(packet(3))
      $0.pcapPacket(packet(2, 1_400_000_000_000_000))
      $0.pcapPacket(packet(2, 1_400_000_001_000_000))
    },
    Case("a fraction of more than a second is carried", ["7.500000/3/3@40", "6.000000/2/2@59"]) {
      $0.pcapHeader()
      $0.raw($0.u32(5) + $0.u32(2_500_000) + $0.u32(3) + $0.u32(3) + [1, 2, 3])
      $0.pcapPacket(packet(2, 6_000_000))
    },
    Case("zero fill after the last packet", ["5.000001/3/3@40"], damages: ["43+100"]) {
      $0.pcapHeader()
      $0.pcapPacket(packet(3))
      $0.raw([UInt8](repeating: 0, count: 100))
    },
    Case("cut after a packet's header", ["5.000001/0/9@40"], damages: ["24+16"]) {
      $0.pcapHeader()
      $0.raw($0.number(5, 4) + $0.number(1, 4) + $0.u32(9) + $0.u32(9))
    },
  ]

  static let pcapng: [Case] = [
    Case("a snap length of 0 is no limit", ["-/9/9@60"]) {
      $0.section()
      $0.interface(snapLength: 0)
      $0.simple(packet(9))
    },
    Case(
      "resolutions: 10^-9, 10^0, 2^-10, 10^-20",
      ["0.005000001/1/1@168", "5000001/1/1@204", "4882.8134765625/1/1@240", "0.000000000000050000/1/1@276"]
    ) {
      $0.section()
      for value: UInt8 in [9, 0, 0x8a, 20] { $0.interface(options: $0.option(9, [value])) }
      for interface in 0..<4 { $0.enhanced(packet(1), interface: interface) }
    },
    Case("more captured bytes than the block has", ["5.000001/1/1@112"], damages: ["48+36"]) {
      $0.section()
      $0.interface()
      $0.block(6, $0.u32(0) + $0.u32(0) + $0.u32(0) + $0.u32(5) + $0.u32(5) + [1, 2, 3, 4])
      $0.enhanced(packet(1))
    },
    Case("a closing length that is wrong", ["5.000001/1/1@76", "5.000001/2/2@112"], damages: ["80+4"]) {
      $0.section()
      $0.interface()
      $0.raw($0.u32(6) + $0.u32(36) + $0.u32(0) + $0.u32(0) + $0.u32(5_000_001) + $0.u32(1) + $0.u32(1))
      $0.raw([1, 0, 0, 0, 9, 9, 9, 9])
      $0.enhanced(packet(2))
    },
    Case("a length that is not a multiple of 4", ["5.000001/1/1@76", "5.000001/2/2@109"]) {
      $0.section()
      $0.interface()
      $0.raw($0.u32(6) + $0.u32(33) + $0.u32(0) + $0.u32(0) + $0.u32(5_000_001) + $0.u32(1) + $0.u32(1))
      $0.raw([1] + $0.u32(33))
      $0.enhanced(packet(2))
    },
    Case(
      "a section header of unknown byte order: blocks show it", ["5.000001/1/1@76"], damages: ["0+28"],
      isBigEndian: true
    ) {
      $0.block(0x0a0d_0d0a, $0.u32(0x1a2b_3c00) + $0.u16(1) + $0.u16(0) + $0.number(.max, 8))
      $0.interface()
      $0.enhanced(packet(1))
    },
    Case(
      "a lost header of a section of the other byte order", ["5.000001/1/1@76", "0.005000001/2/2@168"],
      damages: ["84+28"]
    ) {
      $0.section()
      $0.interface()
      $0.enhanced(packet(1))
      $0.raw([UInt8](repeating: 0, count: 28))
      $0.isBigEndian = true
      $0.interface(options: $0.option(9, [9]))
      $0.enhanced(packet(2))
    },
  ]

  @Test(arguments: pcap + pcapng)
  func record(_ example: Case) throws {
    let reading = RecordReading(example.file)
    let packets = reading.packets.map { packet in
      let time = packet.time.map { Self.text(of: $0) } ?? "-"
      return "\(time)/\(packet.bytes.count)/\(packet.original)@\(packet.fileOffset)"
    }
    #expect(packets == example.packets)
    #expect(reading.damages == example.damages, "\(reading.messages)")
    #expect(reading.misuse.isEmpty && reading.errors.isEmpty)
    for packet in reading.packets {
      #expect(packet.bytes == (0..<packet.bytes.count).map { UInt8($0 + 1) })
    }
    for size in 0...70 { #expect(RecordReading(example.file, chunk: { size }) == reading) }
  }

  private static func text(of time: CaptureTime) -> String {
    let fraction = String(time.fraction)
    let zeros = String(repeating: "0", count: Int(time.digits) - (time.digits == 0 ? 0 : fraction.count))
    return time.digits == 0 ? "\(time.seconds)" : "\(time.seconds).\(zeros)\(fraction)"
  }

  @Test("decryption secrets are noted")
  func secrets() {
    var writer = CaptureFileWriter()
    writer.section()
    writer.interface()
    writer.enhanced(Self.packet(1))
    writer.block(10, writer.u32(0x544c_534b) + writer.u32(6) + [1, 2, 3, 4, 5, 6, 0, 0])
    let secrets = RecordReading(writer.bytes).secrets
    #expect(secrets?.type == 0x544c_534b && secrets?.fileOffset == 100 && secrets?.length == 6)
  }

  @Test("a header that the file cuts, and one of another file")
  func unreadableHeaders() {
    var writer = CaptureFileWriter()
    writer.pcapHeader()
    for count in 8..<24 {
      let reading = RecordReading(Array(writer.bytes.prefix(count)))
      #expect(reading.errors.count == 1 && reading.misuse.isEmpty && reading.packets.isEmpty)
    }
    #expect(RecordReading([UInt8](repeating: 7, count: 99), as: .pcap).errors.first?.fileOffset == 0)
    #expect(RecordReading([UInt8](repeating: 7, count: 99), as: .pcapng).damages == ["0+99"])
    #expect(RecordReading([], as: .pcapng) == RecordReading([], as: .pcapng, chunk: { 1 }))
  }

  @Test("a capture is known by more than a tuple's time")
  func recognition() {
    func kind(_ bytes: [UInt8]) -> CaptureRecords.FileFormat? { CaptureRecords.recognises(bytes.span.bytes) }
    // 2011-01-23T22:58:41Z and a token of 32 bytes.
    #expect(kind([0x4d, 0x3c, 0xb2, 0xa1, 0, 32] + [UInt8](repeating: 1, count: 32)) == nil)
    #expect(kind([0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0]) == .pcap)
    #expect(kind([0xd4, 0xc3, 0xb2, 0xa1, 1, 0, 4, 0]) == .pcap)
    #expect(kind([0xa1, 0xb2, 0xcd, 0x34, 0, 2, 0, 4]) == .pcap)
    #expect(kind([0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28]) == .pcapng)
    #expect(kind([0xd4, 0xc3, 0xb2]) == nil && kind([]) == nil)
  }
}
