import Basics

/// Finds the TCP segment in each packet of a capture: through link layer, tunnels and IP, and over IP fragments. It
/// reads no file and tracks no connections.
///
/// Invalid packets never stop it: each one is an finding, and the next one is read.
package struct PacketDissector {
  package private(set) var counts = PacketCounts()
  /// Number, from 1, of the packet that was dissected last in the capture that Wireshark exported it from; nil if the
  /// record does not have it.
  package private(set) var originalFrame: Int?
  private var fragments: FragmentTable
  private var findings: [StreamFinding] = []

  package init(options: CaptureOptions) { fragments = FragmentTable(options: options) }

  package var hasFindings: Bool { !findings.isEmpty }

  /// Anomalies since the last call, in the order in which they were found.
  package mutating func takeFindings() -> [StreamFinding] {
    defer { findings = [] }
    return findings
  }

  /// The capture has ended: incomplete datagrams are reported.
  package mutating func finish() { fragments.finish(into: &findings) }

  /// Fast path: the segment of nearly all packets. Nil, without side effects, for those that are to be dissected.
  @inline(__always)
  mutating func segment(of record: PacketRecord, in window: RawSpan) -> TCPSegment? {
    guard record.linkType == .ethernet, record.isInside(window), fragments.nextExpiry > counts.packets,
      let segment = TCPSegment(
        frame: window.extracting(record.start..<record.start &+ record.capturedLength), at: record.start)
    else { return nil }
    counts.packets &+= 1
    counts.segments &+= 1
    return segment
  }

  /// Reads the next packet of the capture, which `record` locates in `window`.
  @inline(never)
  package mutating func dissect(
    _ record: PacketRecord, from packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    counts.packets &+= 1
    originalFrame = nil
    if fragments.nextExpiry < counts.packets { fragments.expire(now: counts.packets, into: &findings) }
    guard record.isInside(window) else { return misplaced(record, packet, in: window) }
    guard let layer = Layer(record.linkType) else { return skip(record.linkType, record, packet) }
    // A record's wire length has 32 bits. Only damage makes it less than the captured length.
    let wireLength = max(record.capturedLength, min(record.originalLength, Int(UInt32.max)))
    var parser = PacketParser(
      start: record.start, end: record.start &+ record.capturedLength, wireEnd: record.start &+ wireLength)
    // The first two headers of nearly all packets are not counted.
    var inner = layer == .ethernet ? parser.ethernet(in: window) : layer
    if inner == .ipv4 { inner = parser.ipv4(in: window) }
    return dissect(inner, &parser, record, packet, in: window)
  }

  private mutating func dissect(
    _ layer: Layer, _ parser: inout PacketParser, _ record: PacketRecord, _ packet: PacketReference,
    in window: RawSpan
  ) -> Dissection {
    let result = parser.run(from: layer, in: window)
    if result == .tcp, let segment = parser.tcp(in: window) {
      counts.segments &+= 1
      return .segment(segment)
    }
    switch result {
    case .notTCP: counts.notTCP &+= 1
    case .unsupported(let type): return skip(type, record, packet)
    case .fragment: return reassemble(parser, origins(record, packet), in: window)
    case .pdu: return exportedPDU(&parser, record, packet, in: window)
    default: malformed(parser.finding, origins(record, packet))
    }
    return .skipped
  }

  /// A datagram may contain a tunnel, and that a fragment which completes another datagram.
  private mutating func reassemble(
    _ fragment: PacketParser, _ origins: [SourceExtent], in window: RawSpan
  ) -> Dissection {
    guard var (datagram, number) = take(fragment, origins, in: window) else { return .skipped }
    var outer = fragment
    while true {
      let bytes = datagram.bytes
      var parser = PacketParser(start: 0, end: bytes.count, wireEnd: bytes.count)
      (parser.source, parser.destination) = (outer.source, outer.destination)
      parser.layersLeft = outer.layersLeft
      let result = parser.run(from: .transport(number), in: bytes.span.bytes)
      switch result {
      case .tcp:
        guard let segment = parser.tcp(in: bytes.span.bytes) else { break }
        counts.segments &+= 1
        return .datagram(segment, datagram)
      case .fragment:
        guard let next = take(parser, datagram.origins, in: bytes.span.bytes) else { return .skipped }
        (datagram, number) = next
        outer = parser
        continue
      case .notTCP, .unsupported(nil):
        counts.notTCP &+= 1
        return .skipped
      default: break
      }
      malformed(parser.finding, datagram.origins)
      return .skipped
    }
  }

  /// Takes the fragment at which `parser` stopped, and returns the datagram that it completes.
  private mutating func take(
    _ parser: PacketParser, _ origins: [SourceExtent], in bytes: RawSpan
  ) -> (ReassembledDatagram, UInt8)? {
    counts.fragments &+= 1
    let length = parser.wireEnd &- parser.start
    let most = 65_535 &- parser.fragment.offset
    // All fragments but the last have a length that is a multiple of 8 bytes (RFC 791, section 3.2; RFC 8200, section
    // 4.5).
    guard length > 0, length <= most, !parser.fragment.hasMore || length & 7 == 0 else {
      let cause = PacketFinding.Cause.length(length, least: 8, most: most & ~7)
      malformed(PacketFinding(header: .fragment, offset: parser.start, cause: cause), origins)
      return nil
    }
    guard FragmentTable.carriersOfTCP.contains(parser.fragment.protocolNumber) else { return nil }
    return fragments.add(parser, in: bytes, origins: origins, now: counts.packets, findings: &findings)
  }

  private mutating func exportedPDU(
    _ parser: inout PacketParser, _ record: PacketRecord, _ packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    guard let tags = parser.exportedPDU(in: window) else {
      malformed(parser.finding, origins(record, packet))
      return .skipped
    }
    originalFrame = tags.pdu.originalFrame
    let packet = PacketReference(
      number: packet.number, original: originalFrame ?? packet.original, time: packet.time,
      input: packet.input)
    if let layer = tags.layer, layer != .tcp || tags.addresses != nil {
      if let (source, destination) = tags.addresses {
        (parser.source, parser.destination) = (source, destination)
      }
      return dissect(layer, &parser, record, packet, in: window)
    }
    counts.exportedPDUs &+= 1
    return .exportedPDU(tags.pdu)
  }

  // MARK: - Anomalies

  /// File offsets of the packet's bytes; stream offsets are indices in the window.
  private func origins(_ record: PacketRecord, _ packet: PacketReference) -> [SourceExtent] {
    [SourceExtent(streamOffset: record.start, fileOffset: record.fileOffset, stride: 1, packet: packet)]
  }

  private mutating func malformed(_ finding: PacketFinding, _ origins: [SourceExtent]) {
    counts.malformed &+= 1
    let origin = origins[origins.index(of: finding.offset)]
    findings.append(
      StreamFinding(
        .malformedPacket, fileOffset: origin.fileOffset(of: finding.offset), packet: origin.packet,
        message: finding.message))
  }

  /// Reports the first packet of each unsupported link type, and the first unreadable frame; `counts` has the totals.
  private mutating func skip(
    _ type: LinkType?, _ record: PacketRecord, _ packet: PacketReference
  ) -> Dissection {
    if counts.unsupported.updateValue((counts.unsupported[type] ?? 0) &+ 1, forKey: type) == nil {
      findings.append(
        StreamFinding(
          .unsupportedLinkType, fileOffset: record.fileOffset, packet: packet,
          message: type.map {
            "link type \(Int($0.rawValue)) is not supported and its packets are skipped; convert the "
              + "capture to a link type that carries IP"
          } ?? "encrypted packets (Wi-Fi, MACsec, IPsec) and fragments of Wi-Fi are skipped; decrypt them"))
    }
    return .skipped
  }

  /// A record outside its window is a bug of the record reader, but no reason to stop.
  private mutating func misplaced(
    _ record: PacketRecord, _ packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    let cause = PacketFinding.Cause.length(record.capturedLength, least: 0, most: window.byteCount)
    malformed(PacketFinding(header: .record, offset: record.start, cause: cause), origins(record, packet))
    return .skipped
  }
}

