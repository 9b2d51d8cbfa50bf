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

  /// - Parameter count: of packets, all of which are skipped.
  package static func noSupportedPacket(_ count: Int) -> Message {
    Message(
      "\(count == 1 ? "its only packet" : "all \(count) packets") skipped: see unsupported-link-type for the"
        + " link types; convert the capture to a link type that carries IP")
  }

  package static func truncatedPacket(_ packet: Message, missing: Int, byFileEnd: Bool) -> Message {
    let cause = byFileEnd ? "the file ends within it" : "capture with a larger snap length (tcpdump -s 0)"
    return Message("\(packet) is truncated by \(Count.of(missing, "byte")): \(cause)")
  }

  // MARK: - Headers of packets, by their names

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

  // MARK: - Fragments

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

  // MARK: - Reassembly

  /// - Parameter wrong: the packet whose checksum is wrong; nil if none decides.
  package static func copiesDiffer(
    _ first: Message, _ second: Message, bytes: Int, used: Message, wrong: Message?
  ) -> Message {
    let reason = wrong.map { "the TCP checksum of \($0) is wrong" } ?? "no checksum decides"
    return Message(
      "\(first) and \(second) differ in \(Count.of(bytes, "byte")) here: \(used) is used, \(reason)")
  }

  /// - Parameter conflict: what would have been used in time.
  package static func tooLate(_ conflict: Message) -> Message {
    Message("\(conflict); this came too late: the records here were written before, without a flag")
  }

  package static func lateConflicts(_ count: Int) -> Message {
    Message(
      "\(Count.of(count, "packet")) contradicted bytes whose records had been written (see conflicting-overlap);"
        + " read it again with a larger --reorder-window, and a larger --total-buffer if that is not enough")
  }

  package static func lateBytesBeforeBeginning(_ count: Int, of packet: Message) -> Message {
    Message("\(Count.of(count, "byte")) of \(packet) arrived before the beginning of the stream: not used")
  }

  // MARK: - Damage of a capture file

  package static func damage(_ cause: Message, inPacket number: Int) -> Message {
    Message("in packet \(number): \(cause)")
  }

  /// - Parameter number: of the last packet before the damage, from 1; 0 if there is none.
  package static func damage(_ cause: Message, afterPacket number: Int) -> Message {
    Message("\(number == 0 ? "before the first packet" : "after packet \(number)"): \(cause)")
  }

  /// - Parameter unit: what the format calls a record.
  package static func resumed(_ cause: Message, atNext unit: String) -> Message {
    Message("\(cause); skipped to the next plausible \(unit)")
  }

  // MARK: - pcap

  /// - Parameter field: the field of the link type in the file's header.
  package static func reservedLinkTypeBits(_ field: Int) -> Message {
    Message(
      "the link type of this pcap file has reserved bits set (0x\(String(field, radix: 16))); expected a "
        + "number below 65536")
  }

  // MARK: - pcapng

  // MARK: - Findings of streams

  /// - Parameter isUpperBound: whether there may be fewer.
  package static func gap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) missing")
  }

  package static func unverifiedGap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) left out: the MAC of their TLS records is wrong")
  }

  package static func cutGap(bytes: Int, isUpperBound: Bool = false) -> Message {
    Message("\(streamBytes(bytes, isUpperBound)) missing: it ends within a TLS record")
  }

  private static func streamBytes(_ count: Int, _ isUpperBound: Bool) -> String {
    "\(isUpperBound ? "at most " : "")\(Count.of(count, "byte")) of the stream"
  }

  /// - Parameter record: the noun for what is expected, such as `tuple`.
  package static func skippedBytes(_ count: Int, before record: String) -> Message {
    Message("\(Count.of(count, "byte")) skipped: no plausible \(record) begins here")
  }

  package static func separatingBytes(_ count: Int, locations: Int) -> Message {
    Message(
      "\(Count.of(count, "byte")) at \(Count.of(locations, "location")) between tuples: no damage, and no part of them"
    )
  }

  /// - Parameter record: the noun for it, such as `tuple`.
  package static func truncatedRecord(_ record: String, after bytes: Int) -> Message {
    Message("truncated \(record): the data ends after \(Count.of(bytes, "byte")) of it")
  }

  package static func ciphertext(missing: Int) -> Message {
    let missing = missing > 0 ? "; \(Count.of(missing, "byte")) missing" : ""
    return Message("TLS ciphertext: the stream cannot be decoded without its keys (--keys)\(missing)")
  }

  // MARK: - Findings of gateway connections

  /// A request with command 0 or 1.
  package static func impossibleLengths(command: UInt8) -> Message {
    let limits = "a length above the limit (--max-token-length, --max-payload)"
    return Message("command \(command) with \(limits)\(command == 0 ? ", or with both lengths 0" : "")")
  }

  package static func tooManyPending(limit: Int) -> Message {
    Message(
      "more than \(limit) requests are waiting for a response (--max-pending): "
        + "the outcome of the oldest, from here on, is unknown")
  }
}
