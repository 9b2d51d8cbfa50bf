import Platform
import WireBytes

/// Puts IP datagrams together from their fragments (RFC 791, section 3.2; RFC 8200, section 4.5).
///
/// Memory is bounded: by `fragmentBuffer`, and because no datagram waits for more than `reorderWindow`
/// packets. Time is, too: a fragment costs a hash of its bytes, a binary search, and a move of the 8 bytes
/// that each fragment after it takes.
struct FragmentTable {
  /// What makes fragments parts of one datagram. IPv6 has no protocol in it: only the first fragment's counts.
  private struct Key: Hashable {
    var source: IPAddress
    var destination: IPAddress
    var identification: UInt32
    var protocolNumber: UInt8
  }

  /// When a datagram began, and how long it is remembered.
  private struct Term {
    var key: Key
    var serial: Int
    /// Number, from 1, of the last packet before which it may still be completed.
    var lastPacket: Int
  }

  /// Why a datagram is no longer waited for.
  private enum Reason {
    case age, fullBuffer, endOfCapture
  }

  private let window: Int
  private let limit: Int
  private var datagrams: [Key: PartialDatagram] = [:]
  /// The terms in the order in which they end, from `firstTerm` on; some are of datagrams that are gone.
  private var terms: [Term] = []
  private var firstTerm = 0
  private var serial = 0
  /// Bytes of memory that the datagrams take.
  private(set) var cost = 0
  /// The packet (by `PacketCounts.packets`) from which on `expire` has something to do.
  private(set) var nextExpiry = Int.max

  init(options: CaptureOptions) {
    window = max(0, options.reorderWindow)
    limit = max(0, options.fragmentBuffer)
  }

  /// Protocols that a TCP segment can come in: TCP itself, tunnels, and the extension headers before them.
  static func mayCarryTCP(_ number: UInt8) -> Bool {
    switch number {
    case 6, 4, 41, 17, 47, 137, 0, 43, 44, 51, 60, 135, 139, 140: true
    default: false
    }
  }

  /// Takes the fragment that `walk` stands on, in packet `now` of the capture.
  /// - Parameter origins: where `bytes` stand; offsets are indices in them.
  /// - Returns: the datagram and its protocol, once all of it is there.
  mutating func add(
    _ walk: PacketWalk, in bytes: RawSpan, origins: [ByteOrigin], now: Int, anomalies: inout [StreamAnomaly]
  ) -> (ReassembledDatagram, protocolNumber: UInt8)? {
    let header = walk.fragment
    let key = Key(
      source: walk.source, destination: walk.destination, identification: header.identification,
      protocolNumber: walk.source.family == .v4 ? header.protocolNumber : 0)
    let answer = withDatagram(key, header: header, now: now) { datagram in
      datagram.add(
        header, bytes.extracting(walk.start..<walk.end), missing: walk.wireEnd &- walk.end,
        origins: origins, from: walk.start)
    }
    var whole: (ReassembledDatagram, protocolNumber: UInt8)?
    switch answer {
    case .completed:
      whole = withDatagram(key, header: header, now: now) { ($0.takeDatagram(), $0.protocolNumber) }
    case .contradicts:
      withDatagram(key, header: header, now: now) { $0.refuse() }
      let origin = origins[origins.index(of: walk.start)]
      anomalies.append(contradiction(of: walk, at: origin))
    case .belongsToAnother:
      remove(key)
      return add(walk, in: bytes, origins: origins, now: now, anomalies: &anomalies)
    case .waits, .ignored: break
    }
    shrink(into: &anomalies)
    return whole
  }

  /// Works on the datagram of `key`, which is begun if there is none.
  private mutating func withDatagram<Answer>(
    _ key: Key, header: FragmentHeader, now: Int, _ body: (inout PartialDatagram) -> Answer
  ) -> Answer {
    var datagram = datagrams.removeValue(forKey: key) ?? begin(key, header, now: now)
    cost &-= datagram.cost
    let answer = body(&datagram)
    cost &+= datagram.cost
    datagrams[key] = datagram
    return answer
  }

