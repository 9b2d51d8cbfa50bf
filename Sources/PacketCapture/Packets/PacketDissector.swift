import WireBytes

/// Finds the TCP segment in each packet of a capture: through link layer, tunnels and IP, and over the
/// fragments of several packets. It reads no file and knows no connections.
///
/// Input never stops it: a packet whose headers cannot be right is one anomaly, and the next one is read.
package struct PacketDissector {
  package private(set) var counts = PacketCounts()
  /// Number, from 1, that the last packet had in the capture which Wireshark exported it from; nil where the
  /// record does not say.
  package private(set) var originalFrame: Int?
  private var fragments: FragmentTable
  private var anomalies: [StreamAnomaly] = []

  package init(options: CaptureOptions) {
    fragments = FragmentTable(options: options)
  }

  package var hasAnomalies: Bool { !anomalies.isEmpty }

  /// What was found since the last call, in the order in which it was found.
  package mutating func takeAnomalies() -> [StreamAnomaly] {
    defer { anomalies = [] }
    return anomalies
  }

  /// The capture has ended: datagrams that are not complete never will be.
  package mutating func finish() {
    fragments.finish(into: &anomalies)
  }

  /// Reads the next packet of the capture, which lies in `window` as `record` says.
  package mutating func dissect(
    _ record: PacketRecord, from packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    counts.packets &+= 1
    originalFrame = nil
    if fragments.nextExpiry < counts.packets { fragments.expire(now: counts.packets, into: &anomalies) }
    guard record.start >= 0, record.capturedLength >= 0, record.start <= window.byteCount,
      record.capturedLength <= window.byteCount &- record.start
    else { return misplaced(record, packet, in: window) }
    guard let layer = Layer(record.linkType) else { return passOver(record.linkType, record, packet) }
    // A record's wire length has 32 bits. Only damage makes it less than what was captured.
    let wireLength = max(record.capturedLength, min(record.originalLength, Int(UInt32.max)))
    var walk = PacketWalk(
      start: record.start, end: record.start &+ record.capturedLength, wireEnd: record.start &+ wireLength)
    // The first two headers of almost all packets, without the loop.
    var answer = layer == .ethernet ? walk.ethernet(in: window) : layer
    if answer == .ipv4 { answer = walk.ipv4(in: window) }
    if answer != .tcp { answer = walk.run(from: answer, in: window) }
    if answer == .tcp, let segment = walk.tcp(in: window) {
      counts.segments &+= 1
      return .segment(segment)
    }
    return dissect(answer, &walk, record, packet, in: window)
  }

  /// The answers that are not a segment's.
  @inline(never)
  private mutating func dissect(
    _ answer: Layer, _ walk: inout PacketWalk, _ record: PacketRecord, _ packet: PacketReference,
    in window: RawSpan
  ) -> Dissection {
    switch answer {
    case .notTCP: counts.notTCP &+= 1
    case .encrypted: counts.encryptedFrames &+= 1
    case .unsupported(let type): return passOver(type, record, packet)
    case .fragment: return reassemble(walk, origins(record, packet), in: window)
    case .pdu: return exportedPDU(&walk, record, packet, in: window)
    default: malformed(walk.defect, origins(record, packet))
    }
    return .passedOver
  }

  /// A datagram may hold a tunnel, and that a fragment that completes another datagram.
  private mutating func reassemble(
    _ fragment: PacketWalk, _ origins: [ByteOrigin], in window: RawSpan
  ) -> Dissection {
    guard var (datagram, number) = take(fragment, origins, in: window) else { return .passedOver }
    var outer = fragment
    while true {
      let bytes = datagram.bytes
      var walk = PacketWalk(start: 0, end: bytes.count, wireEnd: bytes.count)
      (walk.source, walk.destination) = (outer.source, outer.destination)
      walk.layersLeft = outer.layersLeft
      let answer = walk.run(from: .transport(number), in: bytes.span.bytes)
      switch answer {
      case .tcp:
        guard let segment = walk.tcp(in: bytes.span.bytes) else { break }
        counts.segments &+= 1
        return .datagram(segment, datagram)
      case .fragment:
        guard let next = take(walk, datagram.origins, in: bytes.span.bytes) else { return .passedOver }
        (datagram, number) = next
        outer = walk
        continue
      case .notTCP, .encrypted:
        counts.notTCP &+= 1
        return .passedOver
      default: break
      }
      malformed(walk.defect, datagram.origins)
      return .passedOver
    }
  }

  /// Takes the fragment that `walk` stands on, and gives the datagram that it completes.
  private mutating func take(
    _ walk: PacketWalk, _ origins: [ByteOrigin], in bytes: RawSpan
  ) -> (ReassembledDatagram, UInt8)? {
    counts.fragments &+= 1
    let length = walk.wireEnd &- walk.start
    let most = 65_535 &- walk.fragment.offset
    // All but the last are multiples of 8 bytes long (RFC 791, section 3.2; RFC 8200, section 4.5).
    guard length > 0, length <= most, !walk.fragment.hasMore || length & 7 == 0 else {
      let problem = PacketDefect.Problem.length(length, least: 8, most: most & ~7)
      malformed(PacketDefect(header: .fragment, offset: walk.start, problem: problem), origins)
      return nil
    }
    guard FragmentTable.mayCarryTCP(walk.fragment.protocolNumber) else { return nil }
    return fragments.add(walk, in: bytes, origins: origins, now: counts.packets, anomalies: &anomalies)
  }

  private mutating func exportedPDU(
    _ walk: inout PacketWalk, _ record: PacketRecord, _ packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    guard let tags = walk.exportedPDU(in: window) else {
      malformed(walk.defect, origins(record, packet))
      return .passedOver
    }
    originalFrame = tags.pdu.originalFrame
    let packet = PacketReference(
      number: packet.number, original: originalFrame ?? packet.original, time: packet.time,
      input: packet.input)
    if let layer = tags.layer, layer != .tcp || tags.addresses != nil {
      if let (source, destination) = tags.addresses {
        (walk.source, walk.destination) = (source, destination)
      }
      let answer = walk.run(from: layer, in: window)
      if answer == .tcp, let segment = walk.tcp(in: window) {
        counts.segments &+= 1
        return .segment(segment)
      }
      return dissect(answer, &walk, record, packet, in: window)
    }
    counts.exportedPDUs &+= 1
    return .exportedPDU(tags.pdu)
  }

  // MARK: - What is wrong with a packet

  /// Where the packet's bytes stand in the file; offsets are indices in the window.
  private func origins(_ record: PacketRecord, _ packet: PacketReference) -> [ByteOrigin] {
    [ByteOrigin(streamOffset: record.start, fileOffset: record.fileOffset, stride: 1, packet: packet)]
  }

  private mutating func malformed(_ defect: PacketDefect, _ origins: [ByteOrigin]) {
    counts.malformed &+= 1
    let place = origins[origins.index(of: defect.offset)]
    anomalies.append(
      StreamAnomaly(
        .malformedPacket, fileOffset: place.fileOffset(of: defect.offset), packet: place.packet,
        message: defect.message))
  }

  /// The first packet of each link type that is not read is reported; `counts` has how many there are.
  private mutating func passOver(
    _ type: LinkType, _ record: PacketRecord, _ packet: PacketReference
  ) -> Dissection {
    if counts.unsupported.updateValue((counts.unsupported[type] ?? 0) &+ 1, forKey: type) == nil {
      anomalies.append(
        StreamAnomaly(
          .unsupportedLinkType, fileOffset: record.fileOffset, packet: packet,
          message: "packets of link type \(type.rawValue) are not read;"
            + " convert the capture to a link type that has IP in it"))
    }
    return .passedOver
  }

  /// A record that does not lie in its window is its reader's mistake, and no reason to stop.
  private mutating func misplaced(
    _ record: PacketRecord, _ packet: PacketReference, in window: RawSpan
  ) -> Dissection {
    let problem = PacketDefect.Problem.length(record.capturedLength, least: 0, most: window.byteCount)
    malformed(
      PacketDefect(header: .record, offset: record.start, problem: problem), origins(record, packet))
    return .passedOver
  }
}

