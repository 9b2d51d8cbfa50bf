import Basics

extension Message {
  /// - Parameter most: `Int.max` if there is no upper bound.
  package static func headerLength(_ header: String, _ found: Int, least: Int, most: Int) -> Message {
    let range = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"
    return Message("\(header) has a length of \(Count.of(found, "byte")), expected \(range); packet skipped")
  }

  package static func aggregate(_ header: String) -> Message {
    Message(
      "\(header) begins an aggregate of several packets (A-MSDU), which is not supported;"
        + " capture where packets are not aggregated, or convert the capture")
  }

  package static func damage(_ cause: Message, inPacket number: Int) -> Message {
    Message("in packet \(number): \(cause)")
  }

  /// - Parameter field: the field of the link type in the file's header.
  package static func reservedLinkTypeBits(_ field: Int) -> Message {
    Message(
      "the link type of this pcap file has reserved bits set (0x\(String(field, radix: 16))); expected a "
        + "number below 65536")
  }
}
