import Basics
import PacketCapture
import TestSupport
import Testing

/// What the captures of samples/corpus do not show.
@Suite("Capture records, written by hand")
struct CaptureRecordsTests {
  @Test("decryption secrets are noted")
  func secrets() {
    var writer = CaptureFileWriter()
    writer.section()
    writer.interface()
    writer.enhanced(CaptureFileWriter.Packet(bytes: [1]))
    writer.block(10, writer.u32(0x544c_534b) + writer.u32(6) + [1, 2, 3, 4, 5, 6, 0, 0])
    let secrets = RecordReading(writer.bytes).secrets
    #expect(secrets?.type == 0x544c_534b && secrets?.fileOffset == 100 && secrets?.length == 6)
  }

  @Test("pcap files one after the other have the packets of each, also an empty one")
  func appended() {
    var generator = SeededGenerator(seed: 17)
    for _ in 0..<50 {
      let files = (0..<4).map { _ in
        let magic = generator.pick(CaptureFileWriter.Magic.allCases)
        // Two headers look like records of the modified form.
        let count = generator.pick((magic == .modified ? 1 : 0)...3)
        let packets = generator.packets(count, unitsPerSecond: magic.unitsPerSecond)
        return generator.pcap(packets, magic, isBigEndian: generator.chance(2)).bytes
      }
      func packets(_ reading: RecordReading) -> [[UInt8]?] {
        reading.packets.flatMap { [$0.bytes, $0.time?.text.map { Array($0.utf8) }] }
      }
      let whole = RecordReading(files.flatMap { $0 })
      #expect(packets(whole) == files.flatMap { packets(RecordReading($0)) })
      #expect(whole.damages.isEmpty && whole.misuse.isEmpty, "\(whole.damages)")
      for size in [0, 1, 37] { #expect(RecordReading(files.flatMap { $0 }, chunk: { size }) == whole) }
    }
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
