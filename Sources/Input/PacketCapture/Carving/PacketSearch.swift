import Basics

/// Finds whole IP packets of TCP connections with certain ports in bytes of any kind (docs/carving.md).
///
/// IPv4 has a checksum of its header. That of TCP is not required: in a capture made by the sender, the network card has
/// yet to compute it. IPv6 has none, so its packets need a right checksum of TCP, or a link header before them.
package struct PacketSearch: Sendable {
  package enum SearchResult {
    case packet(FoundPacket)
    case none
    /// It depends on this number of bytes from the index on.
    case undecided(Int)
  }

  package struct FoundPacket {
    /// Indices of the packet, from its IP header on.
    package var range: Range<Int>
    /// From the record of a capture file before it.
    package var time: CaptureTime?
  }

  package let ports: [UInt16]
  /// Bytes before a port that can belong to its packet: the longest IP header, a link header, the record of a capture.
  package static let reach = 2 + 60 + LinkHeader.longest + 28
  private static let tcp: UInt8 = 6
  private static let shortestTCP = 20
  /// Bytes of the longest packet whose checksum of TCP is computed, so that false headers cost little.
  private static let longestSummed = 1500

  package init(ports: Set<UInt16>) { self.ports = ports.sorted() }

  /// The packet with a port at `index`, no byte of which is before `floor`.
  package func packet(
    at index: Int, from floor: Int, in window: UnsafeRawBufferPointer, isLast: Bool
  ) -> SearchResult {
    let bytes = BoundedBytes(window)
    guard let port = bytes.uint16(index), ports.contains(port) else { return .none }
    for start in [index, index - 2] {
      for ip in Self.headers(before: start, in: bytes) where ip.start >= floor {
        guard start &- ip.start &+ Self.shortestTCP <= ip.length else { continue }
        let end = ip.start &+ ip.length
        if end > window.count {
          if isLast { continue }
          return .undecided(end &- index)
        }
        guard isPlausibleTCP(at: start, to: end, in: bytes) else { continue }
        let link = LinkHeader(before: ip.start, version: ip.version, in: bytes)
        let isProved =
          ip.version == 4 || link != nil
          || ip.length <= Self.longestSummed && Self.hasRightSum(ip, tcp: start, in: bytes)
        guard isProved else { continue }
        let time = Self.time(of: ip, link, in: bytes)
        return .packet(FoundPacket(range: ip.start..<end, time: time))
      }
    }
    return .none
  }

  private struct Header {
    var start: Int
    var version: Int
    /// Bytes of the packet.
    var length: Int
  }

  /// The plausible IP headers, without fragments, that end at `end`.
  private static func headers(before end: Int, in bytes: BoundedBytes) -> [Header] {
    var found: [Header] = []
    for words in 5...15 where bytes[end - 4 * words] == UInt8(0x40 | words) {
      let start = end - 4 * words
      guard bytes[start + 9] == tcp, let length = bytes.uint16(start + 2),
        // Flags and offset: not a fragment.
        let fragment = bytes.uint16(start + 6), fragment & 0xbfff == 0,
        bytes.sum(start..<end) % 0xffff == 0
      else { continue }
      found.append(Header(start: start, version: 4, length: Int(length)))
    }
    if let first = bytes[end - 40], first >> 4 == 6, bytes[end - 34] == tcp,
      let length = bytes.uint16(end - 36)
    {
      found.append(Header(start: end - 40, version: 6, length: 40 + Int(length)))
    }
    return found
  }

  private func isPlausibleTCP(at start: Int, to end: Int, in bytes: BoundedBytes) -> Bool {
    guard let word = bytes.uint16(start + 12), case let header = 4 * Int(word >> 12),
      header >= Self.shortestTCP, start + header <= end, word & 0x0e00 == 0
    else { return false }
    let flags = word & 0xff
    // SYN and FIN, or SYN and RST, are never together, and something is always set.
    return flags != 0 && flags & 0x03 != 0x03 && flags & 0x06 != 0x06
  }

  /// The checksum of TCP over IPv6 (RFC 8200, section 8.1).
  private static func hasRightSum(_ ip: Header, tcp start: Int, in bytes: BoundedBytes) -> Bool {
    let length = ip.start + ip.length - start
    let addresses = bytes.sum(start - 32..<start)
    return (addresses + bytes.sum(start..<start + length) + length + Int(tcp)) % 0xffff == 0
  }

  // MARK: - Times

  /// The capture time of the record that ends in the packet: of pcap in either order, or an enhanced packet block of
  /// pcapng, in microseconds unless the fraction needs nanoseconds.
  private static func time(of ip: Header, _ link: LinkHeader?, in bytes: BoundedBytes) -> CaptureTime? {
    for length in [link?.length ?? 0, 0] {
      let start = ip.start - length
      let captured = ip.length + length
      for order in [FileByteOrder.little, .big] {
        func field(_ offset: Int) -> UInt64? { bytes.uint32(start - offset, order).map(UInt64.init) }
        guard let included = field(8), let original = field(4), included <= original,
          // Ethernet pads short frames.
          captured <= included, included <= UInt64(max(captured, 64))
        else { continue }
        if field(28) == 6, let high = field(16), let low = field(12) {
          let (seconds, fraction) = (high << 32 | low).quotientAndRemainder(dividingBy: 1_000_000)
          return CaptureTime(seconds: Int64(seconds), fraction: fraction, digits: 6)
        }
        guard let seconds = field(16), let fraction = field(12), fraction < 1_000_000_000 else { continue }
        return CaptureTime(seconds: Int64(seconds), fraction: fraction, digits: fraction < 1_000_000 ? 6 : 9)
      }
    }
    return nil
  }
}

/// The link header before an IP packet: its last two bytes are the EtherType.
private struct LinkHeader {
  /// Of Linux cooked captures.
  static let longest = 16
  private static let ethernet = 14

  var length: Int

  init?(before ip: Int, version: Int, in bytes: BoundedBytes) {
    guard bytes.uint16(ip - 2) == (version == 4 ? 0x0800 : 0x86dd) else { return nil }
    // The address family of a cooked header, ARPHRD_ETHER, and its address length.
    let isCooked = bytes.uint16(ip - 14) == 1 && bytes.uint16(ip - 12) == 6
    length = isCooked ? Self.longest : Self.ethernet
  }
}

/// Loads that are nil outside the bytes.
private struct BoundedBytes {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  subscript(index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

  func uint16(_ index: Int) -> UInt16? {
    guard index >= 0, index + 2 <= bytes.count else { return nil }
    return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self))
  }

  func uint32(_ index: Int, _ order: FileByteOrder) -> UInt32? {
    guard index >= 0, index + 4 <= bytes.count else { return nil }
    let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
    return order == .little ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
  }

  /// The sum of 16-bit words, all of which are inside; an odd last byte is padded with zero. The ones' complement sum of
  /// RFC 1071 is 0xffff where this is a multiple of it.
  func sum(_ range: Range<Int>) -> Int {
    range.reduce(0) { $0 + Int(bytes[$1]) << (($1 - range.lowerBound) % 2 == 0 ? 8 : 0) }
  }
}
