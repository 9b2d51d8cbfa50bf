import Basics

/// The next header to parse, or a result.
enum Layer: Equatable {
  // Link layers.
  case ethernet, logicalLink, loopback, cooked, cooked2, log, exportedPDU
  case pointToPoint, pppoe, labels
  case wireless, radiotap, perPacketInfo, packetTap, prism
  case network(UInt16)
  /// IP; its first four bits give the version.
  case ip
  case ipv4, ipv6
  case transport(UInt8)

  // Results: parsing ends.
  case tcp
  /// A fragment of an IP datagram, described by `PacketParser.fragment`.
  case fragment
  /// The tags of an exported PDU, up to its data.
  case pdu
  case notTCP
  /// Described by `PacketParser.finding`.
  case malformed
  /// A link type, or nil for a frame that is encrypted or a fragment.
  case unsupported(LinkType?)
}

/// Parses the headers of one packet, outermost first, until TCP or a packet without TCP.
///
/// The unparsed bytes are `start..<end`, always within the packet: `hasBytes` checks every header before it is read.
struct PacketParser {
  /// Limit of nested headers. VLAN tags, MPLS labels and IPv6 extension headers do not count: each has a fixed cost
  /// per byte.
  static let maxLayers = 32

  /// Index of the next byte to parse, and of the byte after the last captured one.
  var start: Int
  var end: Int
  /// Index of the byte after the packet's last one on the wire, according to the innermost length; never less than
  /// `end`.
  var wireEnd: Int
  var layersLeft = PacketParser.maxLayers
  /// Of the innermost IP header.
  var source = IPAddress(v4: 0)
  var destination = IPAddress(v4: 0)
  /// Details of the results `fragment` and `malformed`.
  var fragment = FragmentHeader()
  var finding = PacketFinding(header: .record, offset: 0, cause: .depth(0))

  init(start: Int, end: Int, wireEnd: Int) { (self.start, self.end, self.wireEnd) = (start, end, wireEnd) }

  /// Parses headers until there is a result: `tcp`, `fragment`, `pdu`, `notTCP`, `malformed` or `unsupported`.
  mutating func run(from first: Layer, in bytes: RawSpan) -> Layer {
    var layer = first
    while layersLeft > 0 {
      layersLeft &-= 1
      switch layer {
      case .ethernet: layer = ethernet(in: bytes)
      case .network(let type): layer = network(type, in: bytes)
      case .ipv4: layer = ipv4(in: bytes)
      case .ipv6: layer = ipv6(in: bytes)
      case .ip: layer = ip(in: bytes)
      case .transport(let number): layer = transport(number, in: bytes)
      case .loopback: layer = loopback(in: bytes)
      case .cooked: layer = cooked(16, device: 2, type: 14, in: bytes)
      case .cooked2: layer = cooked(20, device: 8, type: 0, in: bytes)
      case .logicalLink: layer = logicalLink(in: bytes)
      case .log: layer = log(in: bytes)
      case .pointToPoint: layer = pointToPoint(in: bytes)
      case .pppoe: layer = pppoe(in: bytes)
      case .labels: layer = labels(in: bytes)
      case .wireless: layer = wireless(in: bytes)
      case .radiotap: layer = radiotap(in: bytes)
      case .perPacketInfo: layer = perPacketInfo(in: bytes)
      case .packetTap: layer = packetTap(in: bytes)
      case .prism: layer = prism(in: bytes)
      case .exportedPDU: return .pdu
      case .tcp, .fragment, .pdu, .notTCP, .malformed, .unsupported: return layer
      }
    }
    return malformed(.ip, .depth(Self.maxLayers))
  }

  /// Whether the next `length` bytes were captured; if not, sets `defect`.
  @inline(__always)
  mutating func hasBytes(_ length: Int, _ header: PacketFinding.Header) -> Bool {
    if end &- start >= length { return true }
    finding = PacketFinding(header: header, offset: start, cause: .cut(needs: length, has: end &- start))
    return false
  }

