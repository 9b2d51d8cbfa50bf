import Basics

/// Reassembles IP datagrams from their fragments (RFC 791, section 3.2; RFC 8200, section 4.5).
///
/// Memory is bounded by `fragmentBuffer`, and no datagram waits for more than `reorderWindow` packets. A fragment
/// costs a hash of its bytes, a binary search, and moving the 8-byte entry of each later fragment.
struct FragmentTable {
  /// Fragments with the same key belong to one datagram. IPv6 has no protocol here: the first fragment's counts.
  private struct DatagramKey: Hashable {
    var source: IPAddress
    var destination: IPAddress
    var identification: UInt32
    var protocolNumber: UInt8
  }

  /// When a datagram began, and how long it is remembered.
  private struct Term {
    var key: DatagramKey
    var serial: Int
    /// Number, from 1, of the last packet before which it may still be completed.
    var lastPacket: Int
  }

  /// Why a datagram is dropped before it is complete.
  private enum Reason {
    case age, reuse, fullBuffer, endOfCapture
  }

  private let window: Int
  private let limit: Int
  private var datagrams: [DatagramKey: PartialDatagram] = [:]
  /// The terms in the order in which they end, from `firstTerm` on; some belong to removed datagrams.
  private var terms: [Term] = []
  private var firstTerm = 0
  private var serial = 0
  /// Memory used by the datagrams, in bytes.
  private(set) var cost = 0
  /// The packet (by `PacketCounts.packets`) from which on `expire` has work to do.
  private(set) var nextExpiry = Int.max

  init(options: CaptureOptions) {
    window = max(0, options.reorderWindow)
    limit = max(0, options.fragmentBuffer)
  }

  /// Protocols that may carry a TCP segment: TCP itself, tunnels, and the extension headers before them.
  static let carriersOfTCP: Set<UInt8> = [6, 4, 41, 17, 47, 137, 0, 43, 44, 51, 60, 135, 139, 140]

  /// Takes the fragment at which `parser` stopped, in packet `now` of the capture.
  /// - Parameter origins: file offsets of `bytes`; stream offsets are indices in them.
  /// - Returns: the datagram and its protocol, once it is complete.
  mutating func add(
    _ parser: PacketParser, in bytes: RawSpan, origins: [SourceExtent], now: Int,
    findings: inout [StreamFinding]
  ) -> (ReassembledDatagram, protocolNumber: UInt8)? {
    let header = parser.fragment
    let key = DatagramKey(
      source: parser.source, destination: parser.destination, identification: header.identification,
      protocolNumber: parser.source.family == .v4 ? header.protocolNumber : 0)
    var datagram = datagrams.removeValue(forKey: key) ?? begin(key, header, now: now)
    cost &-= datagram.cost
    let result = datagram.add(
      header, bytes.extracting(parser.start..<parser.end), missing: parser.wireEnd &- parser.end,
      origins: origins, from: parser.start)
    cost &+= datagram.cost
    datagrams[key] = datagram
    var whole: (ReassembledDatagram, protocolNumber: UInt8)?
    switch result {
    case .completed(let found): whole = (found, datagram.protocolNumber)
    case .contradicts:
      let origin = origins[origins.index(of: parser.start)]
      findings.append(contradiction(of: parser, at: origin))
    case .belongsToAnother:
      remove(key)
      if isMissed(datagram) { findings.append(incompleteness(of: datagram, key, .reuse)) }
      return add(parser, in: bytes, origins: origins, now: now, findings: &findings)
    case .waits, .ignored: break
    }
    if cost > limit { endTerms(.fullBuffer, into: &findings) { $0.cost > $0.limit } }
    return whole
  }

  private mutating func begin(_ key: DatagramKey, _ header: FragmentHeader, now: Int) -> PartialDatagram {
    serial &+= 1
    terms.append(Term(key: key, serial: serial, lastPacket: now &+ window))
    updateExpiry()
    let datagram = PartialDatagram(serial: serial, protocolNumber: header.protocolNumber)
    cost &+= datagram.cost
    return datagram
  }

