/// Encodes segments as packets of a link layer, with valid checksums.
struct PacketEncoder {
  let link: CaptureLink
  let isBigEndian: Bool

  /// A packet with a segment, or a fragment of its datagram.
  struct Packet {
    var bytes: [UInt8] = []
    /// The range of the segment's payload in it, and the index of its first byte in `bytes`.
    var payload: Range<Int>
    var payloadStart = 0
    fileprivate var isV6: Bool

    /// The indices in the record of the addresses and ports of a segment with data.
    /// - Parameter payloadAt: index of the payload in the record.
    func endpoints(payloadAt: Int) -> Range<Int> {
      // A TCP header of 20 bytes begins with the ports; before it are two addresses.
      let segmentStart = payloadAt - 20
      return segmentStart - (isV6 ? 32 : 8)..<segmentStart + 4
    }
  }

  /// Identification of the last datagram (RFC 791).
  private var identification: UInt16 = 0

  init(_ scenario: CaptureScenario) {
    link = scenario.link
    isBigEndian = scenario.container.isBigEndian
  }

  mutating func packet(_ segment: GeneratedSegment, between peers: Peers) -> Packet {
    let tcp = Self.tcp(segment, between: peers)
    if !peers.isV6 { identification &+= 1 }
    return packet(0..<tcp.count, of: tcp, segment, between: peers)
  }

  /// A packet with a range of the bytes of a segment, a fragment if that is a part.
  private func packet(
    _ range: Range<Int>, of tcp: [UInt8], _ segment: GeneratedSegment, between peers: Peers
  ) -> Packet {
    let header = tcp.count - segment.payload.count
    let payload = max(range.lowerBound, header)..<range.upperBound
    var packet = Packet(payload: payload.lowerBound - header..<payload.upperBound - header, isV6: peers.isV6)
    appendLinkHeader(isV6: peers.isV6, to: &packet.bytes)
    let addresses = peers.ends(isFromServer: segment.isFromServer).flatMap(\.address)
    packet.bytes += peers.isV6 ? ipv6(range, of: tcp.count, addresses) : ipv4(range, of: tcp.count, addresses)
    packet.payloadStart = packet.bytes.count + payload.lowerBound - range.lowerBound
    packet.bytes += tcp[range]
    // Ethernet frames are padded to 60 bytes without check sequence (IEEE 802.3). The padding is not zero, to expose
    // readers that treat it as data.
    if link.linkType == 1 { packet.bytes += repeatElement(0xee, count: max(0, 60 - packet.bytes.count)) }
    return packet
  }

  // MARK: - Fragments

  /// Splits the segment into about `count` fragments (RFC 791, section 3.2; RFC 8200, section 4.5). Empty if it is too
  /// short, or if a fragment would carry a single byte, whose copy would be a keep-alive (RFC 9293, section 3.8.4).
  mutating func fragments(_ segment: GeneratedSegment, _ count: Int, between peers: Peers) -> [Packet] {
    let tcp = Self.tcp(segment, between: peers)
    // All but the last have a multiple of 8 bytes, and the first has the whole TCP header.
    let length = max(24, (tcp.count / count + 7) / 8 * 8)
    guard length < tcp.count, tcp.count % length != 1 else { return [] }
    identification &+= 1
    return stride(from: 0, to: tcp.count, by: length).map {
      packet($0..<min($0 + length, tcp.count), of: tcp, segment, between: peers)
    }
  }

  // MARK: - Link layers

