import Basics

struct FragmentHeader: Equatable {
  var identification: UInt32 = 0
  /// Offset of the fragment's first byte in the datagram, in bytes from 0; a multiple of 8.
  var offset = 0
  var hasMore = false
  var protocolNumber: UInt8 = 0
}

extension PacketParser {
  mutating func ip(in bytes: RawSpan) -> Layer {
    guard hasBytes(1, .ip) else { return .malformed }
    switch bytes.byte(at: start) >> 4 {
    case 4: return .ipv4
    case 6: return .ipv6
    case let version: return malformed(.ip, .version(Int(version), expected: 4))
    }
  }

  /// RFC 791, section 3.1. The checksum is not verified: senders leave it to the network card.
  @inline(__always)
  mutating func ipv4(in bytes: RawSpan) -> Layer {
    guard hasBytes(20, .ipv4) else { return .malformed }
    let first = Int(bytes.byte(at: start))
    guard first >> 4 == 4 else { return malformed(.ipv4, .version(first >> 4, expected: 4)) }
    let headerLength = (first & 15) &* 4
    guard headerLength >= 20 else { return malformed(.ipv4, .length(headerLength, least: 20, most: 60)) }
    let total = Int(bytes.bigEndianUInt16(at: start &+ 2))
    if total >= headerLength {
      endWire(after: total)
    } else if total != 0 {
      return malformed(.ipv4, .length(total, least: headerLength, most: 65_535))
    }
    // The total is 0 under TCP segmentation offload: the packet is as long as captured.
    guard hasBytes(headerLength, .ipv4) else { return .malformed }
    source = IPAddress(v4: bytes.bigEndianUInt32(at: start &+ 12))
    destination = IPAddress(v4: bytes.bigEndianUInt32(at: start &+ 16))
    let number = bytes.byte(at: start &+ 9)
    let offsetField = bytes.bigEndianUInt16(at: start &+ 6)
    if offsetField & 0x3fff != 0 {
      fragment = FragmentHeader(
        identification: UInt32(bytes.bigEndianUInt16(at: start &+ 4)), offset: Int(offsetField & 0x1fff) &* 8,
        hasMore: offsetField & 0x2000 != 0, protocolNumber: number)
      start &+= headerLength
      return .fragment
    }
    start &+= headerLength
    return number == 6 ? .tcp : .transport(number)
  }

  /// RFC 8200, section 3.
  mutating func ipv6(in bytes: RawSpan) -> Layer {
    guard hasBytes(40, .ipv6) else { return .malformed }
    let version = Int(bytes.byte(at: start) >> 4)
    guard version == 6 else { return malformed(.ipv6, .version(version, expected: 6)) }
    source = IPAddress(v6At: start &+ 8, in: bytes)
    destination = IPAddress(v6At: start &+ 24, in: bytes)
    let length = Int(bytes.bigEndianUInt16(at: start &+ 4))
    let number = bytes.byte(at: start &+ 6)
    start &+= 40
    if length > 0 {
      endWire(after: length)
    } else if number == 0, let jumbo = jumboLength(in: bytes) {
      endWire(after: jumbo)
    }
    return number == 6 ? .tcp : .transport(number)
  }

  /// RFC 2675, section 2: the length of a packet whose length field is 0, from the option 194 of the
  /// hop-by-hop header at `start`.
  private func jumboLength(in bytes: RawSpan) -> Int? {
    guard end &- start >= 8 else { return nil }
    let last = min(end, start &+ (Int(bytes.byte(at: start &+ 1)) &+ 1) &* 8)
    var index = start &+ 2
    while index &+ 2 <= last {
      let option = bytes.byte(at: index)
      let length = Int(bytes.byte(at: index &+ 1))
      if option == 194, length == 4, index &+ 6 <= last { return Int(bytes.bigEndianUInt32(at: index &+ 2)) }
      // Option 0 is a single byte of padding, without a length.
      index &+= option == 0 ? 1 : 2 &+ length
    }
    return nil
  }