  /// The result for an invalid header at `start`.
  mutating func malformed(_ header: PacketFinding.Header, _ cause: PacketFinding.Cause) -> Layer {
    finding = PacketFinding(header: header, offset: start, cause: cause)
    return .malformed
  }

  /// Applies the innermost length: the packet ends `length` bytes (0 or more) after `start`. Captured bytes after
  /// that are padding or a trailer; uncaptured bytes before it are missing.
  @inline(__always)
  mutating func endWire(after length: Int) {
    wireEnd = start &+ length
    end = min(end, wireEnd)
  }

  /// The same, but never makes the packet longer.
  mutating func trim(to length: Int) { if length < wireEnd &- start { endWire(after: length) } }
}

extension Layer {
  /// The first header of a link type's packets (tcpdump.org, "Link-layer header types"); nil if it is unsupported.
  /// Some systems write 12 or 14 for 101.
  init?(_ type: LinkType) {
    switch type.rawValue {
    case 1: self = .ethernet
    case 0, 108: self = .loopback
    case 12, 14, 101: self = .ip
    case 228: self = .ipv4
    case 229: self = .ipv6
    case 113: self = .cooked
    case 276: self = .cooked2
    case 9, 50, 104: self = .pointToPoint
    case 51: self = .pppoe
    case 105: self = .wireless
    case 127: self = .radiotap
    case 119, 163: self = .prism
    case 192: self = .perPacketInfo
    case 239: self = .log
    case 252: self = .exportedPDU
    case 258: self = .packetTap
    default: return nil
    }
  }
}

/// Why a header cannot be read.
struct PacketFinding: Equatable {
  enum Header: String {
    case ethernet = "Ethernet header"
    case vlan = "VLAN tag"
    case logicalLink = "LLC header"
    case loopback = "loopback header"
    case cooked = "Linux cooked header"
    case log = "NFLOG header"
    case pointToPoint = "PPP header"
    case pppoe = "PPPoE header"
    case labels = "MPLS label stack"
    case wireless = "802.11 header"
    case radio = "radio header"
    case packetTap = "PKTAP header"
    case ip = "IP header"
    case ipv4 = "IPv4 header"
    case ipv6 = "IPv6 header"
    case ipv6Extension = "IPv6 extension header"
    case fragment = "IP fragment"
    case authentication = "authentication header"
    case gre = "GRE header"
    case erspan = "ERSPAN header"
    case udp = "UDP header"
    case vxlan = "VXLAN header"
    case geneve = "GENEVE header"
    case tcp = "TCP header"
    case exportedPDU = "exported PDU tag"
    case record = "packet record"
  }

  enum Cause: Equatable {
    /// The header needs `needs` bytes; the capture has `has` of them.
    case cut(needs: Int, has: Int)
    case version(Int, expected: Int)
    /// A length in the header, in bytes, is outside the two bounds.
    case length(Int, least: Int, most: Int)
    case depth(Int)
    /// One frame contains several packets.
    case aggregate
  }

  var header: Header
  /// Index, in the parsed bytes, of the header's first byte.
  var offset: Int
  var cause: Cause

  /// The caller adds the offset.
  var message: Message {
    let name = header.rawValue
    return switch cause {
    case .cut(let needs, let has):
      "\(name) needs \(Count.of(needs, "byte")), the packet has \(has) left (if the packet was "
        + "truncated, capture with a larger snap length); packet skipped"
    case .version(let found, let expected):
      "\(name) has version \(found), expected \(expected); packet skipped"
    case .length(let found, let least, let most):
      "\(name) has a length of \(Count.of(found, "byte")), expected "
        + "\(least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"); "
        + "packet skipped"
    case .depth(let most): "\(name) is nested in more than \(most) headers; packet skipped"
    case .aggregate:
      "\(name) begins an aggregate of several packets (A-MSDU), which is not supported; capture where "
        + "packets are not aggregated, or convert the capture"
    }
  }
}
