import WireBytes

// Link layers of lines and of provider networks: PPP, HDLC, PPPoE and MPLS.

extension PacketWalk {
  /// PPP with and without the address and control bytes of HDLC framing (RFC 1662, section 3.1), or Cisco's
  /// HDLC, which begins with 0f or 8f and has an EtherType.
  mutating func pointToPoint(in bytes: RawSpan) -> Layer {
    guard holds(2, .pointToPoint) else { return .malformed }
    switch bytes.bigEndianUInt16(at: start) {
    case 0xff03:
      start &+= 2
    case 0x0f00, 0x8f00:
      guard holds(4, .pointToPoint) else { return .malformed }
      let type = bytes.bigEndianUInt16(at: start &+ 2)
      start &+= 4
      return .network(type)
    default: break
    }
    return pointToPointProtocol(in: bytes)
  }

  /// The protocol field (RFC 1661, section 2); an odd first byte is the whole of a compressed one (RFC 1661,
  /// section 6.5).
  private mutating func pointToPointProtocol(in bytes: RawSpan) -> Layer {
    guard holds(1, .pointToPoint) else { return .malformed }
    var number = UInt16(bytes.byte(at: start))
    if number & 1 == 1 {
      start &+= 1
    } else {
      guard holds(2, .pointToPoint) else { return .malformed }
      number = bytes.bigEndianUInt16(at: start)
      start &+= 2
    }
    switch number {
    case 0x21: return .ipv4
    case 0x57: return .ipv6
    case 0x281, 0x283: return .labels
    default: return .notTCP
    }
  }

  /// RFC 2516, section 4: version and type, code, session, length of the PPP packet behind it.
  mutating func pppoe(in bytes: RawSpan) -> Layer {
    guard holds(6, .pppoe) else { return .malformed }
    let version = Int(bytes.byte(at: start))
    guard version == 0x11 else { return flaw(.pppoe, .version(version >> 4, expected: 1)) }
    // Only session data has code 0; discovery has others.
    guard bytes.byte(at: start &+ 1) == 0 else { return .notTCP }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 4))
    start &+= 6
    trim(to: length)
    return .pointToPoint
  }

  /// RFC 3032, section 2.1: labels of four bytes up to the one with the bottom bit. Nothing says what follows;
  /// IP is known by its first four bits, anything else by an EtherType where Ethernet has one, behind a
  /// control word whose first four bits are 0 (RFC 4385, section 3) or without it.
  mutating func labels(in bytes: RawSpan) -> Layer {
    var isBottom = false
    while !isBottom {
      guard holds(4, .labels) else { return .malformed }
      isBottom = bytes.byte(at: start &+ 2) & 1 == 1
      start &+= 4
    }
    guard holds(1, .labels) else { return .malformed }
    let nibble = bytes.byte(at: start) >> 4
    if nibble == 4 || nibble == 6 { return .ip }
    if nibble == 0, isEthernet(at: start &+ 4, in: bytes) {
      start &+= 4
      return .ethernet
    }
    return isEthernet(at: start, in: bytes) ? .ethernet : .notTCP
  }

  private func isEthernet(at index: Int, in bytes: RawSpan) -> Bool {
    guard index &+ 14 <= end else { return false }
    return switch bytes.bigEndianUInt16(at: index &+ 12) {
    case 0x0800, 0x86dd, 0x8100, 0x88a8, 0x8847, 0x8848, 0x8864: true
    default: false
    }
  }
}