  private mutating func remove(_ key: DatagramKey) {
    if let datagram = datagrams.removeValue(forKey: key) { cost &-= datagram.cost }
  }

  /// Drops the datagrams whose term ended before packet `now`.
  mutating func expire(now: Int, into findings: inout [StreamFinding]) {
    endTerms(.age, into: &findings) { $0.terms[$0.firstTerm].lastPacket < now }
  }

  mutating func finish(into findings: inout [StreamFinding]) {
    endTerms(.endOfCapture, into: &findings) { _ in true }
  }

  /// Drops the oldest datagrams as long as `isDue`.
  private mutating func endTerms(
    _ reason: Reason, into findings: inout [StreamFinding], while isDue: (FragmentTable) -> Bool
  ) {
    while firstTerm < terms.count, isDue(self) {
      let term = terms[firstTerm]
      firstTerm &+= 1
      guard let datagram = datagrams[term.key], datagram.serial == term.serial else { continue }
      remove(term.key)
      if isMissed(datagram) { findings.append(incompleteness(of: datagram, term.key, reason)) }
    }
    updateExpiry()
  }

  /// Whether an incomplete datagram may have carried stream bytes. UDP can do so only as VXLAN, which its first
  /// fragment shows.
  private func isMissed(_ datagram: PartialDatagram) -> Bool {
    guard datagram.state == .collecting else { return false }
    return datagram.protocolNumber != 17 || datagram.hasFirstFragment
  }

  private mutating func updateExpiry() {
    if firstTerm == terms.count {
      terms.removeAll(keepingCapacity: true)
      firstTerm = 0
    } else if firstTerm > 1024, firstTerm > terms.count / 2 {
      terms.removeFirst(firstTerm)
      firstTerm = 0
    }
    nextExpiry = terms.isEmpty ? .max : terms[firstTerm].lastPacket
  }

  // MARK: - Anomalies

  private func contradiction(of parser: PacketParser, at origin: SourceExtent) -> StreamFinding {
    let first = parser.fragment.offset
    return StreamFinding(
      .fragmentOverlap, fileOffset: origin.fileOffset(of: parser.start), packet: origin.packet,
      message:
        "fragment with bytes \(first) to \(first &+ (parser.end &- parser.start)) of IP datagram "
        + "\(Int(parser.fragment.identification)) from \(parser.source.text) to "
        + "\(parser.destination.text) conflicts with another in range or content; the datagram is dropped")
  }

  private func incompleteness(
    of datagram: PartialDatagram, _ key: DatagramKey, _ reason: Reason
  ) -> StreamFinding {
    let (packets, cut) = (datagram.packets, datagram.cutFragments)
    let numbers = packets.map(String.init).joined(separator: ", ")
    let inPackets = " in \(packets.count == 1 ? "packet" : "packets") \(numbers)"
    let more = datagram.morePackets > 0 ? " and \(datagram.morePackets) more" : ""
    let cutText =
      cut > 0
      ? "; \(Count.of(cut, "fragment")) \(cut == 1 ? "was" : "were") truncated by the capture "
        + "(use a larger snap length)" : ""
    return StreamFinding(
      .fragmentMissing, fileOffset: datagram.firstOrigin?.fileOffset, packet: datagram.firstOrigin?.packet,
      message:
        "IP datagram \(Int(key.identification)) from \(key.source.text) to \(key.destination.text) with "
        + "protocol \(Int(datagram.protocolNumber)) is incomplete: not all fragments \(term(reason)); "
        + "\(Count.of(datagram.receivedBytes, "byte")) received\(inPackets)\(more)\(cutText)")
  }

  private func term(_ reason: Reason) -> Message {
    switch reason {
    case .age: "arrived within \(Count.of(window, "packet"))"
    case .reuse: "arrived within \(PartialDatagram.lifetime) seconds"
    case .fullBuffer: "arrived before the fragment buffer (\(ByteSize.text(limit))) was full"
    case .endOfCapture: "arrived before the capture ended"
    }
  }
}