  private static let addresses: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]

  private func appendLinkHeader(isV6: Bool, to bytes: inout [UInt8]) {
    let type: [UInt8] = isV6 ? [0x86, 0xdd] : [0x08, 0x00]
    switch link {
    case .ethernet, .vlan:
      bytes += Self.addresses
      // IEEE 802.1Q: VLAN 7 with a priority.
      if link == .vlan { bytes += [0x81, 0x00, 0x20, 0x07] }
      bytes += type
    case .sll: bytes += [0, 0, 0, 1, 0, 6] + Self.addresses[6...] + [0, 0] + type
    case .sll2: bytes += type + [0, 0, 0, 0, 0, 2, 0, 1, 0, 6] + Self.addresses[6...] + [0, 0]
    // The address family of the capturing machine (here Linux or a BSD), in its byte order or the network's.
    case .null: bytes += isBigEndian ? [0, 0, 0, isV6 ? 28 : 2] : [isV6 ? 30 : 2, 0, 0, 0]
    case .loop: bytes += [0, 0, 0, isV6 ? 24 : 2]
    case .raw: break
    }
  }

  // MARK: - Internet

  /// RFC 791. A datagram that is no fragment has "don't fragment".
  private func ipv4(_ range: Range<Int>, of length: Int, _ addresses: [UInt8]) -> [UInt8] {
    let hasMore = range.upperBound < length
    let fragment = UInt16(truncatingIfNeeded: range.lowerBound / 8) | (hasMore ? 0x2000 : 0)
    var header = [0x45, 0] + bigEndian(UInt16(truncatingIfNeeded: 20 + range.count))
    header += bigEndian(identification) + bigEndian(range.count == length ? 0x4000 : fragment)
    // 64 hops; TCP.
    header += [64, 6]
    return header + bigEndian(checksum(header + addresses)) + addresses
  }

  /// RFC 8200.
  private func ipv6(_ range: Range<Int>, of length: Int, _ addresses: [UInt8]) -> [UInt8] {
    var fragment: [UInt8] = []
    if range.count < length {
      let offset = UInt16(truncatingIfNeeded: range.lowerBound) | (range.upperBound < length ? 1 : 0)
      fragment = [6, 0] + bigEndian(offset) + bigEndian(UInt32(identification))
    }
    let count = UInt16(truncatingIfNeeded: fragment.count + range.count)
    // Next header 44: fragment.
    let head: [UInt8] = [0x60, 0, 0, 0] + bigEndian(count) + [fragment.isEmpty ? 6 : 44, 64]
    return head + addresses + fragment
  }

  /// RFC 9293, section 3.1; a SYN has the maximum segment size option.
  private static func tcp(_ segment: GeneratedSegment, between peers: Peers) -> [UInt8] {
    let options: [UInt8] = segment.flags & GeneratedSegment.Flag.syn != 0 ? [2, 4, 5, 0xb4] : []
    let ends = peers.ends(isFromServer: segment.isFromServer)
    var head = ends.flatMap { bigEndian($0.port) }
    head += bigEndian(segment.sequence) + bigEndian(segment.acknowledgement)
    head += [UInt8((20 + options.count) / 4) << 4, segment.flags, 0xff, 0xff]
    let length = UInt32(truncatingIfNeeded: 20 + options.count + segment.payload.count)
    let pseudoHeader = ends.flatMap(\.address) + bigEndian(length) + [0, 0, 0, 6]
    let sum = checksum(pseudoHeader + head + options + segment.payload)
    // Bytes that were altered on the way have the wrong sum, so that the first copy counts.
    head += bigEndian(sum ^ (segment.altered == nil ? 0 : 1))
    return head + [0, 0] + options + segment.payload
  }
}

/// The internet checksum (RFC 1071).
private func checksum(_ bytes: [UInt8]) -> UInt16 {
  var sum = 0
  for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
  while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
  return ~UInt16(truncatingIfNeeded: sum)
}

struct Peers: Sendable {
  private let client: ConnectionEnd
  private let server: ConnectionEnd

  var isV6: Bool { server.address.count > 4 }

  init(client: ConnectionEnd, server: ConnectionEnd) { (self.client, self.server) = (client, server) }

  /// Those of a generated connection. Clients have private addresses (RFC 1918); servers, and all IPv6 hosts, have
  /// documentation addresses (RFC 5737 and 3849).
  /// - Parameters:
  ///   - number: number of the connection, from 0, or of its slot if ports are reused.
  init(_ number: Int, serverPort: UInt16, isV6: Bool) {
    // The number of the client, from 1, with which its address ends.
    let last = bigEndian(UInt16(truncatingIfNeeded: number / CaptureScenario.clientPorts + 1))
    client = ConnectionEnd(
      address: isV6 ? Self.v6(0x0c) + last : [10, 0] + last,
      port: UInt16(truncatingIfNeeded: 49_152 + number % CaptureScenario.clientPorts))
    server = ConnectionEnd(address: isV6 ? Self.v6(0x05) + [0, 1] : [198, 51, 100, 1], port: serverPort)
  }

  /// All but the last 2 bytes.
  private static func v6(_ group: UInt8) -> [UInt8] {
    [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, group]
  }

  /// The source, then the destination.
  func ends(isFromServer: Bool) -> [ConnectionEnd] { isFromServer ? [server, client] : [client, server] }

  /// Address and port of a generated connection in JSON, as in reports: `"192.0.2.1:2196"`, `"[2001:db8::5:1]:2196"`.
  func text(ofServer isServer: Bool) -> [UInt8] {
    let end = isServer ? server : client
    let groups = end.address.suffix(4).map { UInt16($0) }
    let address =
      isV6
      ? "[2001:db8::" + String(groups[1], radix: 16) + ":" + String(groups[2] << 8 | groups[3], radix: 16)
        + "]"
      : end.address.map(String.init).joined(separator: ".")
    return TruthText.quoted("\(address):\(end.port)")
  }
}

package struct ConnectionEnd: Sendable {
  /// 4 bytes, or 16 of IPv6.
  fileprivate let address: [UInt8]
  fileprivate let port: UInt16

  package init(address: [UInt8], port: UInt16) { (self.address, self.port) = (address, port) }
}
