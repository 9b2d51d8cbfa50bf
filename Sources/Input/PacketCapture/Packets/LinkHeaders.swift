import Basics

// Link layers of local networks, and their replacements in captures.

extension PacketParser {
  /// IEEE 802.3: destination, source, then an EtherType or the length of an LLC frame.
  @inline(__always)
  mutating func ethernet(in bytes: RawSpan) -> Layer {
    guard hasBytes(14, .ethernet) else { return .malformed }
    let type = bytes.bigEndianUInt16(at: start &+ 12)
    start &+= 14
    // Fast path for nearly all frames.
    return type == 0x0800 ? .ipv4 : typeOrLength(type)
  }

  /// IEEE 802.3, section 3.2.6: up to 1500 it is a length, from 1536 on a type. Padding and trailers after a length
  /// are not part of the packet.
  private mutating func typeOrLength(_ type: UInt16) -> Layer {
    if type >= 1536 { return .network(type) }
    guard type <= 1500 else { return .notTCP }
    trim(to: Int(type))
    return .logicalLink
  }

  /// The layer of an EtherType (IEEE registry), after VLAN tags.
  mutating func network(_ type: UInt16, in bytes: RawSpan) -> Layer {
    switch type {
    case 0x0800: return .ipv4
    case 0x86dd: return .ipv6
    case 0x8100, 0x88a8, 0x9100, 0x9200: return vlan(in: bytes)
    case 0x8847, 0x8848: return .labels
    case 0x8864: return .pppoe
    case 0x6558: return .ethernet
    // The tag of a Cisco extender (VN-tag) has two bytes more than that of a VLAN.
    case 0x8926:
      start &+= 2
      return vlan(in: bytes)
    case 0x88e5: return .unsupported(nil)
    case 0x880b: return .pointToPoint
    // Jumbo LLC frames, too long for the length field.
    case 0x8870: return .logicalLink
    default: return .notTCP
    }
  }

  /// IEEE 802.1Q: two bytes of tag, then the original type; tags repeat (802.1ad, QinQ).
  private mutating func vlan(in bytes: RawSpan) -> Layer {
    while hasBytes(4, .vlan) {
      let type = bytes.bigEndianUInt16(at: start &+ 2)
      start &+= 4
      switch type {
      case 0x8100, 0x88a8, 0x9100, 0x9200: continue
      default: return typeOrLength(type)
      }
    }
    return .malformed
  }

  /// IEEE 802.2: the access points identify the payload. SNAP has an EtherType if its organisation is 0 (RFC 1042) or
  /// 0000f8 (802.1H); 06 is IP itself.
  mutating func logicalLink(in bytes: RawSpan) -> Layer {
    guard hasBytes(3, .logicalLink) else { return .malformed }
    let points = bytes.bigEndianUInt16(at: start)
    let control = bytes.byte(at: start &+ 2)
    if points == 0x0606, control == 3 {
      start &+= 3
      return .ip
    }
    guard points == 0xaaaa, control == 3 else { return .notTCP }
    guard hasBytes(8, .logicalLink) else { return .malformed }
    let organisation = bytes.bigEndianUInt32(at: start &+ 2) & 0xff_ffff
    let type = bytes.bigEndianUInt16(at: start &+ 6)
    start &+= 8
    return organisation == 0 || organisation == 0xf8 ? .network(type) : .notTCP
  }

  /// LINKTYPE_NULL and LINKTYPE_LOOP: the address family in four bytes, the former in the byte order of the capturing
  /// machine, which may differ from the file's. The numbers of IPv6 differ between systems.
  mutating func loopback(in bytes: RawSpan) -> Layer {
    guard hasBytes(4, .loopback) else { return .malformed }
    let family = bytes.bigEndianUInt32(at: start)
    start &+= 4
    switch min(family, family.byteSwapped) {
    case 2: return .ipv4
    case 10, 23, 24, 28, 30: return .ipv6
    default: return .notTCP
    }
  }

