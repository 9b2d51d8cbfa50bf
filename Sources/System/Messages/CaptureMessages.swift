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
  /// - Parameter field: the field of the link type in the file's header.
  package static func reservedLinkTypeBits(_ field: Int) -> Message {
    Message(
      "the link type of this pcap file has reserved bits set (0x\(String(field, radix: 16))); expected a "
        + "number below 65536")
  }

  package static func recordCut(captured: Int, left: Int) -> Message {
    Message("a record of \(captured) captured bytes, the file has \(left) left")
  }
}

// MARK: - pcapng

extension Message {
  package static func blockCut(_ length: Int, left: Int) -> Message {
    Message("a block of \(length) bytes, the file has \(left) left")
  }

  package static func blockLengthsDiffer(_ first: Int, _ second: Int) -> Message {
    Message("a block of \(first) bytes by its first length and \(second) by its second")
  }
}
