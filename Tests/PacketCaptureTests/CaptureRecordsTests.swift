import Basics
import PacketCapture
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
