import Basics

extension Message {
  /// - Parameter most: `Int.max` if there is no upper bound.
  package static func headerLength(_ header: String, _ found: Int, least: Int, most: Int) -> Message {
    let range = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"
    return Message("\(header) has a length of \(Count.of(found, "byte")), expected \(range); packet skipped")
  }

  /// - Parameters:
  ///   - term: until when its fragments were awaited.
  ///   - received: bytes.
  ///   - packets: numbers of the first packets with fragments.
  ///   - morePackets: number of further ones.
  ///   - cutFragments: number of fragments that the capture truncated.
  package static func incompleteDatagram(
    _ identification: Int, from source: String, to destination: String, protocolNumber: Int, term: Message,
    received: Int, packets: [Int], morePackets: Int, cutFragments: Int
  ) -> Message {
    let list = packets.map(String.init).joined(separator: ", ")
    let numbers = packets.isEmpty ? "" : " in \(packets.count == 1 ? "packet" : "packets") \(list)"
    let more = morePackets > 0 ? " and \(morePackets) more" : ""
    let cut =
      cutFragments > 0
      ? "; \(Count.of(cutFragments, "fragment")) \(cutFragments == 1 ? "was" : "were")"
        + " truncated by the capture (use a larger snap length)"
      : ""
    return Message(
      "IP datagram \(identification) from \(source) to \(destination)"
        + " with protocol \(protocolNumber) is incomplete: not all fragments \(term);"
        + " \(Count.of(received, "byte")) received\(numbers)\(more)\(cut)")
  }

  /// - Parameter wrong: the packet whose checksum is wrong; nil if none decides.
  package static func copiesDiffer(
    _ first: Message, _ second: Message, bytes: Int, used: Message, wrong: Message?
  ) -> Message {
    let reason = wrong.map { "the TCP checksum of \($0) is wrong" } ?? "no checksum decides"
    return Message(
      "\(first) and \(second) differ in \(Count.of(bytes, "byte")) here: \(used) is used, \(reason)")
  }

  package static func aggregate(_ header: String) -> Message {
    Message(
      "\(header) begins an aggregate of several packets (A-MSDU), which is not supported;"
        + " capture where packets are not aggregated, or convert the capture")
  }

  /// - Parameter limit: of the buffer, in bytes.
  package static func arrivedBeforeFullBuffer(_ limit: Int) -> Message {
    Message("arrived before the fragment buffer (\(ByteSize.text(limit))) was full")
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
