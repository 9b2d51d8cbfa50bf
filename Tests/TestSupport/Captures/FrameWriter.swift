/// A packet of a capture.
package struct CapturedPacket: Equatable, Sendable {
  /// Nanoseconds since 1970.
  package var time: UInt64
  package var bytes: [UInt8]
  /// Bytes that it had on the wire.
  package var originalLength: Int
  package var linkType: UInt16
}

/// Wraps segments in packets, one each. Other link layers are in samples/corpus, and with `PacketDissector`.
package struct FrameWriter: Sendable {
  /// The raw value is the number in a capture file (tcpdump.org, "Link-layer header types").
  package enum Link: UInt16, Sendable {
    case ethernet = 1
    case raw = 101
  }

  package var link: Link

  package init(_ link: Link = .ethernet) { self.link = link }

  package func packets(_ segments: [Segment]) -> [CapturedPacket] {
    segments.map { segment in
      let frame = frame(of: segment)
      return CapturedPacket(
        time: segment.time, bytes: frame, originalLength: frame.count, linkType: link.rawValue)
    }
  }

  private func frame(of segment: Segment) -> [UInt8] {
    let datagram = InternetWriter.datagram(of: segment)
    guard link == .ethernet else { return datagram }
    let type: [UInt8] = segment.source.isV6 ? [0x86, 0xdd] : [0x08, 0x00]
    let frame = join([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2], type, datagram)
    // IEEE 802.3: no frame is shorter than 60 bytes without its check sequence. A careless sender pads with
    // what its buffer happened to hold.
    return frame + [UInt8](repeating: 0xee, count: max(0, 60 - frame.count))
  }
}
