import WireBytes

/// What is said of a pcap file that cannot be read as it stands.
extension PcapRecords {
  static func cutHeader(_ available: Int, _ fileOffset: Int) -> CaptureRecords.Step {
    unreadable(
      "the file ends within the header of a pcap file: expected \(PcapHeader.length) bytes, found "
        + "\(max(0, available))", fileOffset)
  }

  static func unreadable(_ message: String, _ fileOffset: Int) -> CaptureRecords.Step {
    .unreadable(InputFault(message, fileOffset: fileOffset))
  }

  static func unknownVersion(_ header: PcapHeader, at fileOffset: Int) -> StreamAnomaly {
    StreamAnomaly(
      .damagedCapture, length: PcapHeader.length, fileOffset: fileOffset,
      message:
        "before the first packet: a pcap file of version \(header.major).\(header.minor), expected 2.0 "
        + "to 2.4; its records are read as those of 2.4")
  }

  static func hex(_ number: UInt32) -> String { "0x" + String(number, radix: 16) }

  /// Says the same for any window: lengths are told of it only where the file is known to end with it.
  func flaw(at place: Int, in window: RawSpan) -> String {
    let available = window.byteCount - place
    guard available >= headerLength else {
      return "\(Count.of(available, "byte")) where the header of a record has \(headerLength)"
    }
    let header = header(at: place, in: window)
    let left = available - headerLength
    if header.isZero { return "zeros where a record must begin" }
    if header.captured > rules.maxPacket {
      return "a record of \(header.captured) captured bytes, expected at most \(rules.maxPacket)"
    }
    if rules.grade(header, near: reference) == .implausible {
      return "no header of a record: \(header.captured) of \(header.original) bytes captured at "
        + "\(header.seconds) s and \(header.fraction) units of 1/\(rules.unitsPerSecond) s"
    }
    if Int(header.captured) > left {
      return "a record of \(header.captured) captured bytes, of which the file has \(left)"
    }
    return "a record of \(header.captured) captured bytes, behind which none begins"
  }
}
