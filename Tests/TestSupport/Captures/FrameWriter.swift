/// A packet of a capture.
package struct CapturedPacket: Equatable, Sendable {
  /// Nanoseconds since 1970.
  package var time: UInt64
  package var bytes: [UInt8]
  /// Bytes that it had on the wire.
  package var originalLength: Int
  package var linkType: UInt16
}

/// Wraps segments in the packets of a link layer.
package struct FrameWriter: Sendable {
  package var link: LinkLayer

  package init(_ link: LinkLayer = .ethernet) { self.link = link }

  /// The packets of the segments: one each, but for fragments, and for exports, which have payloads only.
  package func packets(_ segments: [Segment]) -> [CapturedPacket] {
    segments.enumerated().flatMap { index, segment -> [CapturedPacket] in
      if link.isExport { return exported(segment, number: index + 1) }
      return InternetWriter.datagrams(of: segment).map { captured(frame($0, of: segment), of: segment) }
    }
  }

  private func frame(_ datagram: [UInt8], of segment: Segment) -> [UInt8] {
    let (packet, v6) = link.tunnelled(datagram, v6: segment.source.isV6)
    let outermost: LinkLayer = [.gre, .greEthernet, .vxlan].contains(link) ? .ethernet : link
    var frame = outermost.header(v6: v6, length: packet.count) + packet
    frame += link.trailer(of: frame)
    guard link.isEthernet else { return frame }
    // IEEE 802.3: no frame is shorter than 60 bytes without its check sequence. A careless sender pads with
    // what its buffer happened to hold.
    while frame.count < 60 { frame.append(0xee) }
    return frame + segment.trailer
  }

  private func captured(_ frame: [UInt8], of segment: Segment) -> CapturedPacket {
    CapturedPacket(
      time: segment.time, bytes: Array(frame.prefix(segment.snapLength ?? frame.count)),
      originalLength: frame.count, linkType: link.linkType)
  }

  private func exported(_ segment: Segment, number: Int) -> [CapturedPacket] {
    guard !segment.payload.isEmpty else { return [] }
    return [captured(ExportedPDU.tags(of: segment, number: number, link) + segment.payload, of: segment)]
  }
}

/// Wireshark's export of a payload: tags of type, length and value before it.
private enum ExportedPDU {
  static func tags(of segment: Segment, number: Int, _ link: LinkLayer) -> [UInt8] {
    let v6 = segment.source.isV6
    var tags = join(
      // The length includes the padding of the name.
      tag(12, Array("data".utf8)), tag(v6 ? 22 : 20, segment.source.address),
      tag(v6 ? 23 : 21, segment.destination.address), tag(24, be32(2)), tag(25, be32(segment.source.port)),
      tag(26, be32(segment.destination.port)), tag(30, be32(number)))
    if link == .exportedPDU { tags += tag(34, tcpInfo(segment)) }
    return tags + tag(0, [])
  }

  private static func tag(_ type: Int, _ value: [UInt8]) -> [UInt8] {
    join(be16(type), be16(value.count), value)
  }

  /// Version 1: sequence number, the next one, the last acknowledged one, whether it is reassembled, flags,
  /// urgent pointer.
  private static func tcpInfo(_ segment: Segment) -> [UInt8] {
    join(
      be16(1), be32(segment.payloadSequence), be32(segment.end), be32(segment.acknowledgement), [0],
      be16(segment.flags.rawValue), be16(0), [0])
  }
}
