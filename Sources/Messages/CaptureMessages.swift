import WireBytes

// MARK: - Damage of a capture file

extension Message {
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

  package static func notResumed(_ cause: Message, noOther unit: String) -> Message {
    Message("\(cause); no plausible \(unit) follows")
  }
}

// MARK: - pcap

extension Message {
  package static let unknownPcapMagic = Message("not a pcap file: unknown magic number")

  /// - Parameter field: the field of the link type in the file's header.
  package static func reservedLinkTypeBits(_ field: Int) -> Message {
    Message(
      "the link type of this pcap file has reserved bits set (0x\(String(field, radix: 16))); expected a "
        + "number below 65536")
  }

  package static func pcapHeaderCut(found: Int, expected: Int) -> Message {
    Message("the pcap header is truncated: expected \(expected) bytes, found \(found)")
  }

  package static func unknownPcapVersion(major: Int, minor: Int) -> Message {
    Message("pcap version \(major).\(minor), expected 2.0 to 2.4; records are read as version 2.4")
  }

  package static func recordHeaderCut(left: Int, expected: Int) -> Message {
    Message("\(Count.of(left, "byte")) left, a record header has \(expected)")
  }

  package static let zerosForRecord = Message("zeros instead of a record")

  package static func recordBeyondLimit(captured: Int, limit: Int) -> Message {
    Message("a record of \(captured) captured bytes, above the limit of \(limit)")
  }

  package static func implausibleRecordHeader(
    captured: Int, original: Int, seconds: Int, fraction: Int, unitsPerSecond: Int
  ) -> Message {
    Message(
      "an implausible record header: \(captured) of \(original) bytes captured at "
        + "\(seconds) s + \(fraction)/\(unitsPerSecond) s")
  }

  package static func recordCut(captured: Int, left: Int) -> Message {
    Message("a record of \(captured) captured bytes, the file has \(left) left")
  }

  package static func noRecordAfter(captured: Int) -> Message {
    Message("a record of \(captured) captured bytes, not followed by another record")
  }
}

// MARK: - pcapng

extension Message {
  package static func unknownPcapngVersion(major: Int, minor: Int) -> Message {
    Message("a pcapng section of version \(major).\(minor), expected 1.0; its blocks are read as version 1.0")
  }

  /// - Parameter number: of the interface in its section, from 0.
  package static func interfaceBeyondLimit(_ number: Int, limit: Int) -> Message {
    Message("interface \(number) of a section, above the limit of \(limit)")
  }

  package static func unknownInterface(_ number: Int, ofKnown count: Int) -> Message {
    Message("a packet of interface \(number), but the section has \(Count.of(count, "interface"))")
  }

  package static func secretsBeyondBlock(length: Int, room: Int) -> Message {
    Message("secrets of \(length) bytes in a block with room for \(room)")
  }

  package static func packetBeyondBlock(captured: Int, most: Int) -> Message {
    Message("a packet of \(captured) captured bytes, expected at most \(most) in its block")
  }

  package static func blockTooShort(_ length: Int) -> Message {
    Message("a block of \(length) bytes, too short for its type")
  }

  package static func blockFrameCut(left: Int, least: Int) -> Message {
    Message("\(Count.of(left, "byte")) left, a block has at least \(least)")
  }

  package static let blockWithoutSection = Message("a block without a valid section header before it")

  package static func wrongBlockLength(_ length: Int, least: Int, most: Int) -> Message {
    Message("a block of \(length) bytes, expected \(least) to \(most)")
  }

  package static func blockCut(_ length: Int, left: Int) -> Message {
    Message("a block of \(length) bytes, the file has \(left) left")
  }

  package static func blockLengthsDiffer(_ first: Int, _ second: Int) -> Message {
    Message("a block of \(first) bytes by its first length and \(second) by its second")
  }
}

// MARK: - Filters

extension Message {
  package static let filterOutOfMemory = Message("libpcap cannot begin a filter: out of memory")
  package static let filterContainsNUL = Message(
    "the filter contains a NUL byte; see pcap-filter(7) for the syntax")
  package static let noLibpcap = Message(
    "libpcap, which compiles filters, cannot be loaded; install libpcap0.8 (elsewhere: libpcap)")

  /// - Parameters:
  ///   - reason: libpcap's.
  ///   - linkType: the name of the first link type that was tried.
  package static func invalidFilter(_ expression: String, reason: String, linkType: String) -> Message {
    Message(
      "the filter '\(expression)' does not compile: \(reason) (for \(linkType), nor for another usual link "
        + "type); see pcap-filter(7) for the syntax")
  }

  package static func filterNotSupported(
    _ expression: String, reason: String, byLinkType number: Int, name: String
  ) -> Message {
    Message(
      "\(name) (link type \(number)) does not support the filter '\(expression)': \(reason); its packets are "
        + "skipped")
  }

  package static func linkTypeBeyondLimit(_ number: Int, name: String, limit: Int) -> Message {
    Message(
      "\(name) (link type \(number)) exceeds the limit of \(limit) link types; its packets are skipped")
  }
}
