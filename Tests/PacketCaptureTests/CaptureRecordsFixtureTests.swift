import Basics
import PacketCapture
import TestSupport
import Testing

@Suite("Records of public captures")
struct CaptureRecordsFixtureTests {
  /// Damaged files, with the damage reported. Their packets are read nevertheless.
  static let damages = [
    "libpcap/pcap-invalid-version-1.pcap": ["0+24"], "libpcap/pcapng-invalid-vers-1.pcapng": ["0+52"],
    // The closing lengths of all three blocks are wrong; libpcap stops at the first.
    "libpcap/shb-option-too-long.pcapng": ["48+4", "80+4", "176+4"],
  ]

  @Test("there are captures to test with")
  func manifest() { #expect(CaptureFixture.all.count == 48) }

  @Test("the number of packets in the manifest", arguments: CaptureFixture.all)
  func packetCounts(_ fixture: CaptureFixture) throws {
    let reading = RecordReading(try fixture.bytes)
    #expect(reading.packets.count == fixture.reference.packets)
    #expect(reading.misuse.isEmpty)
    #expect(reading.damages == Self.damages[fixture.file] ?? [])
    #expect(reading.errors.isEmpty == (fixture.file != "libpcap/linktype-reserved-field-not-zero.pcap"))
  }

  @Test("the same packets as libpcap, as far as it reads", arguments: CaptureFixture.all)
  func sameAsLibpcap(_ fixture: CaptureFixture) throws {
    let file = try fixture.bytes
    let libpcap = LibpcapReading(file)
    let reading = RecordReading(file)
    if libpcap.error == nil { #expect(libpcap.packets.count == fixture.reference.packets) }
    #expect(reading.packets.prefix(libpcap.packets.count).map(\.asLibpcap) == libpcap.packets)
    for packet in reading.packets.prefix(libpcap.packets.count) {
      #expect(LinkType(rawValue: packet.linkType).name == libpcap.linkType)
      #expect(Array(file[packet.fileOffset..<(packet.fileOffset + packet.bytes.count)]) == packet.bytes)
    }
  }

  @Test("windows of every size give the same", arguments: CaptureFixture.all)
  func windows(_ fixture: CaptureFixture) throws {
    let file = try fixture.bytes
    let whole = RecordReading(file)
    var generator = SeededGenerator(seed: 21)
    for size in file.count < 3000 ? Array(0...80) : [0, 1, 4096] {
      #expect(RecordReading(file, chunk: { size }) == whole, "windows of \(size) bytes more than needed")
    }
    #expect(RecordReading(file, chunk: { generator.pick(0...500) }) == whole)
  }

  @Test("a time past 2106")
  func time2106() throws {
    let file = Array(try Fixtures.data("captures/tcpdump/time_2106_overflow.pcapng"))
    #expect(RecordReading(file).packets.map { $0.time?.text } == ["2106-02-07T06:28:16.000000Z"])
  }

  @Test("a link type with reserved bits is refused, with the position and the bits")
  func reservedLinkType() throws {
    let file = Array(try Fixtures.data("captures/libpcap/linktype-reserved-field-not-zero.pcap"))
    let error = try #require(RecordReading(file).errors.first)
    let message: Message =
      "the link type of this pcap file has reserved bits set (0x300000); expected a number below 65536"
    #expect(error.fileOffset == 20 && error.message == message)
  }

  @Test(
    "truncated anywhere: packets before the cut, the rest of the one in it, and its offset are reported",
    arguments: CaptureFixture.all.filter { $0.libpcap1103.hasPrefix("\($0.reference.packets) packet") })
  func cutAnywhere(_ fixture: CaptureFixture) throws {
    let file = try fixture.bytes
    let whole = RecordReading(file).packets
    let step = max(1, file.count / 400)
    for length in stride(from: 24, to: file.count, by: step) {
      let cut = RecordReading(Array(file.prefix(length)))
      let sound = whole.prefix { $0.fileOffset + $0.bytes.count <= length }
      #expect(cut.misuse.isEmpty)
      #expect(cut.packets.starts(with: sound), "cut at \(length)")
      let rest = cut.packets.dropFirst(sound.count)
      #expect(rest.count <= 1)
      for packet in rest {
        #expect(
          packet.bytes.count == length - packet.fileOffset
            && packet.fileOffset == whole[sound.count].fileOffset)
        #expect(packet.original == whole[sound.count].original)
      }
      if sound.count < whole.count, whole[sound.count].fileOffset <= length {
        #expect(rest.count == 1 && cut.damages.count == 1, "cut at \(length)")
        #expect(cut.messages.first?.text.hasPrefix("in packet \(sound.count + 1): ") == true)
      }
    }
  }
}