  /// LINKTYPE_LINUX_SLL and _SLL2: the kind of device at one offset, the protocol at another.
  ///
  /// The kind of device (ARPHRD_ in Linux) decides the meaning of the protocol number: for netlink and frame relay it
  /// is not an EtherType, and radiotap has no protocol number.
  mutating func cooked(_ length: Int, device: Int, type: Int, in bytes: RawSpan) -> Layer {
    guard hasBytes(length, .cooked) else { return .malformed }
    let device = bytes.bigEndianUInt16(at: start &+ device)
    let type = bytes.bigEndianUInt16(at: start &+ type)
    start &+= length
    switch device {
    case 770, 824: return .notTCP
    case 801: return .wireless
    case 802: return .prism
    case 803: return .radiotap
    default: return type == 4 ? .logicalLink : type >= 1536 ? .network(type) : .notTCP
    }
  }

  /// LINKTYPE_NFLOG: family, version and resource, then values of 16-bit length (including their own four bytes),
  /// 16-bit type and padding to four bytes, in the byte order of the capturing machine; type 9 is the packet.
  mutating func log(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .log) else { return .malformed }
    let version = Int(bytes.byte(at: start &+ 1))
    guard version == 0 else { return malformed(.log, .version(version, expected: 0)) }
    start &+= 4
    // Types are small: the byte that is 0 is the high one.
    let isLittle = bytes.byte(at: start &+ 3) == 0
    while hasBytes(4, .log) {
      let first = bytes.bigEndianUInt16(at: start)
      let second = bytes.bigEndianUInt16(at: start &+ 2)
      let length = Int(isLittle ? first.byteSwapped : first)
      guard length >= 4 else { return malformed(.log, .length(length, least: 4, most: .max)) }
      // The two highest bits are flags of netlink.
      if (isLittle ? second.byteSwapped : second) & 0x3fff == 9 {
        endWire(after: length)
        start &+= 4
        return .ip
      }
      let padded = (length &+ 3) & ~3
      guard padded < wireEnd &- start else { return .notTCP }
      guard hasBytes(padded, .log) else { return .malformed }
      start &+= padded
    }
    return .malformed
  }
}

// Link layers of serial lines and provider networks: PPP, HDLC, PPPoE and MPLS.

extension PacketParser {
  /// PPP with and without the address and control bytes of HDLC framing (RFC 1662, section 3.1), or Cisco's
  /// HDLC, which begins with 0f or 8f and has an EtherType.
  mutating func pointToPoint(in bytes: RawSpan) -> Layer {
    guard hasBytes(2, .pointToPoint) else { return .malformed }
    switch bytes.bigEndianUInt16(at: start) {
    case 0xff03:
      start &+= 2
    case 0x0f00, 0x8f00:
      guard hasBytes(4, .pointToPoint) else { return .malformed }
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
    guard hasBytes(1, .pointToPoint) else { return .malformed }
    var number = UInt16(bytes.byte(at: start))
    if number & 1 == 1 {
      start &+= 1
    } else {
      guard hasBytes(2, .pointToPoint) else { return .malformed }
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

  /// RFC 2516, section 4: version and type, code, session, length of the PPP packet after it.
  mutating func pppoe(in bytes: RawSpan) -> Layer {
    guard hasBytes(6, .pppoe) else { return .malformed }
    let version = Int(bytes.byte(at: start))
    guard version == 0x11 else { return malformed(.pppoe, .version(version >> 4, expected: 1)) }
    // Only session data has code 0; discovery has others.
    guard bytes.byte(at: start &+ 1) == 0 else { return .notTCP }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 4))
    start &+= 6
    trim(to: length)
    return .pointToPoint
  }

  /// RFC 3032, section 2.1: labels of four bytes up to the one with the bottom bit. Nothing identifies the payload:
  /// IP is detected by its first four bits, anything else by an EtherType at the position where Ethernet has one,
  /// after a control word whose first four bits are 0 (RFC 4385, section 3) or without it.
  mutating func labels(in bytes: RawSpan) -> Layer {
    var isBottom = false
    while !isBottom {
      guard hasBytes(4, .labels) else { return .malformed }
      isBottom = bytes.byte(at: start &+ 2) & 1 == 1
      start &+= 4
    }
    guard hasBytes(1, .labels) else { return .malformed }
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