  /// The layer of an IP protocol number (IANA registry), after IPv6 extension headers.
  mutating func transport(_ number: UInt8, in bytes: RawSpan) -> Layer {
    var number = number
    while true {
      switch number {
      case 6: return .tcp
      case 4: return .ipv4
      case 41: return .ipv6
      case 17: return udp(in: bytes)
      case 47: return gre(in: bytes)
      case 137: return .labels
      case 0, 43, 60, 135, 139, 140:
        // RFC 8200, section 4.2: the length is in units of 8 bytes, without the first.
        guard let next = skipHeader(.ipv6Extension, least: 8, unit: 8, in: bytes) else { return .malformed }
        number = next
      case 44:
        guard let next = fragmentHeader(in: bytes) else { return .malformed }
        if fragment.hasMore || fragment.offset > 0 { return .fragment }
        // A datagram of one fragment is complete (RFC 6946).
        number = next
      case 51:
        // RFC 4302, section 2: in units of 4 bytes, without the first two.
        guard let next = skipHeader(.authentication, least: 12, unit: 4, in: bytes) else { return .malformed }
        number = next
      case 50: return .unsupported(nil)
      default: return .notTCP
      }
    }
  }

  /// Skips a header that begins with the number of the next one and a length, to which 8 bytes add.
  private mutating func skipHeader(
    _ header: PacketFinding.Header, least: Int, unit: Int, in bytes: RawSpan
  ) -> UInt8? {
    guard hasBytes(least, header) else { return nil }
    let next = bytes.byte(at: start)
    let length = Int(bytes.byte(at: start &+ 1)) &* unit &+ 8
    guard hasBytes(length, header) else { return nil }
    start &+= length
    return next
  }

  /// RFC 8200, section 4.5.
  private mutating func fragmentHeader(in bytes: RawSpan) -> UInt8? {
    guard hasBytes(8, .ipv6Extension) else { return nil }
    let offsetField = bytes.bigEndianUInt16(at: start &+ 2)
    fragment = FragmentHeader(
      identification: bytes.bigEndianUInt32(at: start &+ 4), offset: Int(offsetField & 0xfff8),
      hasMore: offsetField & 1 != 0, protocolNumber: bytes.byte(at: start))
    start &+= 8
    return fragment.protocolNumber
  }
}

extension PacketParser {
  /// The segment whose header is at `start` (RFC 9293, section 3.1); nil if it is invalid. Options may be missing
  /// from the capture: reassembly does not need them.
  @inline(__always)
  mutating func tcp(in bytes: RawSpan) -> TCPSegment? {
    guard hasBytes(20, .tcp) else { return nil }
    let headerLength = Int(bytes.byte(at: start &+ 12) >> 4) &* 4
    guard headerLength >= 20, headerLength <= wireEnd &- start else {
      _ = malformed(.tcp, .length(headerLength, least: 20, most: min(60, wireEnd &- start)))
      return nil
    }
    let payloadStart = start &+ headerLength
    return TCPSegment(
      at: start, in: bytes, source, destination, payload: min(payloadStart, end)..<end,
      missing: wireEnd &- max(payloadStart, end))
  }
}

extension TCPSegment {
  /// Reads a whole Ethernet frame with plain headers of IPv4 and TCP in registers; nil for all others.
  /// - Parameter start: the index of the frame in the window.
  @inline(__always)
  init?(frame: RawSpan, at start: Int) {
    guard frame.byteCount >= 54, frame.uncheckedBigEndianUInt16(at: 12) == 0x0800,
      frame.uncheckedByte(at: 14) == 0x45, frame.uncheckedBigEndianUInt16(at: 20) & 0x3fff == 0,
      frame.uncheckedByte(at: 23) == 6
    else { return nil }
    let end = 14 &+ Int(frame.uncheckedBigEndianUInt16(at: 16))
    let payload = 34 &+ Int(frame.uncheckedByte(at: 46) >> 4) &* 4
    guard payload >= 54, payload <= end, end <= frame.byteCount else { return nil }
    self.init(
      at: 34, in: frame, IPAddress(v4: frame.uncheckedBigEndianUInt32(at: 26)),
      IPAddress(v4: frame.uncheckedBigEndianUInt32(at: 30)), payload: start &+ payload..<start &+ end)
  }

  /// Reads the header at `index`, of 20 bytes or more; `payload` has indices of the window.
  @inline(__always)
  fileprivate init(
    at index: Int, in bytes: RawSpan, _ source: IPAddress, _ destination: IPAddress, payload: Range<Int>,
    missing: Int = 0
  ) {
    let header = bytes.extracting(index..<index &+ 20)
    self.init(
      source: Endpoint(address: source, port: header.bigEndianUInt16(at: 0)),
      destination: Endpoint(address: destination, port: header.bigEndianUInt16(at: 2)),
      sequence: SequenceNumber(header.bigEndianUInt32(at: 4)),
      acknowledgement: SequenceNumber(header.bigEndianUInt32(at: 8)),
      flags: Flags(rawValue: header.byte(at: 13)), window: header.bigEndianUInt16(at: 14),
      payloadStart: payload.lowerBound, payloadLength: payload.count, missingLength: missing)
    headerLength = Int(header.byte(at: 12) >> 4) &* 4
  }
}

