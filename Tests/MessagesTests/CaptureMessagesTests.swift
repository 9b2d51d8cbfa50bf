import Basics
import Testing

@Test("Messages about capture files", arguments: Golden.captures)
func captureMessage(_ golden: Golden) {
  #expect(golden.message.text == golden.text)
}

extension Golden {
  static let captures: [Golden] = [
    Golden(.damage("zeros instead of a record", inPacket: 3), "in packet 3: zeros instead of a record"),
    Golden(.damage("zeros instead of a record", afterPacket: 3), "after packet 3: zeros instead of a record"),
    Golden(
      .damage("zeros instead of a record", afterPacket: 0),
      "before the first packet: zeros instead of a record"),
    Golden(
      .resumed("zeros instead of a record", atNext: "record"),
      "zeros instead of a record; skipped to the next plausible record"),
    Golden(
      .reservedLinkTypeBits(0x30_0001),
      "the link type of this pcap file has reserved bits set (0x300001); expected a number below 65536"),
  ]

}
