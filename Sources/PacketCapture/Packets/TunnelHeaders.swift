import WireBytes

extension PacketWalk {
  /// RFC 2784 and RFC 2890: flags say which fields of four bytes follow, then what the type announces.
  mutating func gre(in bytes: RawSpan) -> Layer {
    guard holds(4, .gre) else { return .malformed }
    let flags = bytes.bigEndianUInt16(at: start)
    let type = bytes.bigEndianUInt16(at: start &+ 2)
    switch flags & 7 {
    case 0:
      // Routing (RFC 1701) was taken out of the protocol; such a packet is no stream's.
      guard flags & 0x4000 == 0 else { return .notTCP }
      let length = 4 &+ (flags & 0x8000).nonzeroBitCount &* 4 &+ (flags & 0x3000).nonzeroBitCount &* 4
      guard holds(length, .gre) else { return .malformed }
      start &+= length
      return .network(type)
    case 1: return type == 0x880b ? greOfPPTP(flags: flags, in: bytes) : .notTCP
    default: return .notTCP
    }
  }

  /// RFC 2637, section 4.1: length of the PPP packet at 4, call at 6, then sequence and acknowledgement
  /// numbers as the flags say. Without a sequence number there is no packet.
  private mutating func greOfPPTP(flags: UInt16, in bytes: RawSpan) -> Layer {
    let hasSequence = flags & 0x1000 != 0
    let length = 8 &+ (hasSequence ? 4 : 0) &+ (flags & 0x0080 != 0 ? 4 : 0)
    guard holds(length, .gre) else { return .malformed }
    let payload = Int(bytes.bigEndianUInt16(at: start &+ 4))
    guard hasSequence, payload > 0 else { return .notTCP }
    start &+= length
    trim(to: payload)
    return .pointToPoint
  }

  /// Ports that VXLAN is sent to: 4789 (RFC 7348, section 5), and 8472, which Linux used before.
  static func isVXLAN(port: UInt16) -> Bool { port == 4789 || port == 8472 }

  /// UDP matters as a tunnel only.
  mutating func udp(in bytes: RawSpan) -> Layer {
    guard holds(8, .udp) else { return .malformed }
    guard Self.isVXLAN(port: bytes.bigEndianUInt16(at: start &+ 2)) else { return .notTCP }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 4))
    if length >= 8 { trim(to: length) }
    start &+= 8
    // RFC 7348, section 5: flags, of which 08 says that a network's number is there, then Ethernet.
    guard holds(8, .vxlan) else { return .malformed }
    guard bytes.byte(at: start) & 0x08 != 0 else { return .notTCP }
    start &+= 8
    return .ethernet
  }
}