extension PacketParser {
  /// RFC 2784 and RFC 2890: flags select the fields of four bytes that follow; the type gives the next layer.
  mutating func gre(in bytes: RawSpan) -> Layer {
    guard hasBytes(4, .gre) else { return .malformed }
    let flags = bytes.bigEndianUInt16(at: start)
    let type = bytes.bigEndianUInt16(at: start &+ 2)
    switch flags & 7 {
    case 0:
      // Routing (RFC 1701) was removed from the protocol; such a packet is not decoded.
      guard flags & 0x4000 == 0 else { return .notTCP }
      let length = 4 &+ (flags & 0x8000).nonzeroBitCount &* 4 &+ (flags & 0x3000).nonzeroBitCount &* 4
      guard hasBytes(length, .gre) else { return .malformed }
      start &+= length
      return mirrored(type, flags: flags, in: bytes)
    case 1: return type == 0x880b ? greOfPPTP(flags: flags, in: bytes) : .notTCP
    default: return .notTCP
    }
  }

  /// ERSPAN (draft-foschiano-erspan-03, section 4) before Ethernet: type I has no header, and no sequence number
  /// in GRE; type II has 8 bytes, type III 12, and 8 more if its last bit is set.
  private mutating func mirrored(_ type: UInt16, flags: UInt16, in bytes: RawSpan) -> Layer {
    guard type == 0x88be || type == 0x22eb else { return .network(type) }
    var length = type == 0x22eb ? 12 : flags & 0x1000 != 0 ? 8 : 0
    guard hasBytes(length, .erspan) else { return .malformed }
    if length == 12, bytes.byte(at: start &+ 11) & 1 != 0 { length = 20 }
    guard hasBytes(length, .erspan) else { return .malformed }
    start &+= length
    return .ethernet
  }

  /// RFC 2637, section 4.1: length of the PPP packet at 4, call at 6, then sequence and acknowledgement numbers
  /// according to the flags. Without a sequence number there is no payload.
  private mutating func greOfPPTP(flags: UInt16, in bytes: RawSpan) -> Layer {
    let hasSequence = flags & 0x1000 != 0
    let length = 8 &+ (hasSequence ? 4 : 0) &+ (flags & 0x0080 != 0 ? 4 : 0)
    guard hasBytes(length, .gre) else { return .malformed }
    let payload = Int(bytes.bigEndianUInt16(at: start &+ 4))
    guard hasSequence, payload > 0 else { return .notTCP }
    start &+= length
    trim(to: payload)
    return .pointToPoint
  }

  /// Destination ports of VXLAN: 4789 (RFC 7348, section 5), and 8472, which Linux used before; and of GENEVE.
  static func isTunnel(port: UInt16) -> Bool { port == 4789 || port == 8472 || port == 6081 }

  /// UDP is decoded only as a tunnel.
  mutating func udp(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .udp) else { return .malformed }
    let port = bytes.bigEndianUInt16(at: start &+ 2)
    guard Self.isTunnel(port: port) else { return .notTCP }
    let length = Int(bytes.bigEndianUInt16(at: start &+ 4))
    if length >= 8 { trim(to: length) }
    start &+= 8
    if port == 6081 { return geneve(in: bytes) }
    // RFC 7348, section 5: flags, of which 08 marks a valid network identifier, then Ethernet.
    guard hasBytes(8, .vxlan) else { return .malformed }
    guard bytes.byte(at: start) & 0x08 != 0 else { return .notTCP }
    start &+= 8
    return .ethernet
  }

  /// RFC 8926, section 3.4: the version, which is 0, the length of options in units of 4 bytes, and the type of
  /// the next layer.
  private mutating func geneve(in bytes: RawSpan) -> Layer {
    guard hasBytes(8, .geneve) else { return .malformed }
    let length = 8 &+ Int(bytes.byte(at: start) & 0x3f) &* 4
    guard bytes.byte(at: start) >> 6 == 0 else { return .notTCP }
    guard hasBytes(length, .geneve) else { return .malformed }
    let type = bytes.bigEndianUInt16(at: start &+ 2)
    start &+= length
    return .network(type)
  }
}