/// What a captured packet holds, as far as streams go.
package enum Dissection: Equatable, Sendable {
  /// A TCP segment; `payloadStart` is an index in the window that the packet lies in.
  case segment(TCPSegment)
  /// A TCP segment that came in fragments; `payloadStart` is an index in the datagram's bytes.
  indirect case datagram(TCPSegment, ReassembledDatagram)
  /// Data that Wireshark exported without its headers.
  indirect case exportedPDU(ExportedPDU)
  /// Nothing for a stream: not TCP, a fragment that waits for others, or headers that cannot be right.
  case passedOver
}

/// An IP datagram put together from its fragments, without its IP header.
package struct ReassembledDatagram: Equatable, Sendable {
  package var bytes: [UInt8]
  /// Where its bytes stand in the file and which packets brought them; offsets count from the datagram's
  /// first byte, not in a stream.
  package var origins: [ByteOrigin]
}

/// One record of a capture of exported PDUs (link type 252).
package struct ExportedPDU: Equatable, Sendable {
  /// What Wireshark knew of the TCP segment that the data came in.
  package struct TCPInfo: Equatable, Sendable {
    /// Sequence number of the data's first byte and of the byte after it. They count from 0 at the
    /// connection's SYN where Wireshark showed relative numbers, which is its default.
    package var sequence: SequenceNumber
    package var nextSequence: SequenceNumber
    package var acknowledgement: SequenceNumber
    /// The data came in several segments; the numbers are those of the last.
    package var isReassembled: Bool
    package var flags: TCPSegment.Flags
  }

  /// Where the data lies in the window, and how many of its bytes the capture lacks at its end.
  package var payload: Range<Int> = 0..<0
  package var missingLength = 0
  /// Nil where the record gives no address or no port.
  package var source: Endpoint?
  package var destination: Endpoint?
  /// The port type says TCP, or there are ports and nothing says what kind they are.
  package var isTCP = false
  /// Number of the packet in the capture that this one was exported from, from 1.
  package var originalFrame: Int?
  /// Name of the dissector, of the heuristic or of the table that the data is meant for; nil if none is given.
  package var dissector: String?
  package var tcp: TCPInfo?
}

/// How many packets of each kind were dissected.
package struct PacketCounts: Equatable, Sendable {
  package var packets = 0
  /// TCP segments, those that came in fragments counted once.
  package var segments = 0
  package var exportedPDUs = 0
  /// Anything else whose headers could be read as far as that.
  package var notTCP = 0
  /// Frames of a wireless network that are encrypted.
  package var encryptedFrames = 0
  package var malformed = 0
  /// Fragments of IP datagrams of any protocol.
  package var fragments = 0
  /// Packets of link types that are not read.
  package var unsupported: [LinkType: Int] = [:]
}
