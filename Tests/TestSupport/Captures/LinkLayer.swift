/// What a captured packet begins with, down to its IP header.
package enum LinkLayer: String, CaseIterable, Sendable {
  case ethernet, vlan, qinq, llcSNAP, pppoe, mpls
  /// Link type 9 with address and control field, without, and with a protocol field of one byte.
  case ppp, pppBare, pppCompressed
  case pppHDLC
  case nullLittle, nullBig, loop
  case raw, ipv4, ipv6
  case sll, sll2, nflog
  case wifi, wifiQoS, radiotap
  case gre, greEthernet, vxlan, ipInIP
  /// Wireshark's export of payloads, with and without what TCP knows of them.
  case exportedPDU, exportedPDUBare

  /// The number of the capture file (tcpdump.org, "Link-layer header types").
  package var linkType: UInt16 {
    switch self {
    case .nullLittle, .nullBig: 0
    case .ppp, .pppBare, .pppCompressed: 9
    case .pppHDLC: 50
    case .raw: 101
    case .wifi, .wifiQoS: 105
    case .loop: 108
    case .sll: 113
    case .radiotap: 127
    case .ipv4: 228
    case .ipv6: 229
    case .nflog: 239
    case .exportedPDU, .exportedPDUBare: 252
    case .sll2: 276
    default: 1
    }
  }

  /// Whether it can carry packets of that family.
  package func carries(v6: Bool) -> Bool { self == .ipv4 ? !v6 : self == .ipv6 ? v6 : true }

  package var isEthernet: Bool { linkType == 1 }

  /// Without packets of its own: only the payloads are there, no handshake and no farewell.
  package var isExport: Bool { linkType == 252 }

  /// What goes before an IP packet.
  func header(v6: Bool, length: Int) -> [UInt8] {
    let type: [UInt8] = v6 ? [0x86, 0xdd] : [0x08, 0x00]
    let pppProtocol: [UInt8] = v6 ? [0x00, 0x57] : [0x00, 0x21]
    switch self {
    case .ethernet, .ipInIP: return Self.macs + type
    case .vlan: return join(Self.macs, [0x81, 0x00, 0x20, 0x07], type)
    case .qinq: return join(Self.macs, [0x88, 0xa8, 0x00, 0x64, 0x81, 0x00, 0x00, 0x07], type)
    case .llcSNAP:
      precondition(length + 8 <= 1500, "a length above 1500 would be a type")
      return join(Self.macs, be16(length + 8), Self.snap, type)
    case .pppoe:
      return join(Self.macs, [0x88, 0x64, 0x11, 0x00, 0x12, 0x34], be16(length + 2), pppProtocol)
    // Two labels, the second one the bottom of the stack.
    case .mpls: return join(Self.macs, [0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64])
    case .ppp, .pppHDLC: return [0xff, 0x03] + pppProtocol
    case .pppBare: return pppProtocol
    case .pppCompressed: return [pppProtocol[1]]
    case .nullLittle: return [v6 ? 30 : 2, 0, 0, 0]
    case .nullBig: return [0, 0, 0, v6 ? 28 : 2]
    case .loop: return [0, 0, 0, v6 ? 24 : 2]
    case .raw, .ipv4, .ipv6: return []
    case .sll: return join([0, 0, 0, 1, 0, 6], Self.macs[6...] + [0, 0], type)
    case .sll2: return join(type, [0, 0, 0, 0, 0, 2, 0, 1, 0, 6], Self.macs[6...] + [0, 0])
    case .nflog: return join([v6 ? 10 : 2, 0, 0, 5], Self.nflogItems(before: length, type))
    case .wifi, .wifiQoS: return join(wifiHeader, Self.snap, type)
    // Length 9, with the one field of flags, which say that the frame check sequence is there.
    case .radiotap: return join([0, 0, 9, 0, 2, 0, 0, 0, 0x10], wifiHeader, Self.snap, type)
    case .gre, .greEthernet, .vxlan: return []
    case .exportedPDU, .exportedPDUBare: return []
    }
  }

  /// The bytes after an IP packet; a check sequence covers `frame`.
  func trailer(of frame: [UInt8]) -> [UInt8] {
    switch self {
    case .radiotap: frameCheckSequence(Array(frame[9...]))
    case .nflog: padding(of: frame.count, to: 4)
    default: []
    }
  }

  /// The packet inside another one, for tunnels; others leave it alone.
  func tunnelled(_ packet: [UInt8], v6: Bool) -> (packet: [UInt8], v6: Bool) {
    let type: [UInt8] = v6 ? [0x86, 0xdd] : [0x08, 0x00]
    func outer(_ number: InternetWriter.Number, _ payload: [UInt8]) -> (packet: [UInt8], v6: Bool) {
      (InternetWriter.ipv4(number, [198, 51, 100, 1], [198, 51, 100, 2], payload), false)
    }
    switch self {
    // With a key; RFC 2890.
    case .gre: return outer(.gre, join([0x20, 0x00], type, [0, 0, 0, 9], packet))
    case .greEthernet: return outer(.gre, join([0x00, 0x00, 0x65, 0x58], Self.macs, type, packet))
    // RFC 7348.
    case .vxlan:
      let inner = join([0x08, 0, 0, 0, 0, 0, 42, 0], Self.macs, type, packet)
      return outer(.udp, InternetWriter.udp(from: 54_321, to: 4789, inner))
    case .ipInIP: return outer(v6 ? .ipv6 : .ipv4, packet)
    default: return (packet, v6)
    }
  }

  /// A data frame to the distribution system; with QoS it has two bytes more.
  private var wifiHeader: [UInt8] {
    let address: [UInt8] = [2, 0, 0, 0, 0, 3]
    let isQoS = self == .wifiQoS
    return join(
      [isQoS ? 0x88 : 0x08, 0x01, 0, 0], address, Array(Self.macs[6...]), Array(Self.macs[..<6]), [0x10, 0],
      isQoS ? [0, 0] : [])
  }

  private static let macs: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
  private static let snap: [UInt8] = [0xaa, 0xaa, 0x03, 0, 0, 0]

  /// Packet header, prefix with padding, and the head of the payload, in the byte order of the capturing
  /// machine, here little.
  private static func nflogItems(before length: Int, _ type: [UInt8]) -> [UInt8] {
    join(
      [8, 0, 1, 0], type, [1, 0], [6, 0, 10, 0, 0x61, 0, 0, 0], ByteOrder.little.bytes(length + 4, 2), [9, 0])
  }
}
