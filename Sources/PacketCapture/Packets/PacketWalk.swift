import WireBytes

/// What stands at a walk's place: a header to read, or an answer.
enum Layer: Equatable {
  // Link layers.
  case ethernet, logicalLink, loopback, cooked, cooked2, log, exportedPDU
  case pointToPoint, pppoe, labels
  case wireless, radiotap, perPacketInfo, prism
  /// What an EtherType announces.
  case network(UInt16)
  /// IP of the version that its first four bits say.
  case ip
  case ipv4, ipv6
  /// What an IP protocol number announces.
  case transport(UInt8)

  // Answers: the walk ends.
  case tcp
  /// A part of an IP datagram, as `PacketWalk.fragment` has it.
  case fragment
  /// The tags of an exported PDU, up to its data.
  case pdu
  case notTCP
  case encrypted
  /// As `PacketWalk.defect` has it.
  case malformed
  case unsupported(LinkType)
}

/// Goes from header to header of one packet, outermost first, until TCP or until it is plain that none comes.
///
/// It stands on `start..<end` of the bytes, which is always within them: every header is judged by `holds`
/// before it is loaded, and steps go no further than what was judged.
struct PacketWalk {
  /// Headers within each other that are followed. VLAN tags, MPLS labels and IPv6 extension headers do not
  /// count: each is a fixed cost a byte.
  static let maxLayers = 32

  /// Index of the byte that the walk has reached, and of the byte after the last that was captured.
  var start: Int
  var end: Int
  /// Index of the byte after the last that the packet had on the wire, as the innermost length says; never
  /// less than `end`.
  var wireEnd: Int
  var layersLeft = PacketWalk.maxLayers
  /// Of the innermost IP header.
  var source = IPAddress(v4: 0)
  var destination = IPAddress(v4: 0)
  /// What the answer `fragment` or `malformed` is about.
  var fragment = FragmentHeader()
  var defect = PacketDefect(header: .record, offset: 0, problem: .depth(0))

  init(start: Int, end: Int, wireEnd: Int) {
    self.start = start
    self.end = end
    self.wireEnd = wireEnd
  }

  /// Steps until an answer is there. Answers are: `tcp`, `fragment`, `pdu`, `notTCP`, `encrypted`,
  /// `malformed` and `unsupported`.
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
      case .cooked: layer = cooked(in: bytes)
      case .cooked2: layer = cooked2(in: bytes)
      case .logicalLink: layer = logicalLink(in: bytes)
      case .log: layer = log(in: bytes)
      case .pointToPoint: layer = pointToPoint(in: bytes)
      case .pppoe: layer = pppoe(in: bytes)
      case .labels: layer = labels(in: bytes)
      case .wireless: layer = wireless(in: bytes)
      case .radiotap: layer = radiotap(in: bytes)
      case .perPacketInfo: layer = perPacketInfo(in: bytes)
      case .prism: layer = prism(in: bytes)
      case .exportedPDU: return .pdu
      case .tcp, .fragment, .pdu, .notTCP, .encrypted, .malformed, .unsupported: return layer
      }
    }
    return flaw(.ip, .depth(Self.maxLayers))
  }

  /// Whether the next `length` bytes were captured; if not, that is the defect.
  @inline(__always)
  mutating func holds(_ length: Int, _ header: PacketDefect.Header) -> Bool {
    if end &- start >= length { return true }
    defect = PacketDefect(
      header: header, offset: start, problem: .cut(needs: length, has: end &- start))
    return false
  }

  /// The answer that the header at `start` cannot be right.
  mutating func flaw(_ header: PacketDefect.Header, _ problem: PacketDefect.Problem) -> Layer {
    defect = PacketDefect(header: header, offset: start, problem: problem)
    return .malformed
  }

  /// What the innermost length says: the packet ends `length` bytes (0 or more) after `start`. What is
  /// captured after that is padding or a trailer; what is not captured before it is missing.
  @inline(__always)
  mutating func endWire(after length: Int) {
    wireEnd = start &+ length
    end = min(end, wireEnd)
  }

  /// The same where the length may only make the packet shorter.
  mutating func trim(to length: Int) {
    if length < wireEnd &- start { endWire(after: length) }
  }
}

extension Layer {
  /// What packets of a link type begin with (tcpdump.org, "Link-layer header types"); nil if it is not read.
  /// 12 and 14 are what some systems write for 101.
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
    default: return nil
    }
  }
}

/// Why a header cannot be read: which, where, and what was expected and found.
struct PacketDefect: Equatable {
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
    case ip = "IP header"
    case ipv4 = "IPv4 header"
    case ipv6 = "IPv6 header"
    case ipv6Extension = "IPv6 extension header"
    case fragment = "IP fragment"
    case authentication = "authentication header"
    case gre = "GRE header"
    case udp = "UDP header"
    case vxlan = "VXLAN header"
    case tcp = "TCP header"
    case exportedPDU = "exported PDU's tag"
    case record = "packet's record"
  }

  enum Problem: Equatable {
    /// The header takes `needs` bytes, of which `has` are there.
    case cut(needs: Int, has: Int)
    case version(Int, expected: Int)
    /// A length that the header gives, in bytes, must be within the two others.
    case length(Int, least: Int, most: Int)
    /// Too many headers stand one in the other.
    case depth(Int)
    /// Several packets stand in one frame.
    case aggregate
  }

  var header: Header
  /// Index, in the bytes that are walked, of the header's first byte.
  var offset: Int
  var problem: Problem

  /// A sentence without its end; the caller knows the place.
  var message: String {
    let name = header.rawValue
    switch problem {
    case .cut(let needs, let has):
      return "\(name) takes \(Count.of(needs, "byte")), of which \(has) are there"
        + " (a longer snap length would have kept the rest of a cut packet); the packet is passed over"
    case .version(let found, let expected):
      return "\(name) has version \(found) where \(expected) was expected; the packet is passed over"
    case .length(let found, let least, let most):
      let range = least == most ? "\(least)" : most == .max ? "at least \(least)" : "\(least) to \(most)"
      return "\(name) gives a length of \(Count.of(found, "byte")) where \(range) was expected;"
        + " the packet is passed over"
    case .depth(let most):
      return "\(name) is behind \(most) others, and no more are followed; the packet is passed over"
    case .aggregate:
      return "\(name) begins a frame of several packets, which is not read;"
        + " capture where packets are not aggregated, or convert the capture"
    }
  }
}