  private mutating func begin(_ key: Key, _ header: FragmentHeader, now: Int) -> PartialDatagram {
    serial &+= 1
    let (last, overflow) = now.addingReportingOverflow(window)
    terms.append(Term(key: key, serial: serial, lastPacket: overflow ? .max : last))
    updateExpiry()
    let datagram = PartialDatagram(serial: serial, protocolNumber: header.protocolNumber)
    cost &+= datagram.cost
    return datagram
  }

  private mutating func remove(_ key: Key) {
    if let datagram = datagrams.removeValue(forKey: key) { cost &-= datagram.cost }
  }

  /// Forgets the datagrams whose term ended before packet `now`.
  mutating func expire(now: Int, into anomalies: inout [StreamAnomaly]) {
    while firstTerm < terms.count, terms[firstTerm].lastPacket < now {
      endFirstTerm(.age, into: &anomalies)
    }
    updateExpiry()
  }

  /// The capture has ended.
  mutating func finish(into anomalies: inout [StreamAnomaly]) {
    while firstTerm < terms.count {
      endFirstTerm(.endOfCapture, into: &anomalies)
    }
    updateExpiry()
  }

  /// Forgets the oldest datagrams until the rest fits.
  private mutating func shrink(into anomalies: inout [StreamAnomaly]) {
    guard cost > limit else { return }
    while cost > limit, firstTerm < terms.count {
      endFirstTerm(.fullBuffer, into: &anomalies)
    }
    updateExpiry()
  }

  private mutating func endFirstTerm(_ reason: Reason, into anomalies: inout [StreamAnomaly]) {
    let term = terms[firstTerm]
    firstTerm &+= 1
    guard let datagram = datagrams[term.key], datagram.serial == term.serial else { return }
    remove(term.key)
    if isMissed(datagram) { anomalies.append(incompleteness(of: datagram, term.key, reason)) }
  }

  /// Whether a stream may lack what an incomplete datagram held. Of UDP only VXLAN can, which its first
  /// fragment says.
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

  // MARK: - What is reported

  private func contradiction(of walk: PacketWalk, at origin: ByteOrigin) -> StreamAnomaly {
    let first = walk.fragment.offset
    return StreamAnomaly(
      .fragmentOverlap, fileOffset: origin.fileOffset(of: walk.start), packet: origin.packet,
      message: "fragment with bytes \(first) to \(first &+ (walk.end &- walk.start)) of IP datagram"
        + " \(walk.fragment.identification) from \(walk.source.text) to \(walk.destination.text)"
        + " contradicts another in place or content; the datagram is refused")
  }

  private func incompleteness(
    of datagram: PartialDatagram, _ key: Key, _ reason: Reason
  ) -> StreamAnomaly {
    let list = datagram.packets.map(String.init).joined(separator: ", ")
    let packets =
      datagram.packets.isEmpty ? "" : " in \(datagram.packets.count == 1 ? "packet" : "packets") \(list)"
    let more = datagram.morePackets > 0 ? " and \(datagram.morePackets) more" : ""
    let cut =
      datagram.cutFragments > 0
      ? "; \(Count.of(datagram.cutFragments, "fragment")) of it \(datagram.cutFragments == 1 ? "was" : "were")"
        + " not captured whole (a longer snap length would have kept the rest)"
      : ""
    return StreamAnomaly(
      .fragmentMissing, fileOffset: datagram.firstOrigin?.fileOffset, packet: datagram.firstOrigin?.packet,
      message: "IP datagram \(key.identification) from \(key.source.text) to \(key.destination.text)"
        + " with protocol \(datagram.protocolNumber): not all of its fragments \(words(reason));"
        + " \(Count.of(datagram.receivedBytes, "byte")) of it are there\(packets)\(more)\(cut);"
        + " what it held is missing")
  }

  private func words(_ reason: Reason) -> String {
    switch reason {
    case .age: "came within \(Count.of(window, "packet"))"
    case .fullBuffer: "came while the buffer of fragments (\(ByteSize.text(limit))) had room for it"
    case .endOfCapture: "came before the capture ended"
    }
  }
}
