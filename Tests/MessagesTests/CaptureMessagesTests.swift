import Messages
import Testing

@Test("Messages about capture files", arguments: Golden.captures)
func captureMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about filters", arguments: Golden.filters)
func filterMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let captures: [Golden] = [
    Golden(.damage(.zerosForRecord, inPacket: 3), "in packet 3: zeros instead of a record"),
    Golden(.damage(.zerosForRecord, afterPacket: 3), "after packet 3: zeros instead of a record"),
    Golden(.damage(.zerosForRecord, afterPacket: 0), "before the first packet: zeros instead of a record"),
    Golden(
      .resumed(.zerosForRecord, atNext: "record"),
      "zeros instead of a record; skipped to the next plausible record"),
    Golden(
      .notResumed(.zerosForRecord, noOther: "block"),
      "zeros instead of a record; no plausible block follows"),
    Golden(.unknownPcapMagic, "not a pcap file: unknown magic number"),
    Golden(
      .reservedLinkTypeBits(0x30_0001),
      "the link type of this pcap file has reserved bits set (0x300001); expected a number below 65536"),
    Golden(
      .pcapHeaderCut(found: 7, expected: 24), "the pcap header is truncated: expected 24 bytes, found 7"),
    Golden(
      .unknownPcapVersion(major: 1, minor: 4),
      "pcap version 1.4, expected 2.0 to 2.4; records are read as version 2.4"),
    Golden(.recordHeaderCut(left: 1, expected: 16), "1 byte left, a record header has 16"),
    Golden(.recordHeaderCut(left: 7, expected: 24), "7 bytes left, a record header has 24"),
    Golden(.zerosForRecord, "zeros instead of a record"),
    Golden(
      .recordBeyondLimit(captured: 70_000, limit: 65_536),
      "a record of 70000 captured bytes, above the limit of 65536"),
    Golden(
      .implausibleRecordHeader(
        captured: 60, original: 40, seconds: 1_400_000_000, fraction: 5, unitsPerSecond: 1_000_000),
      "an implausible record header: 60 of 40 bytes captured at 1400000000 s + 5/1000000 s"),
    Golden(
      .recordCut(captured: 100, left: 60), "a record of 100 captured bytes, the file has 60 left"),
    Golden(
      .noRecordAfter(captured: 100), "a record of 100 captured bytes, not followed by another record"),
    Golden(
      .unknownPcapngVersion(major: 0, minor: 1),
      "a pcapng section of version 0.1, expected 1.0; its blocks are read as version 1.0"),
    Golden(
      .interfaceBeyondLimit(65_536, limit: 65_536),
      "interface 65536 of a section, above the limit of 65536"),
    Golden(
      .unknownInterface(1, ofKnown: 1), "a packet of interface 1, but the section has 1 interface"),
    Golden(
      .unknownInterface(0, ofKnown: 0), "a packet of interface 0, but the section has 0 interfaces"),
    Golden(
      .secretsBeyondBlock(length: 200, room: 100),
      "secrets of 200 bytes in a block with room for 100"),
    Golden(
      .packetBeyondBlock(captured: 200, most: 100),
      "a packet of 200 captured bytes, expected at most 100 in its block"),
    Golden(.blockTooShort(12), "a block of 12 bytes, too short for its type"),
    Golden(.blockFrameCut(left: 1, least: 12), "1 byte left, a block has at least 12"),
    Golden(.blockFrameCut(left: 11, least: 12), "11 bytes left, a block has at least 12"),
    Golden(.blockWithoutSection, "a block without a valid section header before it"),
    Golden(
      .wrongBlockLength(4, least: 12, most: 17_825_792), "a block of 4 bytes, expected 12 to 17825792"),
    Golden(.blockCut(132, left: 40), "a block of 132 bytes, the file has 40 left"),
    Golden(
      .blockLengthsDiffer(132, 133), "a block of 132 bytes by its first length and 133 by its second"),
  ]

  static let filters: [Golden] = [
    Golden(.filterOutOfMemory, "libpcap cannot begin a filter: out of memory"),
    Golden(.filterContainsNUL, "the filter contains a NUL byte; see pcap-filter(7) for the syntax"),
    Golden(
      .noLibpcap,
      "libpcap, which compiles filters, cannot be loaded; install libpcap0.8 (elsewhere: libpcap)"),
    Golden(
      .invalidFilter("tpc", reason: "unknown host 'tpc'", linkType: "EN10MB"),
      "the filter 'tpc' does not compile: unknown host 'tpc' (for EN10MB, nor for another usual link type); "
        + "see pcap-filter(7) for the syntax"),
    Golden(
      .filterNotSupported("ether proto 7", reason: "no Ethernet", byLinkType: 101, name: "RAW"),
      "RAW (link type 101) does not support the filter 'ether proto 7': no Ethernet; its packets are skipped"
    ),
    Golden(
      .linkTypeBeyondLimit(253, name: "NETLINK", limit: 256),
      "NETLINK (link type 253) exceeds the limit of 256 link types; its packets are skipped"),
  ]
}
