import Basics
import Testing

@Test("Messages about packets", arguments: Golden.packets)
func packetMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

@Test("Messages about reassembly", arguments: Golden.reassembly)
func reassemblyMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let packets: [Golden] = [
    Golden(.packet(7), "packet 7"),
    Golden(.packet(7, original: 9), "packet 7"),
    Golden(.packet(nil, original: 9), "original packet 9"),
    Golden(.packet(nil), "a packet without a number"),
    Golden(
      .unsupportedLinkType(253),
      "link type 253 is not supported and its packets are skipped; convert the capture to a link type that "
        + "carries IP"),
    Golden(
      .truncatedPacket(.packet(7), missing: 1, byFileEnd: true),
      "packet 7 is truncated by 1 byte: the file ends within it"),
    Golden(
      .truncatedPacket(.packet(7), missing: 134, byFileEnd: false),
      "packet 7 is truncated by 134 bytes: capture with a larger snap length (tcpdump -s 0)"),
    Golden(
      .headerLength("TCP header", 60, least: 20, most: 20),
      "TCP header has a length of 60 bytes, expected 20; packet skipped"),
    Golden(
      .headerLength("TCP header", 16, least: 20, most: 60),
      "TCP header has a length of 16 bytes, expected 20 to 60; packet skipped"),
    Golden(
      .headerLength("radio header", 1, least: 8, most: .max),
      "radio header has a length of 1 byte, expected at least 8; packet skipped"),
    Golden(
      .aggregate("802.11 header"),
      "802.11 header begins an aggregate of several packets (A-MSDU), which is not supported; capture where "
        + "packets are not aggregated, or convert the capture"),
    Golden(
      .incompleteDatagram(
        7, from: "192.0.2.1", to: "192.0.2.2", protocolNumber: 6, term: "arrived before the capture ended",
        received: 512, packets: [1], morePackets: 0, cutFragments: 0),
      "IP datagram 7 from 192.0.2.1 to 192.0.2.2 with protocol 6 is incomplete: not all fragments arrived "
        + "before the capture ended; 512 bytes received in packet 1"),
    Golden(
      .incompleteDatagram(
        7, from: "192.0.2.1", to: "192.0.2.2", protocolNumber: 47, term: "arrived within 10 packets",
        received: 1, packets: [1, 2], morePackets: 3, cutFragments: 1),
      "IP datagram 7 from 192.0.2.1 to 192.0.2.2 with protocol 47 is incomplete: not all fragments arrived "
        + "within 10 packets; 1 byte received in packets 1, 2 and 3 more; 1 fragment was truncated by the "
        + "capture (use a larger snap length)"),
    Golden(
      .incompleteDatagram(
        7, from: "2001:db8::1", to: "2001:db8::2", protocolNumber: 6,
        term: .arrivedBeforeFullBuffer(16 << 20), received: 0, packets: [], morePackets: 0, cutFragments: 2),
      "IP datagram 7 from 2001:db8::1 to 2001:db8::2 with protocol 6 is incomplete: not all fragments "
        + "arrived before the fragment buffer (16.0 MiB) was full; 0 bytes received; 2 fragments were "
        + "truncated by the capture (use a larger snap length)"),
  ]

  static let reassembly: [Golden] = [
    Golden(
      .copiesDiffer(.packet(3), .packet(9), bytes: 1, used: .packet(9), wrong: .packet(3)),
      "packet 3 and packet 9 differ in 1 byte here: packet 9 is used, the TCP checksum of packet 3 is wrong"),
    Golden(
      .copiesDiffer(.packet(3), .packet(9), bytes: 4, used: .packet(3), wrong: nil),
      "packet 3 and packet 9 differ in 4 bytes here: packet 3 is used, no checksum decides"),
    Golden(
      .lateBytesBeforeBeginning(1, of: .packet(9)),
      "1 byte of packet 9 arrived before the beginning of the stream: not used"),
  ]
}