package enum Dissection: Equatable, Sendable {
  /// A TCP segment; `payloadStart` is an index in the packet's window.
  case segment(TCPSegment)
  /// A TCP segment that came in fragments; `payloadStart` is an index in the datagram's bytes.
  indirect case datagram(TCPSegment, ReassembledDatagram)
  /// Data that Wireshark exported without its headers.
  indirect case exportedPDU(ExportedPDU)
  /// No stream content: not TCP, a fragment of an incomplete datagram, or invalid headers.
  case skipped
}

/// An IP datagram reassembled from its fragments, without its IP header.
package struct ReassembledDatagram: Equatable, Sendable {
  package var bytes: [UInt8]
  /// File offsets and packets of its bytes; offsets count from the datagram's first byte, not in a stream.
  package var origins: [SourceExtent]
}

/// One record of a capture of exported PDUs (link type 252).
package struct ExportedPDU: Equatable, Sendable {
  /// Wireshark's data about the TCP segment that carried the data.
  package struct TCPInfo: Equatable, Sendable {
    /// Sequence number of the data's first byte and of the byte after the data. They count from 0 at the connection's
    /// SYN where Wireshark showed relative numbers, which is its default.
    package var sequence: SequenceNumber
    package var nextSequence: SequenceNumber
    package var acknowledgement: SequenceNumber
    /// The data came in several segments; the numbers are those of the last.
    package var isReassembled: Bool
    package var flags: TCPSegment.Flags
  }

  /// Range of the data in the window, and the number of bytes missing at its end.
  package var payload: Range<Int> = 0..<0
  package var missingLength = 0
  /// Nil where the record gives no address or no port.
  package var source: Endpoint?
  package var destination: Endpoint?
  /// The port type is TCP, or there are ports of unspecified type.
  package var isTCP = false
  /// Number of the packet in the capture that this one was exported from, from 1.
  package var originalFrame: Int?
  /// Name of the dissector, heuristic or table that the data is meant for; nil if none is given.
  package var dissector: String?
  package var tcp: TCPInfo?
}

package struct PacketCounts: Equatable, Sendable {
  package var packets = 0
  /// TCP segments; a fragmented one is counted once.
  package var segments = 0
  package var exportedPDUs = 0
  /// Packets without TCP whose headers are valid.
  package var notTCP = 0
  package var malformed = 0
  /// Fragments of IP datagrams of any protocol.
  package var fragments = 0
  /// By link type; nil are frames that are encrypted, or fragmented by 802.11.
  package var unsupported: [LinkType?: Int] = [:]
}
