import WireBytes

// MARK: - Packets

extension Message {
  /// The name of a packet.
  /// - Parameters:
  ///   - number: its number in the file, from 1; nil in an export without packets.
  ///   - original: its number in the capture that the file was made from.
  package static func packet(_ number: Int?, original: Int? = nil) -> Message {
    if let number { return Message("packet \(number)") }
    return Message(original.map { "original packet \($0)" } ?? "a packet without a number")
  }

  package static func unsupportedLinkType(_ number: Int) -> Message {
    Message(
      "link type \(number) is not supported and its packets are skipped;"
        + " convert the capture to a link type that carries IP")
  }

  package static func truncatedPacket(_ packet: Message, missing: Int, byFileEnd: Bool) -> Message {
    let cause = byFileEnd ? "the file ends within it" : "capture with a larger snap length (tcpdump -s 0)"
    return Message("\(packet) is truncated by \(Count.of(missing, "byte")): \(cause)")
  }
}

// MARK: - Headers of packets, by their names

extension Message {
  package static func headerCut(_ header: String, needs: Int, left: Int) -> Message {
    Message(
      "\(header) needs \(Count.of(needs, "byte")), the packet has \(left) left"
        + " (if the packet was truncated, capture with a larger snap length); packet skipped")
  }

  package static func headerVersion(_ header: String, _ found: Int, expected: Int) -> Message {
    Message("\(header) has version \(found), expected \(expected); packet skipped")
  }

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
}

// MARK: - Fragments

extension Message {
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

  /// - Parameter limit: of the buffer, in bytes.
  package static func arrivedBeforeFullBuffer(_ limit: Int) -> Message {
    Message("arrived before the fragment buffer (\(ByteSize.text(limit))) was full")
  }

  package static let arrivedBeforeCaptureEnd = Message("arrived before the capture ended")
}

// MARK: - Reassembly

extension Message {
  package static func copiesDiffer(_ first: Message, _ second: Message, bytes: Int) -> Message {
    Message(
      "\(first) and \(second) differ in \(Count.of(bytes, "byte")) here: "
        + "\(first) is used, which was read first")
  }

  package static func lateBytesBeforeBeginning(_ count: Int, of packet: Message) -> Message {
    Message("\(Count.of(count, "byte")) of \(packet) arrived before the beginning of the stream: not used")
  }
}
